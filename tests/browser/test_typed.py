"""What is typed into a form survives an ended session, for the same user in the same tab."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.contrib.sessions.models import Session
from selenium import webdriver
from selenium.webdriver.common.by import By

from flows import api
from flows.capabilities.approvals.api import ApprovalRule
from monitor.tests.conftest import Parcels
from testkit.web import WebServer
from tests.browser.axe import WIDE, against_the_rules
from tests.browser.conftest import PASSWORD, PHONE, Login, Wait
from tests.browser.work.test_instance import parcels

__all__ = ["parcels"]
FILLED = "What you typed before the session ended is filled in again. It was not sent."
UNSURE = "What you typed is filled in again. Its answer was an error or did not arrive"
OUT = "Your session has ended. What you typed is kept in this tab"
DISCARD = "Discard what I typed"


class Tab:
    """One tab of the browser, whose session can end at any moment."""

    def __init__(self, browser: webdriver.Chrome, server: WebServer, wait: Wait, blocker: Any) -> None:
        self.browser, self.server, self.wait, self.blocker = browser, server, wait, blocker

    def open(self, path: str) -> None:
        self.browser.get(self.server.url + path.removeprefix("/"))

    def end_session(self) -> None:
        with self.blocker.unblock():
            Session.objects.all().delete()

    def type(self, name: str, text: str, css: str = "main form") -> None:
        field = self.browser.find_element(By.CSS_SELECTOR, f"{css} [name='{name}']")
        field.clear()
        field.send_keys(text)

    def value(self, name: str, css: str = "main form") -> str:
        field = self.browser.find_element(By.CSS_SELECTOR, f"{css} [name='{name}']")
        return str(field.get_property("value"))

    def press(self, css: str) -> None:
        """Press a button, and return when the page that follows is there."""
        self.browser.execute_script("window.left = false")
        self.browser.execute_script("document.querySelector(arguments[0]).click()", css)
        ready = "return window.left === undefined && document.readyState === 'complete'"
        self.wait(lambda page: page.execute_script(ready))

    def log_in(self, name: str) -> None:
        self.type("username", name)
        self.type("password", PASSWORD)
        self.press("main form button.main")
        assert "/accounts/login/" not in self.browser.current_url

    def note(self) -> str:
        found = "return document.getElementById('typed')?.innerText ?? ''"
        return str(self.browser.execute_script(found)).strip()

    def stored(self) -> str:
        return str(self.browser.execute_script("return sessionStorage.getItem('wedsql-typed') ?? ''"))


@pytest.fixture
def tab(
    browser: webdriver.Chrome,
    server: WebServer,
    wait: Wait,
    people: dict[str, Any],
    django_db_blocker: Any,
) -> Iterator[Tab]:
    """The tab, in which nothing is kept."""
    browser.execute_script("sessionStorage.clear()")
    yield Tab(browser, server, wait, django_db_blocker)
    browser.get_log("browser")  # the page of an error is one in the console, too


def send_after_the_end(tab: Tab, button: str, name: str = "alice") -> None:
    """Send the form when its session has ended, and log in again."""
    tab.end_session()
    tab.press(button)
    assert "/accounts/login/" in tab.browser.current_url
    assert OUT in tab.note()
    tab.log_in(name)


def test_the_form_of_a_start_is_filled_in_again_and_starts_one_instance(
    tab: Tab, login: Login, parcels: Parcels
) -> None:
    path = f"/flows/{parcels.flow}/start/"
    login("alice", path)
    tab.type("value-customer", "Ana\u2028 <Lima>")
    tab.type("value-weight", "1.50")
    tab.type("value-extra", '{"a": "1"}')
    tab.browser.find_element(By.CSS_SELECTOR, "[name=value-stage] option[value=packed]").click()
    send_after_the_end(tab, "main form button.primary")
    assert tab.browser.current_url.endswith(path) and FILLED in tab.note()
    shown = [tab.value(f"value-{name}") for name in ("customer", "weight", "stage", "pieces")]
    assert shown == ["Ana\u2028 <Lima>", "1.50", "packed", "1"]
    assert "value-pieces" not in tab.stored(), "what was not changed is not kept"
    focused = tab.browser.execute_script("return document.activeElement === document.body")
    assert focused, "the focus is not moved"
    assert against_the_rules(tab.browser) == []
    tab.press("main form button.primary")
    assert "/instances/" in tab.browser.current_url, tab.browser.find_element(By.ID, "main").text
    assert tab.stored() == ""
    state = f"select customer, weight::text, stage from {parcels.flow}.wed_flow"
    assert parcels.connection.execute(state).fetchall() == [("Ana\u2028 <Lima>", "1.50", "packed")]
    tab.open(path)
    assert tab.value("value-customer") == "" and tab.note() == ""


def test_what_is_typed_is_not_shown_to_another_user(tab: Tab, login: Login, parcels: Parcels) -> None:
    path = f"/flows/{parcels.flow}/start/"
    login("alice", path)
    tab.type("value-customer", "Ana Lima")
    send_after_the_end(tab, "main form button.primary", "vera")
    assert tab.browser.current_url.endswith(path)
    assert (tab.value("value-customer"), tab.note(), tab.stored()) == ("", "", "")


def test_logging_out_removes_what_is_typed(tab: Tab, login: Login, parcels: Parcels) -> None:
    path = f"/flows/{parcels.flow}/start/"
    login("alice", path)
    tab.type("value-customer", "Ana Lima")
    send_after_the_end(tab, "main form button.primary")
    assert tab.value("value-customer") == "Ana Lima" and "Ana Lima" in tab.stored()
    tab.press("form[data-log-out] button")
    assert (tab.stored(), tab.note()) == ("", "")
    tab.log_in("alice")
    tab.open(path)
    assert (tab.value("value-customer"), tab.note()) == ("", "")


def test_what_is_typed_is_discarded_by_a_button_on_a_phone_in_portuguese(
    tab: Tab, login: Login, parcels: Parcels
) -> None:
    path = f"/flows/{parcels.flow}/start/"
    login("alice", path)
    tab.type("value-customer", "Ana Lima")
    send_after_the_end(tab, "main form button.primary")
    tab.browser.set_window_size(*PHONE)
    tab.browser.add_cookie({"name": "django_language", "value": "pt-br"})
    tab.open(path)
    assert "foi preenchido de novo" in tab.note() and tab.value("value-customer") == "Ana Lima"
    for theme in ("light", "dark"):
        tab.browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
        assert [*tab.browser.execute_script(WIDE), *against_the_rules(tab.browser)] == []
    tab.browser.find_element(By.CSS_SELECTOR, "#typed button").click()
    assert (tab.value("value-customer"), tab.stored()) == ("", "")
    assert tab.note() == "O que você digitou foi descartado."
    tab.open(path)
    assert (tab.value("value-customer"), tab.note()) == ("", "")


def test_the_form_of_a_signal_is_filled_in_again_and_sent_once(
    tab: Tab, login: Login, flow: str, connect: Callable[..., psycopg.Connection[Any]]
) -> None:
    session = connect()
    waits = {"transition": "tr_pay", "predicate": "paid is null", "signal": True}
    ends = {"predicate": "paid is not null", "final": True}
    definition = {"attributes": [{"name": "paid"}, {"name": "by"}], "triggers": [waits, ends]}
    api.flows.publish(flow, definition, conn=session)
    wid = api.instances.start(flow, {}, actor="shop", conn=session)
    login("alice", f"/flows/{flow}/signals/?signal=tr_pay")
    tab.type("instance", str(wid))
    tab.type("value-paid", "yes")
    send_after_the_end(tab, "main form.operate button.primary")
    assert "signal=tr_pay" in tab.browser.current_url and FILLED in tab.note()
    assert (tab.value("instance"), tab.value("value-paid"), tab.value("value-by")) == (str(wid), "yes", "")
    tab.press("main form.operate button.primary")
    assert tab.stored() == ""
    sent = session.execute("select count(*) from wedsql.signal where wid = %s", [wid]).fetchone()
    assert sent == (1,)


def proposed(parcels: Parcels) -> int:
    """Propose a repair that needs an approval; return the number of the proposal."""
    rule = ApprovalRule(1, "Packing by hand", attributes=("stage",), condition="stage = 'packed'")
    api.approvals.save_rules(parcels.flow, [rule], "boss", conn=parcels.connection)
    wid = parcels.start(customer="Ana")
    parcels.make_exception(wid)
    changes = {"changes": {"stage": "packed"}}
    made = api.approvals.propose(wid, "patch", changes, "On my desk.", actor="bea", conn=parcels.connection)
    return made.number


def test_the_reason_of_a_decision_is_filled_in_again_in_its_own_form(
    tab: Tab, login: Login, parcels: Parcels
) -> None:
    number = proposed(parcels)
    login("alice", f"/cases/proposals/{number}/")
    reject = "form[action$='/reject/']"
    tab.type("text", "It is not\u00a0there.", reject)
    send_after_the_end(tab, f"{reject} button")
    assert FILLED in tab.note() and tab.value("text", reject) == "It is not\u00a0there."
    assert tab.value("text", "form[action$='/approve/']") == "", "the other form is not filled in"
    tab.press(f"{reject} button")
    votes = api.approvals.read(number, conn=parcels.connection).votes
    assert [(one.kind, one.note) for one in votes] == [("rejected", "It is not\u00a0there.")]
    assert tab.stored() == ""


def test_an_alert_that_was_shown_again_with_an_error_is_still_kept(
    tab: Tab, login: Login, parcels: Parcels
) -> None:
    path = f"/flows/{parcels.flow}/alerts/new/"
    login("alice", path)
    tab.type("name", "Too many")
    tab.type("threshold", "many")
    tab.press("main form button.primary")
    assert tab.value("name") == "Too many" and tab.stored() == "", "it was answered"
    tab.type("threshold", "7")
    tab.browser.find_element(By.NAME, "enabled").click()
    enabled = tab.browser.find_element(By.NAME, "enabled").is_selected()
    send_after_the_end(tab, "main form button.primary")
    assert (tab.value("name"), tab.value("threshold")) == ("Too many", "7")
    assert tab.browser.find_element(By.NAME, "enabled").is_selected() == enabled
    tab.press("main form button.primary")
    rules = api.alerts.list_rules([parcels.flow], conn=parcels.connection)
    assert [each.name for each in rules] == ["Too many"]


def test_a_form_that_was_opened_before_another_log_in_is_not_lost(
    tab: Tab, login: Login, parcels: Parcels
) -> None:
    path = f"/flows/{parcels.flow}/start/"
    login("alice", path)
    tab.type("value-customer", "Ana Lima")
    tab.browser.delete_cookie("csrftoken")  # as after a log-in in another tab
    tab.press("main form button.primary")
    assert "kept in this tab" in tab.note()
    tab.press("#typed a")
    assert UNSURE in tab.note() and tab.value("value-customer") == "Ana Lima"
    tab.press("main form button.primary")
    assert "/instances/" in tab.browser.current_url and tab.stored() == ""


def test_what_is_typed_survives_a_lost_connection(tab: Tab, login: Login, parcels: Parcels) -> None:
    path = f"/flows/{parcels.flow}/start/"
    login("alice", path)
    tab.type("value-customer", "Ana Lima")
    lost = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    tab.browser.execute_cdp_cmd("Network.enable", {})
    tab.browser.execute_cdp_cmd("Network.emulateNetworkConditions", lost)
    tab.browser.execute_script("document.querySelector('main form button.primary').click()")
    tab.wait(lambda page: page.execute_script("return !document.getElementById('typed')"))
    tab.browser.execute_cdp_cmd("Network.emulateNetworkConditions", lost | {"offline": False})
    tab.open(path)
    assert UNSURE in tab.note() and tab.value("value-customer") == "Ana Lima"


def test_a_value_whose_form_is_gone_is_shown_to_be_copied(tab: Tab, login: Login, parcels: Parcels) -> None:
    number = proposed(parcels)
    login("alice", f"/cases/proposals/{number}/")
    reject = "form[action$='/reject/']"
    tab.type("text", "It is not there.", reject)
    tab.end_session()
    tab.press(f"{reject} button")
    api.approvals.reject(number, "vera", "by another person", conn=parcels.connection)
    tab.log_in("alice")
    assert "no longer in the form" in tab.note() and "Reason\nIt is not there." in tab.note()
    assert against_the_rules(tab.browser) == []
    tab.browser.find_element(By.CSS_SELECTOR, "#typed button").click()
    assert tab.note() == "What you typed is discarded." and tab.stored() == ""


def test_passwords_and_hidden_fields_are_never_kept(tab: Tab, login: Login) -> None:
    login("alice", "/accounts/password/")
    for name in ("old_password", "new_password1", "new_password2"):
        tab.type(name, "a secret of hers")
    tab.browser.execute_script(
        "document.querySelector('main form').insertAdjacentHTML('beforeend', "
        "'<input name=seen type=hidden><input name=note>')"
    )
    tab.browser.execute_script("document.querySelector('[name=seen]').value = 'hidden by a script'")
    tab.type("note", "typed")
    tab.end_session()
    tab.press("main form button.main")
    assert "typed" in tab.stored(), "the page keeps what is typed"
    assert "secret" not in tab.stored() and "hidden by" not in tab.stored()


def test_a_comment_on_a_case_and_the_name_of_a_new_flow_are_filled_in_again(
    tab: Tab, login: Login, parcels: Parcels
) -> None:
    wid = parcels.start(customer="Ana")
    parcels.make_exception(wid)
    login("alice", f"/instances/{wid}/repair/")
    form = "form[action$='/comment/']"
    field = tab.browser.find_element(By.CSS_SELECTOR, f"{form} textarea")
    tab.browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
    field.send_keys("line one\nline two")
    send_after_the_end(tab, f"{form} button")
    field = tab.browser.find_element(By.CSS_SELECTOR, f"{form} textarea")
    assert FILLED in tab.note() and field.get_property("value") == "line one\nline two"
    assert field.is_displayed(), "what was folded is open"
    tab.press(f"{form} button")
    assert tab.stored() == "" and tab.browser.page_source.count("line two") == 1
    tab.open("/admin/flows/flow/new/")
    tab.type("name", "brand_new")
    send_after_the_end(tab, "main form.options button")
    assert FILLED in tab.note() and tab.value("name") == "brand_new"
