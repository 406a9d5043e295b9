"""The search over a page and the header, by keyboard alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from flows import api
from tests.browser.conftest import PHONE, Login, Wait

ACTIVE = "return document.activeElement.id || document.activeElement.getAttribute('href')"


@pytest.fixture
def order(flow: str, connect: Callable[..., psycopg.Connection[Any]]) -> tuple[str, int]:
    """A flow with a business key and the number of an instance of it."""
    session = connect()
    rule = {"transition": "tr_x", "predicate": "code is not null"}
    key = {"name": "code", "business_key": True}
    api.flows.publish(flow, {"attributes": [key], "triggers": [rule]}, conn=session)
    return flow, api.instances.start(flow, {"code": f"Key of {flow}"}, conn=session)


def press(browser: webdriver.Chrome, *keys: str) -> None:
    webdriver.ActionChains(browser).send_keys(*keys).perform()


def open_search(browser: webdriver.Chrome, wait: Wait) -> None:
    webdriver.ActionChains(browser).key_down(Keys.CONTROL).send_keys("k").key_up(Keys.CONTROL).perform()
    wait(lambda page: page.execute_script(ACTIVE) == "palette-input")


def chosen(browser: webdriver.Chrome) -> str | None:
    """Return the text of the option that the field says is active; None while results are on their way."""
    return browser.execute_script(
        "const field = document.getElementById('palette-input');"
        "const option = document.getElementById(field.getAttribute('aria-activedescendant') || '-');"
        "const ready = document.getElementById('palette-list').getAttribute('aria-busy') === 'false';"
        "return ready && option?.getAttribute('aria-selected') === 'true' ? option.textContent : null"
    )


@pytest.mark.parametrize("path", ["/workers/", "/admin/"])
def test_an_instance_is_found_by_its_business_key_with_the_keyboard(
    path: str, browser: webdriver.Chrome, login: Login, wait: Wait, order: tuple[str, int]
) -> None:
    flow, wid = order
    login("alice", path)
    open_search(browser, wait)
    press(browser, f"key of {flow}")
    wait(lambda page: f"Instance {wid}" in (chosen(page) or ""))
    press(browser, Keys.ENTER)
    wait(lambda page: page.current_url.endswith(f"/instances/{wid}/"))


def test_arrows_choose_and_escape_gives_the_focus_back(
    browser: webdriver.Chrome, login: Login, wait: Wait
) -> None:
    login("alice", "/")
    browser.execute_script("document.querySelector('.brand').focus()")
    before = browser.execute_script(ACTIVE)
    press(browser, "/")
    wait(lambda page: page.execute_script(ACTIVE) == "palette-input")
    press(browser, "system")
    first = wait(chosen)
    press(browser, Keys.ARROW_DOWN)
    second = wait(lambda page: chosen(page) != first and chosen(page))
    press(browser, Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_DOWN)
    wait(lambda page: chosen(page) == first)
    assert second
    press(browser, Keys.ESCAPE)
    assert browser.execute_script(ACTIVE) == before
    assert not browser.find_element(By.ID, "palette").is_displayed()


def test_nothing_found_is_said(browser: webdriver.Chrome, login: Login, wait: Wait) -> None:
    login("alice", "/")
    open_search(browser, wait)
    press(browser, "no such thing anywhere")
    wait(
        lambda page: (
            page.find_element(By.ID, "palette-status").get_attribute("textContent") == "Nothing was found."
        )
    )
    assert browser.find_element(By.ID, "palette-input").get_attribute("aria-expanded") == "false"


def test_on_a_phone_the_menu_has_every_page(browser: webdriver.Chrome, login: Login, wait: Wait) -> None:
    browser.set_window_size(*PHONE)
    login("alice", "/workers/")
    menu = browser.find_element(By.CSS_SELECTOR, ".areas-menu summary")
    menu.send_keys(Keys.ENTER)
    link = browser.find_element(By.CSS_SELECTOR, ".areas-menu a[href='/exceptions/']")
    wait(lambda page: link.is_displayed())
    assert browser.find_element(By.CSS_SELECTOR, ".areas-menu a[aria-current]").text == "Workers"
    link.send_keys(Keys.ENTER)
    wait(lambda page: page.current_url.endswith("/exceptions/"))
