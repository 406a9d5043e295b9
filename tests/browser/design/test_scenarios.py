"""Scenarios in a browser: saved from a trial, run after the page is shown, opened again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from tests.browser.conftest import Login, Wait

DESIGN = """
insert into wed_attr (aname, type, options, adv) values ('state', 'enum', '{new,done}', 'new');
insert into wed_trig (tgname, trname, cpred) values ('work', 'tr_work', $$state = 'new'$$);
insert into wed_trig (cpred, cfinal) values ($$state = 'done'$$, true);
"""


@pytest.fixture
def flow(loaded: Callable[[str], str], connect: Callable[..., psycopg.Connection[Any]], login: Login) -> str:
    """The path of the flow's pages, with alice logged in at the one where it is tried."""
    row = connect().execute("select id from wedsql.flow where name = %s", [loaded(DESIGN)]).fetchone()
    path = f"/admin/flows/flow/{row[0]}/" if row else ""
    login("alice", f"{path}try/")
    return path


def press(browser: webdriver.Chrome, action: str) -> None:
    browser.find_element(By.CSS_SELECTOR, f'[name="do"][value="{action}"]').click()


def test_a_scenario_is_saved_run_and_opened(browser: webdriver.Chrome, flow: str, wait: Wait) -> None:
    def listed() -> str:
        return browser.find_element(By.ID, "scenarios").text

    wait(lambda _page: "This flow has no scenarios" in listed())
    press(browser, "start")
    wait(lambda _page: browser.find_elements(By.ID, "scenario-name"))
    browser.find_element(By.ID, "scenario-name").send_keys("only started")
    press(browser, "save")
    wait(lambda _page: "as expected" in listed())
    assert "They exercise 1 of 2 rules" in listed()
    browser.find_element(By.LINK_TEXT, "Open").click()
    wait(lambda _page: "scenario=only%20started" in browser.current_url and "as expected" in listed())
    assert "So far" in browser.find_element(By.TAG_NAME, "main").text
    press(browser, "delete")
    wait(lambda _page: "This flow has no scenarios" in listed())
