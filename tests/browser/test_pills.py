"""A filter edited by its pills with the keyboard: a condition becomes a group, and one again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlparse

import psycopg
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from flows import api
from tests.browser.conftest import PHONE, Login, Wait

WIDE = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


def filter_of(browser: webdriver.Chrome) -> str:
    return parse_qs(urlparse(browser.current_url).query).get("q", [""])[0]


def edit(browser: webdriver.Chrome, wait: Wait, summary: str, field: str, value: str, button: str) -> None:
    """Open a pill, write a value into its form, and press a button of it, all by the keyboard."""
    browser.find_element(By.XPATH, f"//summary[contains(., '{summary}')]").send_keys(Keys.ENTER)
    form = browser.find_element(By.XPATH, f"//details[@open]/summary[contains(., '{summary}')]/../form")
    input_ = form.find_element(By.NAME, field)
    wait(lambda page: input_.is_displayed())
    input_.clear()
    input_.send_keys(value)
    form.find_element(By.XPATH, f".//button[contains(., '{button}')]").send_keys(Keys.ENTER)


def test_a_condition_becomes_a_group_that_is_edited_and_removed_by_the_keyboard(
    flow: str,
    connect: Callable[..., psycopg.Connection[Any]],
    browser: webdriver.Chrome,
    login: Login,
    wait: Wait,
) -> None:
    session = connect()
    long_name = "tr_" + "checks_the_city_" * 3 + "once"
    rule = {"transition": long_name, "label": "Check", "predicate": "city is not null"}
    api.flows.publish(flow, {"attributes": [{"name": "city"}], "triggers": [rule]}, conn=session)
    wids = [api.instances.start(flow, {"city": city}, conn=session) for city in ("Rio", "Recife", "Natal")]
    browser.set_window_size(*PHONE)
    login("alice", f"/flows/{flow}/?q=city:Rio")
    edit(browser, wait, "city", "v", "Recife", "or")
    wait(lambda page: filter_of(page) == "city:Rio or city:Recife")
    group = browser.find_element(By.CSS_SELECTOR, ".filter-group ul")
    assert group.accessible_name == "any of:" and len(group.find_elements(By.CSS_SELECTOR, ".filter")) == 3
    rows = browser.find_elements(By.CSS_SELECTOR, "#rows tr")
    assert {row.get_attribute("data-wid") for row in rows} == {str(wid) for wid in wids[:2]}
    edit(browser, wait, "Recife", "v", "Natal", "Change")
    wait(lambda page: filter_of(page) == "city:Rio or city:Natal")
    browser.find_element(By.XPATH, "//summary[contains(., '+ or')]").send_keys(Keys.ENTER)
    assert browser.execute_script(WIDE) <= 0
    browser.find_element(By.CSS_SELECTOR, ".filter-group .filter > a").send_keys(Keys.ENTER)
    wait(lambda page: filter_of(page) == "city:Natal")
    assert browser.find_elements(By.CSS_SELECTOR, ".filter-group") == []
