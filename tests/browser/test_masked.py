"""A masked value is shown by the keyboard alone, after a reason is given and recorded."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from flows import api
from monitor.tests.conftest import Parcels
from tests.browser.conftest import Login, Wait
from tests.browser.test_search import press
from tests.browser.work.test_instance import parcels

__all__ = ["parcels"]
FOCUSED = "return document.activeElement.matches(arguments[0])"


def test_a_masked_value_is_shown_by_the_keyboard_in_its_place(
    browser: webdriver.Chrome,
    login: Login,
    wait: Wait,
    parcels: Parcels,
    people: dict[str, Any],
    django_db_blocker: Any,
) -> None:
    name, wid = parcels.flow, parcels.start(customer="Ana Lima")
    parcels.connection.execute(f"update {name}.wed_attr set visibility = 'masked' where aname = 'customer'")
    with django_db_blocker.unblock():
        groups = [Group.objects.create(name=f"flow:{name}:{right}") for right in ("look", "handle")]
        people["carol"].groups.add(*groups)
    try:
        login("carol", f"/instances/{wid}/")
        assert "Ana Lima" not in browser.page_source
        look(browser, wait, "She called.")
        (row,) = api.looks.list(name, conn=parcels.connection)
        assert (row.actor, row.wid, row.reason, row.attributes) == ("carol", wid, "She called.", ["customer"])
        browser.get(f"{browser.current_url}repair/")
        assert "Ana Lima" not in browser.page_source
        look(browser, wait, "She wants it today.")
        assert len(api.looks.list(name, conn=parcels.connection)) == 2
        browser.get(browser.current_url)
        assert "Ana Lima" not in browser.page_source
    finally:
        with django_db_blocker.unblock():
            Group.objects.filter(pk__in=[each.pk for each in groups]).delete()


def look(browser: webdriver.Chrome, wait: Wait, reason: str) -> None:
    """Show the masked customer of the page that is open."""
    summary = browser.find_element(By.CSS_SELECTOR, "[data-key=masked-customer] summary")
    assert summary.text.split() == ["Show", "Customer"]
    browser.execute_script("arguments[0].focus()", summary)
    press(browser, Keys.ENTER, Keys.TAB, Keys.ENTER)
    assert browser.execute_script(FOCUSED, "[name=reason]:invalid"), "the reason is required"
    press(browser, reason, Keys.ENTER)
    wait(lambda page: page.execute_script(FOCUSED, "[data-revealed]"))
    shown = browser.find_element(By.CSS_SELECTOR, "[data-key=masked-customer] [data-revealed]")
    assert shown.text.split() == ["Customer:", "Ana", "Lima"]
