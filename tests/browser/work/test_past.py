"""The slider of time: it names its moment, works with a pointer and with keys, and leads back to now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from monitor.tests.conftest import PARCELS, Parcels
from tests.browser.axe import WIDE, against_the_rules
from tests.browser.conftest import Login, Sized, Wait

Browser = webdriver.Chrome


def said(page: Browser) -> WebElement | None:
    """Return the time of the slider's place when the script has written it."""
    found = page.find_element(By.ID, "place-value")
    return found if found.text else None


def test_the_slider_leads_into_the_past_and_back(
    browser: Browser,
    loaded: Callable[[str], str],
    connect: Callable[..., psycopg.Connection[Any]],
    login: Login,
    wait: Wait,
    sized: Sized,
) -> None:
    parcels = Parcels(loaded(PARCELS), connect())
    wid = parcels.start()
    parcels.connection.execute(
        "update wedsql.instance set started_at = started_at - interval '10 days' where wid = %s", [wid]
    )
    login("alice", f"/flows/{parcels.flow}/?q=stage:new")
    browser.find_element(By.CSS_SELECTOR, "details:has(#place) > summary").click()
    slider = browser.find_element(By.ID, "place")
    name = wait(said)
    assert name.text == "now" == slider.get_attribute("aria-valuetext")
    ActionChains(browser).move_to_element_with_offset(slider, 10, 0).click().perform()
    note = wait(lambda page: page.find_element(By.ID, "as-of"))
    assert "As of" in note.text and "q=stage" in browser.current_url and "at=" in browser.current_url
    slider = browser.find_element(By.ID, "place")
    place, shown = int(slider.get_attribute("value") or 0), wait(said).text
    assert 500 < place < 1000 and shown not in ("", "now")
    slider.send_keys(Keys.ARROW_LEFT)
    assert int(slider.get_attribute("value") or 0) == place - 1, "keys move it and stay on the page"
    slider.send_keys(Keys.ENTER)
    wait(lambda page: page.find_element(By.ID, "place").get_attribute("value") == str(place - 1))
    sized((390, 844))
    assert against_the_rules(browser) == [] == browser.execute_script(WIDE)
    browser.find_element(By.LINK_TEXT, "Picture").click()
    drawn = wait(lambda page: page.find_element(By.CSS_SELECTOR, "#picture svg [data-wait]"))
    assert drawn.is_displayed()
    assert against_the_rules(browser) == [] == browser.execute_script(WIDE)
    browser.back()
    browser.find_element(By.LINK_TEXT, "Back to now").click()
    wait(lambda page: "at=" not in page.current_url and page.find_elements(By.ID, f"wid-{wid}"))
    assert browser.get_log("browser") == []
