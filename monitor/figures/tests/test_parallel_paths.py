"""The paths of the analysis: those that differ only in the order of parallel transitions are one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.test import Client

from flows import api
from monitor.figures import views
from monitor.tests.conftest import Parcels, alice, get, site, text_of
from monitor.tests.test_overview import numbers, rows_of

__all__ = ["alice", "site"]

Load = Callable[[str], str]
Connect = Callable[..., psycopg.Connection[Any]]

SHOP = """
insert into wed_attr (aname) values ('paid'), ('stock'), ('bill'), ('parcel');
insert into wed_trig (tgname, trname, cpred) values
  ('g1', 'charge', 'paid is null'), ('g2', 'reserve', 'stock is null'),
  ('g3', 'invoice', 'paid is not null and bill is null'),
  ('g4', 'ship', 'bill is not null and stock is not null and parcel is null');
insert into wed_trig (cpred, cfinal) values ('parcel is not null', true);
"""
WRITES = {"charge": "paid", "reserve": "stock", "invoice": "bill", "ship": "parcel"}

EITHER = """
insert into wed_attr (aname) values ('mode'), ('one'), ('two');
insert into wed_trig (tgname, trname, cpred) values
  ('g1', 'first', $$one is null and (mode in ('first', 'both') or two is not null)$$),
  ('g2', 'second', $$two is null and (mode in ('second', 'both') or one is not null)$$);
insert into wed_trig (cpred, cfinal) values ('one is not null and two is not null', true);
"""
REPAIRED = """
insert into wed_attr (aname) values ('mode'), ('one'), ('two');
insert into wed_trig (tgname, trname, cpred) values
  ('g1', 'first', $$one is null and mode = 'first'$$), ('g2', 'second', $$two is null and mode = 'second'$$);
insert into wed_trig (cpred, cfinal) values ('one is not null and two is not null', true);
"""
VALUES = {"first": "one", "second": "two"}


def walk(parcels: Parcels, order: str, writes: dict[str, str], **state: str) -> None:
    wid = parcels.start(**state)
    for name in order.split():
        parcels.do(name, wid, **{writes[name]: "yes"})


def paths_of(client: Client, flow: str) -> list[str]:
    """Return the rows of the paths as text, without times and notes; check that each number has its rows."""
    page = get(client, f"/flows/{flow}/analysis/?window=hour")
    for address, n in numbers(page).items():
        if "path%3A" in address:
            assert rows_of(client, address) == n, address
    part = page.partition('id="paths-title"')[2].partition("</table>")[0]
    return [text_of(row).partition("%")[0].strip() for row in re.split(r"<tr [^>]*>", part)[2:]]


@pytest.fixture
def shop(loaded: Load, connect: Connect, alice: Client) -> Parcels:
    return Parcels(loaded(SHOP), connect())


def test_orders_of_parallel_transitions_are_one_path(
    alice: Client, shop: Parcels, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of them is shown with its instances, also where one is reached only by several exchanges."""
    orders = ["charge invoice reserve ship"] * 3 + ["charge reserve invoice ship"] * 2
    for order in [*orders, "reserve charge invoice ship"]:
        walk(shop, order, WRITES)
    first, second, third = (" → ".join(each.split()) for each in (orders[0], orders[3], "reserve charge "
                                                                   "invoice ship"))  # fmt: skip
    shown = f"{first} in 3 sequences {first} 3 {second} 2 {third} 1"
    assert paths_of(alice, shop.flow) == [f"{shown} 6 100"]
    monkeypatch.setattr(views, "MOST_ORDERS", 2)
    shown = f"{first} in 3 sequences {first} 3 {second} 2 Not shown: 1"
    assert paths_of(alice, shop.flow) == [f"{shown} 6 100"]
    monkeypatch.setattr(views, "MAX_TEXT", 10)
    assert paths_of(alice, shop.flow) == [f"{shown} 6 100"]
    listed = numbers(get(alice, f"/flows/{shop.flow}/analysis/?window=hour"))
    assert sorted(n for address, n in listed.items() if "path%3A" in address) == [2, 3], "6 has no list"


def test_transitions_that_lead_to_one_another_are_not_parallel(
    loaded: Load, connect: Connect, alice: Client
) -> None:
    """Not even if their jobs were pending at the same time in other instances."""
    parcels = Parcels(loaded(EITHER), connect())
    for order in ("first second", "first second", "second first"):
        walk(parcels, order, VALUES, mode="both")
    both = "first → second in 2 sequences first → second 2 second → first 1 3 100"
    assert paths_of(alice, parcels.flow) == [both]
    walk(parcels, "second first", VALUES, mode="second")
    assert paths_of(alice, parcels.flow) == ["first → second 2 50", "second → first 2 50"]


def test_transitions_that_were_never_pending_together_are_not_parallel(
    loaded: Load, connect: Connect, alice: Client
) -> None:
    """Here a person decides on the order by a repair between them."""
    parcels = Parcels(loaded(REPAIRED), connect())
    for order in (("first", "second"), ("second", "first")):
        wid = parcels.start(mode=order[0])
        parcels.do(order[0], wid, **{VALUES[order[0]]: "yes"})
        api.repairs.repair(wid, "patch", {"changes": {"mode": order[1]}}, "It is next.")
        parcels.do(order[1], wid, **{VALUES[order[1]]: "yes"})
    assert paths_of(alice, parcels.flow) == ["first → second 1 50", "second → first 1 50"]
