"""The key for the next case: on the pages of cases, not while typing, and it can be turned off."""

from __future__ import annotations

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from flows import api
from monitor.tests.conftest import Parcels
from tests.browser.conftest import Login, Wait
from tests.browser.test_search import press
from tests.browser.work.test_instance import parcels

__all__ = ["parcels"]


def test_a_key_claims_the_next_case_which_is_repaired_and_it_can_be_turned_off(
    browser: webdriver.Chrome, login: Login, wait: Wait, parcels: Parcels
) -> None:
    wid = parcels.start()
    parcels.make_exception(wid)
    [case] = api.cases.list([parcels.flow], conn=parcels.connection)
    api.cases.change(case.number, {"queue": "keys"}, "ann", conn=parcels.connection)
    login("alice", "/cases/?queue=keys")
    press(browser, "?")
    wait(lambda page: page.find_element(By.ID, "keys-on").is_displayed())
    browser.find_element(By.ID, "keys-on").click()
    press(browser, Keys.ESCAPE)
    press(browser, "n?")
    browser.find_element(By.ID, "keys-open").click()
    wait(lambda page: page.find_element(By.ID, "keys-on").is_displayed())
    assert browser.current_url.endswith("/cases/?queue=keys"), "keys are off"
    browser.find_element(By.ID, "keys-on").click()
    press(browser, Keys.ESCAPE, "n")
    wait(lambda page: page.current_url.endswith(f"/instances/{wid}/repair/"))
    assert api.cases.read(case.number, conn=parcels.connection).state == "claimed"
    browser.find_element(By.NAME, "value-stage").send_keys("new")
    browser.find_element(By.ID, "reason").send_keys("It was found.")
    address = browser.current_url
    browser.get(address.replace("/repair/", "/"))
    wait(lambda page: page.get(address) or page.find_elements(By.CSS_SELECTOR, "[value=discard]"))
    browser.find_element(By.CSS_SELECTOR, "button[value=preview]").click()
    wait(lambda page: page.current_url.endswith("#preview"))
    browser.find_element(By.CSS_SELECTOR, "button[value=apply]").click()
    wait(lambda page: page.current_url.endswith("/cases/"))
    assert api.cases.read(case.number, conn=parcels.connection).state == "applied"


# Types as soon as the field is there: the scripts of the page run after it.
TYPE_EARLY = """
new MutationObserver((_changes, watching) => {
  const field = document.getElementById('reason');
  if (field) { field.value = 'Typed early.'; watching.disconnect(); }
}).observe(document, { childList: true, subtree: true });
"""


def test_what_is_typed_before_the_scripts_run_is_kept(
    browser: webdriver.Chrome, login: Login, wait: Wait, parcels: Parcels
) -> None:
    wid = parcels.start()
    parcels.make_exception(wid)
    login("alice", "/")
    early = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": TYPE_EARLY})
    address = f"{browser.current_url}instances/{wid}/repair/"
    browser.get(address)
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", early)
    browser.get(address.replace("/repair/", "/"))
    wait(lambda page: page.get(address) or page.find_elements(By.CSS_SELECTOR, "[value=discard]"))
    assert browser.find_element(By.ID, "reason").get_attribute("value") == "Typed early."
