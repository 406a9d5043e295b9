"""Logging in: by keyboard, on a phone, in both languages, light and dark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from testkit.web import WebServer
from tests.browser.conftest import PASSWORD, PHONE


def test_log_in_by_keyboard_alone(
    browser: webdriver.Chrome, server: WebServer, people: dict[str, Any], wait: Callable[..., Any]
) -> None:
    browser.get(f"{server.url}accounts/login/?next=/admin/")
    # The browser gives the focus after the page has loaded.
    wait(lambda page: page.switch_to.active_element.get_attribute("name") == "username")
    browser.switch_to.active_element.send_keys("alice", Keys.TAB)
    browser.switch_to.active_element.send_keys(PASSWORD, Keys.ENTER)
    wait(lambda page: page.current_url == f"{server.url}admin/")


def test_a_wrong_password_is_reported_at_the_form(
    browser: webdriver.Chrome, server: WebServer, people: dict[str, Any], wait: Callable[..., Any]
) -> None:
    browser.get(f"{server.url}accounts/login/")
    browser.find_element(By.NAME, "username").send_keys("alice")
    browser.find_element(By.NAME, "password").send_keys("wrong", Keys.ENTER)
    alert = wait(lambda page: page.find_element(By.CSS_SELECTOR, "[role=alert]"))
    assert "correct username and password" in alert.text


def test_fits_a_phone_and_is_translated_to_portuguese(
    browser: webdriver.Chrome, server: WebServer, wait: Callable[..., Any]
) -> None:
    browser.set_window_size(*PHONE)
    browser.get(f"{server.url}accounts/login/")
    wide = "return document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert browser.execute_script(wide) is False
    browser.find_element(By.CSS_SELECTOR, "footer button[value='pt-br']").click()
    wait(lambda page: page.find_element(By.TAG_NAME, "html").get_attribute("lang") == "pt-br")


def test_dark_where_the_system_is_dark(browser: webdriver.Chrome, server: WebServer) -> None:
    def ground(scheme: str) -> str:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        return browser.execute_script("return getComputedStyle(document.body).backgroundColor")

    browser.get(f"{server.url}accounts/login/")
    try:
        assert ground("light") != ground("dark")
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_the_first_page_after_log_in_answers(
    browser: webdriver.Chrome, log_in_by_form: Callable[..., None]
) -> None:
    log_in_by_form("alice")
    assert browser.find_element(By.TAG_NAME, "h1").text
