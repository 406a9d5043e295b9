"""Six questions of an operator, each answered in at most two clicks or keys from the overview."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from monitor.tests.conftest import Parcels
from testkit.waiting import until_counted
from testkit.web import WebServer
from tests.browser.conftest import Login, Wait

Browser = webdriver.Chrome
MOST = 2
SERVED = ("tr_charge", "tr_reserve", "tr_restock", "tr_invoice", "tr_deliver", "tr_refund")
# What a delivered order did yesterday: each step, how many seconds after noon. tr_ship took 40 minutes.
YESTERDAY = {1: 0, 2: 4, 3: 6, 4: 9, 5: 2_404, 6: 2_410}


@dataclass
class Shop(Parcels):
    """The orders of a small shop, as they are on a usual day."""

    def deliver_yesterday(self, customer: str) -> int:
        """Return an order that was delivered yesterday."""
        order = self.start(customer=customer, total=80)
        self.do("tr_charge", order, payment="paid")
        self.do("tr_reserve", order, stock="reserved")
        self.do("tr_invoice", order, invoice=f"INV-{order}")
        self.do("tr_ship", order, parcel="BR 1")
        self.do("tr_deliver", order, delivered_on="2026-11-20")
        self.connection.execute(
            "update wedsql.wed_trace set tstmp = date_trunc('day', now(), 'UTC') - interval '12 hours'"
            " + make_interval(secs => (%s::integer[])[seq]) where wid = %s",
            [list(YESTERDAY.values()), order],
        )
        return order

    def decline(self, customer: str, minutes: int) -> int:
        """Return an order of which the card was declined so many minutes ago."""
        order = self.start(customer=customer, total=30)
        self.do("tr_reserve", order, stock="reserved")
        self.do("tr_charge", order, payment="declined")
        self._move("wedsql.instance set changed_at = changed_at", order, minutes)
        self._move("wedsql.job_pool set fired_at = fired_at", order, minutes)
        return order

    def ship(self, customer: str) -> int:
        """Return an order that waits to be handed over to the carrier, for an hour."""
        order = self.start(customer=customer, total=12)
        self.do("tr_reserve", order, stock="reserved")
        self.do("tr_charge", order, payment="paid")
        self.do("tr_invoice", order, invoice="INV-2026-17")
        self._move("wedsql.job_pool set fired_at = fired_at", order, 60)
        return order

    def _move(self, change: str, order: int, minutes: int) -> None:
        moved = f"update {change} - make_interval(mins => %s) where wid = %s"
        self.connection.execute(moved, [minutes, order])


@pytest.fixture
def shop(loaded: Callable[[str], str], connect: Callable[..., psycopg.Connection[Any]]) -> Iterator[Shop]:
    """A shop of which all transitions but one have a worker."""
    found = Shop(loaded("orders"), connect())
    serves = [[f"{found.flow}:{name}" for name in SERVED]]
    register = "select wedsql.register_worker('cluster', 'clerk', 'here', 1, %s)"
    (worker,) = found.connection.execute(register, serves).fetchone() or (0,)
    yield found
    found.connection.execute("select wedsql.unregister_worker(%s)", [worker])


@dataclass
class Operator:
    """An operator on the overview, with two clicks or keys."""

    browser: Browser
    wait: Wait
    used: int = 0

    def click(self, path: str) -> None:
        """Click the link of this XPath, and wait for the page behind it."""
        before = self.browser.current_url
        self._use()
        self.wait(lambda page: page.find_element(By.XPATH, path)).click()
        self.wait(lambda page: page.current_url != before)

    def search(self, wanted: str) -> None:
        """Open the search by Ctrl-K, type, and press Enter at once: the first result opens."""
        before = self.browser.current_url
        self._use()
        keys = webdriver.ActionChains(self.browser)
        keys.key_down(Keys.CONTROL).send_keys("k").key_up(Keys.CONTROL).send_keys(wanted).perform()
        self._use()
        webdriver.ActionChains(self.browser).send_keys(Keys.ENTER).perform()
        self.wait(lambda page: page.current_url != before)

    def reads(self, selector: str, *expected: str) -> bool:
        """Return whether an element of the page gets all of these texts."""
        shown = "return document.querySelector(arguments[0])?.innerText ?? ''"
        with suppress(TimeoutException):
            self.wait(lambda page: all(each in page.execute_script(shown, selector) for each in expected), 20)
        found = self.browser.execute_script(shown, selector)
        assert not [each for each in expected if each not in found], found
        return True

    def _use(self) -> None:
        self.used += 1
        assert self.used <= MOST, "more than two clicks"


@pytest.fixture
def operator(browser: Browser, shop: Shop, login: Login, wait: Wait, server: WebServer) -> Iterator[Operator]:
    """The operator in front of a shop in which every question has an answer, and others that are not it."""
    shop.deliver_yesterday("Yara")
    shop.deliver_yesterday("Yuri")
    for customer, minutes in (("Olga", 300), ("Otto", 90), ("Rita", 40), ("Rosa", 5)):
        shop.decline(customer, minutes)
    shop.ship("Wanda")
    shop.start(customer="Willi", total=10)
    until_counted(shop.connection)
    login("alice", "/")
    yield Operator(browser, wait)
    browser.get("about:blank")  # before the flow is dropped


def order_of(shop: Shop, customer: str) -> int:
    found = f"select wid from {shop.flow}.wed_flow where customer = %s"
    (wid,) = shop.connection.execute(found, [customer]).fetchone() or (0,)
    return int(wid)


def row_of(shop: Shop) -> str:
    return f"//tr[@id='flow-{shop.flow_id}']"


def test_what_is_the_oldest_exception(operator: Operator, shop: Shop) -> None:
    operator.click("//li[span='Exceptions']//a[contains(@href, '/instances/') and not(contains(@href, '?'))]")
    assert operator.browser.current_url.endswith(f"/instances/{order_of(shop, 'Olga')}/")
    assert operator.reads("main", "Olga", "Exception", "Declined")


@pytest.mark.parametrize("typed", ["INV-2026-17", "inv-2026-1", "Wanda"])
def test_which_instance_has_this_business_key(operator: Operator, shop: Shop, typed: str) -> None:
    operator.search(typed)
    assert operator.browser.current_url.endswith(f"/instances/{order_of(shop, 'Wanda')}/")
    assert operator.reads("main", "Wanda", "INV-2026-17")


def test_why_does_this_one_wait(operator: Operator, shop: Shop) -> None:
    wanda = order_of(shop, "Wanda")
    operator.click("//li[span='Jobs waiting']/a")
    operator.click(f"//tbody//a[@href='/instances/{wanda}/']")
    assert operator.reads(".standing", "Hand over to the carrier", "No worker serves this transition.")


def test_which_transition_has_no_worker(operator: Operator, shop: Shop) -> None:
    assert operator.reads(".verdict", "No worker for Hand over to the carrier")
    operator.click(f"{row_of(shop)}//a[contains(., 'transition without a worker')]")
    assert operator.reads("#unserved", "No worker has registered for Hand over to the carrier")
    assert "Charge the card" not in operator.browser.find_element(By.ID, "unserved").text


def test_what_was_the_slowest_transition_yesterday(operator: Operator, shop: Shop) -> None:
    operator.click(f"{row_of(shop)}//a[contains(@href, '/analysis/')]")
    operator.click("//a[normalize-space()='Yesterday']")
    assert operator.reads("main", "Slowest transition: Hand over to the carrier", "95 of 100 took up to")


def test_which_payments_were_declined_in_the_last_hour(operator: Operator, shop: Shop) -> None:
    operator.search("payment:declined since:1h")
    expected = {str(order_of(shop, name)) for name in ("Rita", "Rosa")}
    listed = "return [...document.querySelectorAll('#rows tr')].map(row => row.dataset.wid)"
    found = set(operator.wait(lambda page: page.execute_script(listed)))
    assert found & set(map(str, shop.wids)) == expected  # other tests leave such instances, too
    assert operator.reads("main", "payment:declined")
