"""A clerk's day at the cases of the demo shop: with the mouse, by keys alone, and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.management import call_command
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from flows import api
from flows.capabilities.cases.api import Case
from testkit.web import WebServer
from tests.browser.conftest import PASSWORD, PHONE, LogIn, Login, wait_in
from wedsql_site.supervisor.demo_logins import LOGINS

Browser = webdriver.Chrome
GROUPS = "section[aria-labelledby=groups-title] tbody a"
CASES = "section[aria-labelledby=cases-title] tbody th a"
# The first element that is seen and has this text; an option is seen with its field.
SEEN = """
const [css, text] = arguments;
const seen = e => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length;
return [...document.querySelectorAll(css)]
  .find(e => seen(e.closest('select') ?? e) && e.innerText.includes(text)) ?? null"""


@dataclass
class Desk:
    """The pages as a clerk uses them, and the cases as the database has them."""

    browser: Browser
    url: str
    connection: Any

    def open(self, path: str) -> None:
        self.browser.get(f"{self.url}{path}")

    def shows(self, text: str) -> None:
        """Return once the page has this text."""
        wait_in(self.browser, lambda page: text in page.find_element(By.TAG_NAME, "body").text)

    def shows_first(self, css: str) -> None:
        """Check that this element begins on the first screen of the page."""
        inside = "return document.querySelector(arguments[0]).getBoundingClientRect().top < innerHeight - 24"
        assert self.browser.execute_script(inside, css), css

    def at(self, css: str, text: str = "") -> Any:
        """Return the first element that is seen and has this text."""
        return wait_in(self.browser, lambda page: page.execute_script(SEEN, css, text))

    def follow(self, css: str, text: str = "") -> None:
        """Click, and return when another page is there."""
        self.leaving(self.at(css, text).click)

    def leaving(self, act: Any) -> None:
        """Do what leads to another page, and return when that is there."""
        self.browser.execute_script("window.left = false")
        act()
        ready = "return window.left === undefined && document.readyState === 'complete'"
        wait_in(self.browser, lambda page: page.execute_script(ready))

    def type(self, name: str, text: str) -> None:
        field = self.at(f"[name={name}]")
        field.clear()
        field.send_keys(text)

    def number(self) -> int:
        """Return the number of the instance whose repair is shown."""
        return int(self.browser.current_url.split("/instances/")[1].split("/")[0])

    def case(self) -> Case:
        """Return the open case that is shown."""
        return api.cases.list(["orders"], {"wid": self.number()}, conn=self.connection)[0]

    def status(self, wid: int) -> str:
        return str(api.reasons.explain_instance(wid, conn=self.connection).status)


def person(name: str) -> Any:
    """Return one of the demo's users, with the password of the tests."""
    user = get_user_model().objects.create_user(name, password=PASSWORD)
    user.groups.set([Group.objects.get_or_create(name=each)[0] for each in LOGINS[name]])
    return user


@pytest.fixture
def desk(
    browser: Browser, server: WebServer, connect: Any, login: Login, django_db_blocker: Any
) -> Iterator[Desk]:
    """The list of cases of the demo shop, as the senior clerk sees it."""
    connection = connect()
    with django_db_blocker.unblock():
        call_command("loaddemo", cases=True, verbosity=0)
        users = [person(name) for name in ("senior", "approver")]
    login("senior", "/cases/?flow=orders")
    yield Desk(browser, server.url, connection)
    browser.get(f"{server.url}static/wedsql_site/mark.svg")  # a live page would ask for what is dropped
    with django_db_blocker.unblock():
        for user in users:
            user.delete()
    for flow in ("orders", "fig2", "counter"):
        api.flows.drop(flow, force=True, conn=connection)


def test_with_the_mouse_cases_are_put_aside_approved_retried_and_undone(
    desk: Desk, second: Browser, log_in: LogIn
) -> None:
    desk.follow("button", "Next case")
    first = desk.case()
    assert (first.state, first.queue) == ("claimed", "refunds"), "the most urgent one, claimed"
    desk.at("summary", "Put aside").click()
    desk.type("time", "2h")
    desk.follow("details button", "Put aside")
    assert desk.case().state == "waiting"
    desk.open("cases/?flow=orders")
    desk.follow("button", "Next case")
    assert desk.case().number != first.number
    refund(desk)
    approve(replace(desk, browser=second), log_in)
    retry(desk)
    undo(desk)
    many(desk)


def refund(desk: Desk) -> None:
    """Propose to pay the money back for the order that is shown, which is a sum for two people."""
    wid = desk.number()
    desk.shows("What is missing")
    desk.at("[name=value-payment] option[value=refunded]").click()
    desk.type("reason", "The article is sold out.")
    desk.follow("button", "Preview")
    desk.shows("The instance becomes final.")
    desk.follow("button", "Propose")
    desk.shows("another person decides about it")
    assert desk.status(wid) == "E"


def approve(other: Desk, log_in: LogIn) -> None:
    """Approve the only proposal as another person, which applies it."""
    log_in(other.browser, "approver", "/cases/")
    other.follow("a", "Approvals")
    other.follow("section[aria-labelledby=proposals-title] th a")
    (proposal,) = api.approvals.list(["orders"], conn=other.connection)
    other.follow("button", "Approve")
    assert other.status(proposal.wid) == "F"


def retry(desk: Desk) -> None:
    """Let the carrier try again, from the group of its cases."""
    desk.open("cases/?flow=orders")
    desk.follow(GROUPS, "attempts used up")
    desk.follow(CASES)
    wid = desk.number()
    desk.shows_first(".error-text")
    desk.shows_first("a.button.primary")
    desk.follow("a.button", "Retry now")
    desk.type("reason", "The carrier answers again.")
    desk.follow("form.operate button.primary")
    assert desk.status(wid) == "R"


def undo(desk: Desk) -> None:
    """Give an order the wrong value, and undo it before anything followed."""
    desk.open("cases/?flow=orders&queue=cards")
    desk.follow(CASES)
    wid = desk.number()
    desk.at("[name=value-payment] option[value=paid]").click()
    desk.type("reason", "Paid.")
    desk.follow("button", "Preview")
    desk.follow("button", "Apply")
    desk.open(f"instances/{wid}/")
    desk.follow("button", "Undo the repair")
    wait_in(desk.browser, lambda _page: desk.status(wid) == "E")


def many(desk: Desk) -> None:
    """Repair the declined cards at once, except the first, from their group to the progress."""
    desk.open("cases/?flow=orders")
    desk.follow(GROUPS, "Repair all")
    boxes = desk.browser.find_elements(By.CSS_SELECTOR, "[name=out]")
    left_out, *others = [int(box.get_attribute("value") or 0) for box in boxes]
    boxes[0].send_keys(Keys.SPACE)
    desk.at("[name=value-payment] option[value=paid]").click()
    desk.type("reason", "The bank was down.")
    desk.follow("button", "Preview")
    desk.follow("button[value=apply]", "Repair ")
    desk.shows("in progress")
    while api.bulk.continue_bulk(conn=desk.connection) is not None:
        pass
    (made,) = api.bulk.list(["orders"], conn=desk.connection)
    assert (made.operation, made.done, made.refused) == ("patch", made.total, 0)
    desk.shows(f"{made.total} / {made.total}")
    assert desk.status(left_out) == "E" and {desk.status(wid) for wid in others} == {"R"}


def test_by_keys_alone_the_next_case_is_claimed_previewed_and_repaired(desk: Desk) -> None:
    def press(*keys: str) -> None:
        webdriver.ActionChains(desk.browser).send_keys(*keys).perform()

    def tab_to(css: str, text: str = "") -> None:
        target = desk.at(css, text)
        for _ in range(80):
            if desk.browser.switch_to.active_element == target:
                return
            press(Keys.TAB)
        raise AssertionError(f"{css} is not reached by Tab")

    desk.leaving(lambda: press("n"))
    case = desk.case()
    assert case.state == "claimed"
    tab_to("[name=value-stock]")
    press("reserved"[:3])
    tab_to("[name=reason]")
    press("The customer takes another article.")
    tab_to("button[value=preview]")
    desk.leaving(lambda: press(Keys.ENTER))
    desk.shows("The instance runs again.")
    tab_to("button[value=apply]")
    desk.leaving(lambda: press(Keys.ENTER))
    desk.shows(f"Instance {case.wid} is repaired.")
    assert desk.status(case.wid) == "R"
    following = desk.case()
    assert following.number != case.number and following.state == "claimed", "the next one is on the screen"


def test_on_a_phone_a_declined_card_is_repaired_without_scrolling_sideways(desk: Desk) -> None:
    desk.browser.set_window_size(*PHONE)

    def narrow() -> None:
        wide = "return document.documentElement.scrollWidth > window.innerWidth"
        assert not desk.browser.execute_script(wide), desk.browser.current_url

    desk.open("cases/?flow=orders")
    narrow()
    desk.shows("Payment: Declined")
    desk.follow(GROUPS)
    narrow()
    desk.follow(CASES)
    wid = desk.number()
    narrow()
    desk.shows_first(".reasons li")
    desk.follow("button", "Fill in")
    desk.type("reason", "Another card is used.")
    desk.follow("button", "Preview")
    narrow()
    desk.shows("The instance runs again.")
    desk.follow("button", "Apply")
    desk.shows(f"Instance {wid} is repaired.")
    assert desk.status(wid) == "R"
