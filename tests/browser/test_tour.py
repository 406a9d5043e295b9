"""The tour on the overview takes no focus, and is closed by the keyboard."""

from __future__ import annotations

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.browser.conftest import Login, Wait

TOUR = "section[aria-labelledby=tour-title]"
# Whether each link, and the button, takes the focus.
REACHED = """
return [...document.querySelectorAll('section[aria-labelledby=tour-title] :is(a, button)')]
  .every(each => { each.focus(); return document.activeElement === each && each.tabIndex === 0; })"""


def test_the_tour_is_closed_by_the_keyboard_for_ever(
    browser: webdriver.Chrome, login: Login, wait: Wait
) -> None:
    login("alice", "/")
    assert browser.execute_script("return document.activeElement === document.body")
    panel = browser.find_element(By.CSS_SELECTOR, TOUR)
    assert (panel.accessible_name, panel.aria_role) == ("Where to find what", "region")
    assert browser.execute_script(REACHED)
    browser.find_element(By.CSS_SELECTOR, f"{TOUR} button").send_keys(Keys.ENTER)
    wait(lambda page: not page.find_elements(By.CSS_SELECTOR, TOUR))
    assert browser.find_element(By.TAG_NAME, "h1").text == "Flows"
    browser.get(browser.current_url)
    assert not browser.find_elements(By.CSS_SELECTOR, TOUR)
