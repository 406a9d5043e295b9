"""One instance in the browser: two people watch it and operate on it; slider, replay, keys, comparison."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from monitor.tests.conftest import PARCELS, Parcels
from testkit.web import WebServer
from tests.browser.conftest import LogIn, Login, wait_in

Wait = Callable[..., Any]
Browser = webdriver.Chrome


@pytest.fixture
def parcels(loaded: Callable[[str], str], connect: Callable[..., psycopg.Connection[Any]]) -> Parcels:
    return Parcels(loaded(PARCELS), connect())


@pytest.fixture
def sent(parcels: Parcels) -> int:
    wid = parcels.start(customer="Ana")
    parcels.send(wid)
    return wid


def text(page: Browser, selector: str) -> str:
    return str(page.execute_script("return document.querySelector(arguments[0])?.innerText ?? ''", selector))


def confirm(page: Browser, reason: str) -> None:
    page.find_element(By.ID, "reason").send_keys(reason)
    page.find_element(By.CSS_SELECTOR, "form.operate button.primary").click()


def test_two_people_watch_one_instance(
    browser: Browser,
    second: Browser,
    server: WebServer,
    login: Login,
    log_in: LogIn,
    wait: Wait,
    parcels: Parcels,
) -> None:
    wid = parcels.start(customer="Ana")
    login("alice", f"/instances/{wid}/")
    wait(lambda page: page.find_element(By.ID, "live").get_attribute("data-state") == "live")
    browser.execute_script("window.same = true")
    log_in(second, "bob", f"/instances/{wid}/")
    wait_in(second, lambda page: page.find_element(By.ID, "live").get_attribute("data-state") == "live")
    browser.execute_script("window.open(arguments[0])", f"/instances/{wid}/operate/suspend/")
    watching, asking = browser.window_handles
    browser.switch_to.window(asking)
    confirm(browser, "Wait for Ana.")
    wait(lambda page: "The instance is suspended." in text(page, "main"))
    wait_in(second, lambda page: "Suspended" in text(page, "h1") and "Wait for Ana." in text(page, "#rows"))
    browser.get(f"{server.url}instances/{wid}/operate/suspend/")
    confirm(browser, "Again.")
    wait(lambda page: "is suspended already" in text(page, "[role=alert]"))
    browser.close()
    browser.switch_to.window(watching)
    wait(lambda page: "Suspended" in text(page, "h1"))
    assert browser.execute_script("return window.same") is True


def test_the_slider_and_the_replay_go_through_the_steps(
    browser: Browser, login: Login, wait: Wait, sent: int
) -> None:
    login("alice", f"/instances/{sent}/steps/1/")
    slider = wait(lambda page: page.find_element(By.ID, "slider"))
    wait(lambda page: page.find_element(By.ID, "play").is_displayed())
    slider.send_keys(Keys.ARROW_RIGHT)
    wait(lambda page: text(page, "h1").startswith("Step 2") and page.current_url.endswith("/steps/2/"))
    browser.find_element(By.ID, "speed").send_keys("5")
    browser.find_element(By.ID, "play").send_keys(Keys.ENTER)
    wait(lambda page: text(page, "h1").startswith("Step 4") and text(page, "#play") == "Play")
    assert "sent" in text(browser, '[data-name="stage"]')


def test_the_keys_move_mark_and_compare(browser: Browser, login: Login, wait: Wait, sent: int) -> None:
    login("alice", f"/instances/{sent}/?order=oldest")
    wait(lambda page: page.find_element(By.ID, "live").get_attribute("data-state") == "live")

    def press(keys: str) -> None:
        # To the element with the focus: keys that are sent to an element would move it there.
        ActionChains(browser).send_keys(keys).perform()

    focused = "return document.activeElement.closest('#rows tr')?.id"
    while browser.execute_script(focused) != "step-1":
        press("j")
    press("xjjx")
    assert browser.execute_script(focused) == "step-3"
    press("?")
    assert "next row" in text(browser, "dialog[open]")
    press(Keys.ESCAPE)
    browser.find_element(By.ID, "compare-button").click()
    wait(lambda page: page.current_url.endswith(f"/instances/{sent}/steps/3/?compare=1"))
    assert "2 differences from step 1" in text(browser, "main")
    press("h")
    wait(lambda page: page.current_url.endswith("/steps/2/"))
