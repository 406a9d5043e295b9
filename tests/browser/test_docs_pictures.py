"""The pictures of the documentation, taken of a shop with orders. To write them:

WEDSQL_WRITE_PICTURES=1 .venv/bin/python -m pytest tests/browser/test_docs_pictures.py
"""

from __future__ import annotations

import base64
import copy
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from flows import api
from monitor.tests.conftest import Parcels
from testkit.web import WebServer
from tests.browser.conftest import Login, Wait
from tests.browser.design.test_time_trial import Hand
from tests.browser.work.test_clerks_day import CASES, Desk, desk

__all__ = ["desk"]

BASE = Path(__file__).parents[2]
IMAGES = BASE / "docs" / "images"
LARGEST = 120_000
ORDERS = (BASE / "workers" / "demo" / "flows" / "orders.sql").read_text()
# The address of each picture, its height, and what is there once the page is complete.
PICTURES = {
    "instance": ("/instances/{declined}/", 1060, "#live[data-state=live]"),
    "monitoring-flow": ("/flows/orders/", 1160, "#live[data-state=live]"),
    "monitoring-timeline": ("/instances/{done}/?view=timeline", 1240, "#live[data-state=live]"),
    "design-rule": ("/admin/flows/flow/{id}/design/?rule=5", 1000, "#panel .condition-sentence"),
    "design-picture": ("/admin/flows/flow/{id}/picture/", 860, "#picture .node"),
    "design-try": (
        '/admin/flows/flow/{id}/try/?state={{"total":30}}',
        900,
        ".trial-state button[value=start]",
    ),
    "design-publish": ("/admin/flows/flow/{id}/publish/", 860, "#impact .panel, #impact table"),
}

# The pictures of cases, each with its height.
DESK_PICTURES = {
    "repairing-cases": 860,
    "repairing-case": 1320,
    "repairing-late": 1080,
    "repairing-proposal": 560,
}


@pytest.fixture
def shop(connect: Callable[..., psycopg.Connection[Any]]) -> Iterator[Parcels]:
    """The shop of the demo, under its own name, with orders in every status and a draft."""
    session = connect()
    # The file's BEGIN takes the statements before it into its transaction, so that this is one version.
    session.execute("select wedsql.create_flow('orders'); set search_path = orders, wedsql;" + ORDERS)
    session.execute("reset search_path")
    session.execute("update wedsql.flow set label = 'Orders of a small shop' where name = 'orders'")
    orders = Parcels("orders", session)
    for number, customer in enumerate(("Ana Costa", "Hugo Vidal", "Grace Pires", "Kenji Gomes")):
        deliver(orders, orders.start(customer=customer, total=30 + 12.5 * number, items=number + 1))
    orders.start(customer="Lúcia Ferraz", total=72, items=3, country="PT")
    declined = orders.start(customer="Fábio Barros", total=19.8, items=2)
    orders.do("tr_charge", declined, payment="declined")
    orders.do("tr_reserve", declined, stock="reserved")
    open_draft(session)
    served = session.execute(
        "select array_agg('orders:' || trname) from orders.wed_trig where left(trname, 1) <> '_'"
    ).fetchone()
    session.execute("select wedsql.register_worker('cluster', 'shop', 'example', 1, %s)", served)
    yield orders
    session.execute("delete from wedsql.worker where name = 'shop'")
    session.execute("select wedsql.drop_flow('orders', true)")
    session.execute("delete from wedsql.draft where flow = 'orders'")


def deliver(orders: Parcels, order: int) -> None:
    """Perform every step of an order, so that it ends."""
    orders.do("tr_charge", order, payment="paid")
    orders.do("tr_reserve", order, stock="reserved")
    orders.do("tr_invoice", order, invoice=f"2026-{order}")
    orders.do("tr_ship", order, parcel=f"BR {order}")
    orders.do("tr_deliver", order, delivered_on="2026-11-20")


def open_draft(session: psycopg.Connection[Any]) -> None:
    """Open a draft that sends orders that are not express later."""
    draft = api.drafts.open("orders", actor="alice", conn=session)
    changed = copy.deepcopy(draft.definition)
    changed["triggers"][4]["predicate"] += " and (express or items > 2)"
    api.drafts.save(
        draft.at, changed, summary="Hand over to the carrier: condition", actor="alice", conn=session
    )


def test_the_pictures_of_the_documentation_can_be_taken_again(
    browser: webdriver.Chrome, server: WebServer, shop: Parcels, login: Login, wait: Wait, tmp_path: Path
) -> None:
    folder = IMAGES if os.environ.get("WEDSQL_WRITE_PICTURES") else tmp_path
    login("alice", "/")
    places = {"id": shop.flow_id, "declined": shop.wids[-1], "done": shop.wids[0]}
    for name, (path, height, complete) in PICTURES.items():
        sizes = {"width": 1280, "height": height, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", sizes)
        browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        browser.get(server.url + path.format_map(places)[1:])
        wait(lambda page, complete=complete: page.find_elements(By.CSS_SELECTOR, complete), 60)
        if name == "design-try":
            browser.find_element(By.CSS_SELECTOR, complete).click()
            wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".trial .rule"), 60)
        taken = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "webp", "quality": 82})
        (folder / f"{name}.webp").write_bytes(base64.b64decode(taken["data"]))
        assert (folder / f"{name}.webp").stat().st_size < LARGEST
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_pictures_of_cases_can_be_taken_again(desk: Desk, tmp_path: Path) -> None:
    picture(desk.browser, "repairing-cases", tmp_path)
    desk.open("cases/?flow=orders&queue=cards")
    desk.follow(CASES)
    desk.at("[name=value-payment] option[value=paid]").click()
    desk.type("reason", "Paid by bank transfer.")
    desk.follow("button", "Preview")
    picture(desk.browser, "repairing-case", tmp_path)
    hand = Hand(desk, desk)
    desk.open("cases/?flow=orders")
    hand.open_case("no rule applies", "Charge the card")
    hand.follow("a.button", "Take over")
    desk.type("reason", "The bank has the money.")
    desk.follow("button", "Preview")
    picture(desk.browser, "repairing-late", tmp_path)
    desk.open("cases/?flow=orders")
    hand.open_case("Total: 698")
    hand.choose("payment", "refunded")
    hand.apply("The article is sold out.", "button[value=propose]")
    picture(desk.browser, "repairing-proposal", tmp_path)


def picture(browser: webdriver.Chrome, name: str, scratch: Path) -> None:
    """Take a picture of the page that is shown."""
    folder = IMAGES if os.environ.get("WEDSQL_WRITE_PICTURES") else scratch
    sizes = {"width": 1280, "height": DESK_PICTURES[name], "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", sizes)
    browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    browser.execute_script("scrollTo(0, 0)")
    taken = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "webp", "quality": 82})
    (folder / f"{name}.webp").write_bytes(base64.b64decode(taken["data"]))
    assert (folder / f"{name}.webp").stat().st_size < LARGEST
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_documentation_shows_exactly_these_pictures() -> None:
    pages = [BASE / "README.md", *(BASE / "docs").glob("*.md")]
    shown = {name for page in pages for name in re.findall(r"images/([\w-]+)\.webp\)", page.read_text())}
    assert shown == set(PICTURES) | set(DESK_PICTURES) == {path.stem for path in IMAGES.glob("*.webp")}
    assert list(IMAGES.glob("*.png")) == []
