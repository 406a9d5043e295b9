"""Each kind of exception of the demo shop is repaired from the list by pages alone. For clicks and seconds:

.venv/bin/python -m pytest -s tests/browser/design/test_time_trial.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from selenium import webdriver
from selenium.webdriver.common.by import By

from flows import api
from testkit.cases import some
from tests.browser.conftest import LogIn, wait_in
from tests.browser.work.test_clerks_day import CASES, Desk, desk

__all__ = ["desk"]

ROWS = "section[aria-labelledby=groups-title] tbody tr"
PREVIEW, APPLY, FILL = "button[value=preview]", "button[value=apply]", "button[name=fill]"
MOST_CLICKS = 9
MOST_OF = {"declined card": 4}


@dataclass
class Hand:
    """A person at the pages, whose clicks and typed fields are counted; `other` approves."""

    desk: Desk
    other: Desk
    clicks: int = 0
    typed: int = 0

    def follow(self, css: str, text: str = "", desk: Desk | None = None) -> None:
        self.clicks += 1
        (desk or self.desk).follow(css, text)

    def open_case(self, *group: str) -> None:
        """Open the first case of the group in whose row all these texts are."""

        def row(page: webdriver.Chrome) -> object:
            rows = page.find_elements(By.CSS_SELECTOR, ROWS)
            found = (one for one in rows if all(text in one.text for text in group))
            return next((one.find_element(By.CSS_SELECTOR, "th a") for one in found), None)

        self.clicks += 1
        self.desk.leaving(wait_in(self.desk.browser, row).click)
        self.follow(CASES)

    def choose(self, name: str, value: str) -> None:
        self.clicks += 2
        self.desk.at(f"[name=value-{name}] option[value={value}]").click()

    def type(self, name: str, text: str) -> None:
        self.typed += 1
        self.desk.type(name, text)

    def apply(self, reason: str, button: str = APPLY) -> None:
        self.type("reason", reason)
        self.follow(PREVIEW)
        self.follow(button)


def fill(hand: Hand) -> None:
    """Fill in what a rule needs, which shows what would happen, and apply it."""
    hand.follow(FILL)
    hand.type("reason", "As in cases before.")
    hand.follow(APPLY)


def accept(hand: Hand) -> None:
    hand.follow("nav.tabs a", "Accept as it is")
    hand.apply("Nothing was paid, nothing is sent.")


def refund(hand: Hand) -> None:
    """Propose the refund, which another person approves."""
    hand.choose("payment", "refunded")
    hand.apply("The article is sold out.", "button[value=propose]")
    hand.other.open("cases/?flow=orders")
    hand.follow("nav.tabs a", "Approvals", hand.other)
    hand.follow("section[aria-labelledby=proposals-title] th a", "", hand.other)
    hand.follow("button", "Approve", hand.other)


def retry(hand: Hand) -> None:
    hand.follow("a.button", "Retry now")
    hand.type("reason", "The cause is gone.")
    hand.follow("form.operate button.primary")


def total(hand: Hand) -> None:
    hand.type("value-total", "100")
    hand.apply("The customer was asked.")


def items(hand: Hand) -> None:
    hand.type("value-items", "1")
    hand.apply("The customer was asked.")


def enter_delivery(hand: Hand) -> None:
    hand.follow("a.button", "Enter the result")
    hand.typed += 1
    hand.desk.at("[name=value-delivered_on]").send_keys("12312027")
    hand.apply("The courier was called by phone.")


def correct_the_date(hand: Hand) -> None:
    """Enter when the parcel was delivered: a date is a fact, which nothing proposes."""
    hand.typed += 1
    hand.desk.at("[name=value-delivered_on]").send_keys("12312027")
    hand.apply("The courier was called by phone.")


def take_over(hand: Hand) -> None:
    hand.follow("a.button", "Take over")
    hand.apply("The bank has the money.")


def discard(hand: Hand) -> None:
    hand.follow("a.button", "Discard")
    hand.apply("The first report is right.")


# Each with texts of the row of its group, what a person does, and the status of the instance afterwards.
KINDS: dict[str, tuple[tuple[str, ...], Callable[[Hand], None], str]] = {
    "declined card": (("Reserve the articles", "Payment: Declined · Stock: Reserved"), fill, "R"),
    "wrong address": (("Country of delivery: ??",), fill, "R"),
    "declined and sold out": (("Payment: Declined · Stock: Sold out",), accept, "F"),
    "refund for two people": (("Total: 698",), refund, "F"),
    "carrier fails": (("503 Service Unavailable",), retry, "R"),
    "bank fails": (("attempts used up", "Pay the money back"), retry, "R"),
    "recipient not at home": (("not at home",), enter_delivery, "F"),
    "no total": (("Total: empty",), total, "R"),
    "no articles": (("Articles: 0",), items, "R"),
    "delivered before it was ordered": (("integrity violated",), correct_the_date, "F"),
    "compensation fails": (("compensation failed",), retry, "X"),
    "late result taken over": (("no rule applies", "Charge the card"), take_over, "R"),
    "late result discarded": (("late result",), discard, "F"),
}


def test_each_kind_of_exception_is_repaired_from_the_list_in_a_few_clicks(
    desk: Desk, second: webdriver.Chrome, log_in: LogIn
) -> None:
    log_in(second, "approver", "/cases/")
    print(f"\n{'exception':32} clicks  fields  seconds")
    for title, (group, repair, status) in some(KINDS.items(), 3):
        hand = Hand(desk, replace(desk, browser=second))
        desk.open("cases/?flow=orders")
        begun = time.monotonic()
        hand.open_case(*group)
        case = desk.case()
        repair(hand)
        seconds = time.monotonic() - begun
        print(f"{title:32} {hand.clicks:6}  {hand.typed:6}  {seconds:7.1f}")
        assert desk.status(case.wid) == status, title
        assert status == "X" or api.cases.read(case.number, conn=desk.connection).closed_at, title
        assert hand.clicks <= MOST_OF.get(title, MOST_CLICKS), title
