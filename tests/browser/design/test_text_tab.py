"""The text of a whole definition in a browser: typed, saved, and its problems found in the text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.browser.conftest import Login, Wait, problems
from tests.browser.design.test_editing import FLOW, saved

Browser = webdriver.Chrome


def test_a_problem_is_underlined_and_its_link_leads_there(
    loaded: Callable[[str], str],
    connect: Callable[..., psycopg.Connection[Any]],
    browser: Browser,
    login: Login,
    wait: Wait,
) -> None:
    flow, database = loaded(FLOW), connect()
    row = database.execute("select id from wedsql.flow where name = %s", [flow]).fetchone()
    assert row is not None
    login("alice", f"/admin/flows/flow/{row[0]}/design/text/")
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".cm-lineNumbers"))
    browser.find_element(By.CSS_SELECTOR, ".cm-content").click()
    ActionChains(browser).key_down(Keys.CONTROL).send_keys(Keys.HOME).key_up(Keys.CONTROL).perform()
    ActionChains(browser).send_keys("odd: good", Keys.ENTER).perform()
    browser.find_element(By.CSS_SELECTOR, "button[value=save]").click()

    wait(saved)
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".cm-problem"))
    assert browser.find_element(By.CSS_SELECTOR, ".cm-problem").text == "good"
    browser.find_element(By.CSS_SELECTOR, ".text-problems a").click()
    ActionChains(browser).send_keys("very ").perform()
    assert "very good" in browser.find_element(By.CSS_SELECTOR, ".cm-content").text
    assert problems(browser) == []
