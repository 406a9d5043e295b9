"""What clerks and operators read has the words of business: no codes, and no terms of the engine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import psycopg
import pytest
from django.test import Client

from flows import api
from monitor.tests.conftest import Parcels, client_of, person, text_of
from monitor.tests.test_overview import count

# Words of the engine, and names of transitions of the demo, each of which has a label.
ENGINE = (
    "reaper", "lease", "leases", "leased", "parked", "parks", "signature", "signatures", "matched", "fired",
    "fires", "null", "commit", "commits", "committed",
)  # fmt: skip
CODES = re.compile(r"\btr_\w+|\b_[A-Z]{3,}\w*|\b(?:ATTEMPTS|STUCK|INTEGRITY|FINAL_BLOCKED|REMATCH)\b|:=")
WORDS = re.compile(rf"\b(?:{'|'.join(ENGINE)})\b", re.IGNORECASE)
PAGES = (
    "/", "/flows/{f}/", "/flows/{f}/jobs/", "/flows/{f}/jobs/?state=parked", "/flows/{f}/picture/",
    "/flows/{f}/analysis/", "/flows/{f}/start/", "/flows/{f}/slas/", "/flows/{f}/signals/",
    "/flows/{f}/webhooks/", "/instances/", "/instances/?q=status:exception",
    "/instances/{declined}/", "/instances/{declined}/?view=timeline", "/instances/{declined}/steps/2/",
    "/instances/{declined}/why/", "/instances/{declined}/repair/", "/instances/{parked}/",
    "/instances/{parked}/why/", "/instances/{parked}/repair/", "/instances/{parked}/cancel/",
    "/instances/{final}/", "/instances/{parked}/operate/suspend/", "/instances/{running}/",
    "/instances/{running}/why/", "/instances/{running}/repair/",
    "/cases/", "/cases/?show=closed", "/cases/approvals/", "/cases/reports/", "/exceptions/", "/errors/",
    "/errors/{error}/", "/alerts/", "/counted/?of=pending", "/counted/?of=late", "/messages/", "/tasks/",
    "/views/", "/bulk/", "/workers/", "/nope/",
)  # fmt: skip


@pytest.fixture
def orders(
    loaded: Callable[[str], str], connect: Callable[..., psycopg.Connection], site: None
) -> Iterator[tuple[Parcels, dict[str, int]]]:
    """The shop of the demo with an instance of each kind."""
    shop = Parcels(loaded("orders"), connect())
    places = {"declined": shop.start(customer="Bruno", total=30)}
    shop.do("tr_charge", places["declined"], payment="declined")
    shop.do("tr_reserve", places["declined"], stock="reserved")
    places["parked"] = shop.start(customer="Carla", total=5)
    shop.park("tr_charge", places["parked"], "cards.Down: the card company does not answer")
    places["final"] = shop.start(customer="Eva", total=7)
    api.instances.cancel(places["final"], "ordered twice", actor="x", conn=shop.connection)
    places["running"] = shop.start(customer="Ana", total=12)
    count(shop)
    found = "select min(failure_id) from wedsql.failure_instance where wid = %s"
    places["error"] = shop._one(found, places["parked"])
    yield shop, places


@pytest.fixture(params=["clerk", "operator"])
def reader(request: pytest.FixtureRequest, orders: tuple[Parcels, dict[str, int]]) -> Client:
    flow = orders[0].flow
    groups = {"clerk": [f"flow:{flow}:handle"], "operator": [f"flow:{flow}", f"flow:{flow}:operate"]}
    return client_of(person(request.param, *groups[request.param]))


def shown(client: Client, address: str, without: str = "code|textarea|kbd|option") -> str:
    """Return what a reader sees: the texts of a page, without those for scripts and the names of filters."""
    html = client.get(address).content.decode()
    html = re.sub(rf"<({without})\b.*?</\1>", " ", html, flags=re.DOTALL)
    return text_of(
        re.sub(r"<head>.*?</head>|<details class=\"technical\".*?</details>", " ", html, flags=re.DOTALL)
    )


def around(text: str, pattern: re.Pattern[str]) -> list[str]:
    """Return each place where a pattern is found, with what surrounds it."""
    return [text[max(0, at.start() - 40) : at.end() + 30] for at in pattern.finditer(text)]


def test_clerks_and_operators_read_no_codes(reader: Client, orders: tuple[Parcels, dict[str, int]]) -> None:
    shop, places = orders
    found = {}
    for page in PAGES:
        address = page.format(f=shop.flow, **places)
        found[page] = around(shown(reader, address), CODES)

    assert {page: each for page, each in found.items() if each} == {}


def test_clerks_and_operators_read_no_terms_of_the_engine(
    reader: Client, orders: tuple[Parcels, dict[str, int]]
) -> None:
    shop, places = orders
    found = {}
    for page in PAGES:
        address = page.format(f=shop.flow, **places)
        found[page] = around(shown(reader, address), WORDS)

    assert {page: each for page, each in found.items() if each} == {}


# The options of two attributes of the demo, each of which has a label that is another word.
OPTIONS = {
    "payment": {"paid": "Money came", "declined": "Card rejected", "refunded": "Money back"},
    "stock": {"reserved": "Put by", "short": "Too few", "sold_out": "All gone"},
}
CODES_OF_OPTIONS = re.compile(rf"\b(?:{'|'.join(code for each in OPTIONS.values() for code in each)})\b")


@pytest.fixture
def labelled(orders: tuple[Parcels, dict[str, int]]) -> None:
    """The options have labels of which none is the option, in English."""
    shop = orders[0]
    for name, labels in OPTIONS.items():
        lines = [f"{code} = {label}" for code, label in labels.items()]
        shop.connection.execute(
            "update wedsql.attr a set option_labels = %s from wedsql.flow f"
            " where f.id = a.flow_id and f.name = %s and a.aname = %s",
            [lines, shop.flow, name],
        )


@pytest.mark.usefixtures("labelled")
def test_options_are_shown_by_their_labels_everywhere(
    reader: Client, orders: tuple[Parcels, dict[str, int]]
) -> None:
    shop, places = orders
    found, labels = {}, set()
    filters = ("/flows/{f}/?q=payment:declined", "/flows/{f}/?q=stock:reserved&columns=payment&columns=stock")
    for page in (*PAGES, *filters):
        text = shown(reader, page.format(f=shop.flow, **places), "code|textarea|kbd")
        found[page] = around(text, CODES_OF_OPTIONS)
        labels |= {label for each in OPTIONS.values() for label in each.values() if label in text}

    assert {page: each for page, each in found.items() if each} == {}
    assert {"Card rejected", "Put by"} <= labels, "the pages show values of options"
