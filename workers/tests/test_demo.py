"""The demo's flows load, and their instances run and end as designed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from datetime import date
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from flows import api
from testkit.processes import Processes
from workers.demo.random_states import order
from workers.discovery import autodiscover

Db = Any


@pytest.fixture
def demo(dsn: str, connect: Any, django_db_blocker: Any) -> Any:
    with django_db_blocker.unblock():
        answers = [StringIO(), StringIO()]
        for answer in answers:
            call_command("loaddemo", stdout=answer)
        from django.db import connection

        connection.close()
    assert answers[1].getvalue().count("there already") == 4
    return connect()


def test_every_transition_of_the_demo_has_its_handler(demo: Db) -> None:
    registry = autodiscover()
    rows = demo.execute(
        "select f.name, t.trname from wedsql.trig t join wedsql.flow f on f.id = t.flow_id"
        " where f.name in ('fig2', 'counter', 'orders') and left(t.trname, 1) <> '_'"
    ).fetchall()
    assert len(rows) == 11
    assert [pair for pair in rows if registry.find(*pair) is None] == []


@pytest.mark.slow
def test_a_hundred_instances_come_to_rest(demo: Db, processes: Processes) -> None:
    begun = demo.execute("select coalesce(max(wid), 0) from wedsql.instance").fetchone()[0]
    simulation = processes.manage(
        "simulate",
        "--rate",
        "400",
        "--for",
        "1",
        "--seed",
        "7",
        WEDSQL_PROCESS="web",
        DATABASE_URL=processes.admin_uri,
    )
    assert simulation.wait(60) == 0, processes.output()
    more = {"WEDSQL_DEMO_SEED": "s"}
    flows = [word for name in ("fig2", "counter", "orders") for word in ("--flow", name)]
    for _ in range(3):
        assert processes.manage("wedworker", *flows, "--mode", "batch", "--once", **more).wait(60) == 0
    found = Counter(
        demo.execute(
            "select f.name, i.status::text from wedsql.instance i join wedsql.flow f on f.id = i.flow_id"
            " where i.wid > %s and f.name in ('fig2', 'counter', 'orders')",
            [begun],
        ).fetchall()
    )
    assert found["fig2", "F"] and found["counter", "F"] and found["orders", "F"], processes.output()
    assert not found["fig2", "R"] and not found["counter", "R"]
    assert sum(count for (_, status), count in found.items() if status in "FE") >= 0.8 * sum(found.values())


def seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311  # a simulation, not a secret


def test_the_same_seed_gives_the_same_results() -> None:
    today = date(2026, 1, 1)
    first, second = ([order(seeded(3), today) for _ in range(2)] for _ in range(2))
    assert first == second
    many = [order(chance, today) for chance in [seeded(1)] for _ in range(400)]
    assert 1 <= sum(one["country"] == "??" for one in many) <= 30
    assert {one["express"] for one in many} == {True, False}


@pytest.fixture
def shop(demo: Db, django_db_blocker: Any) -> Iterator[Any]:
    """The demo with the cases of its shop, which is dropped afterwards."""
    drop = "select wedsql.drop_flow('orders', true)"
    demo.execute(drop)
    answers = [StringIO(), StringIO()]
    with django_db_blocker.unblock():
        for answer in answers:
            call_command("loaddemo", cases=True, stdout=answer)
        from django.db import connection

        connection.close()
    assert "orders: 0 cases opened" in answers[1].getvalue()
    yield demo
    demo.execute(drop)


def test_the_shop_has_cases_of_thirteen_causes_and_some_that_are_repaired(shop: Db) -> None:
    groups = shop.execute("select cause, transition, open from wedsql.case_groups('{orders}')").fetchall()
    assert sorted(groups) == [
        ("ATTEMPTS", "tr_deliver", 6),
        ("ATTEMPTS", "tr_refund", 6),
        ("ATTEMPTS", "tr_ship", 24),
        ("COMPENSATION_FAILED", "tr_refund", 3),
        ("INTEGRITY", "tr_deliver", 4),
        ("LATE_RESULT", "tr_deliver", 2),
        ("STUCK", "tr_charge", 2),
        ("STUCK", "tr_invoice", 3),
        ("STUCK", "tr_invoice", 7),
        ("STUCK", "tr_invoice", 12),
        ("STUCK", "tr_reserve", 5),
        ("STUCK", "tr_reserve", 9),
        ("STUCK", "tr_reserve", 28),
    ]
    states = Counter(one.state for one in api.cases.list(["orders"], limit=500, conn=shop))
    assert states == {"new": 102, "claimed": 3, "waiting": 6}
    queues = {one.queue for one in api.cases.list(["orders"], limit=500, conn=shop)}
    assert queues == {"cards", "refunds", "delivery", "orders"}
    cards = api.cases.list(["orders"], {"queue": "cards"}, limit=100, conn=shop)
    assert {one.state for one in cards[:9]} == {"new"}, "what a reader opens first is held by no colleague"
    assert {one.state for one in cards[-9:]} == {"claimed", "waiting"}
    closed = api.cases.list(["orders"], closed=True, limit=500, conn=shop)
    assert Counter(one.reason_code for one in closed) == {
        "bank-transfer": 18, "nothing-to-do": 5, "address": 6, "carrier": 8,
    }  # fmt: skip
    ended = shop.execute(
        "select status::text, count(*) from wedsql.instance i join wedsql.repair_case c using (wid)"
        " where c.closed_at is not null and i.flow_id = c.flow_id group by 1"
    ).fetchall()
    assert ended == [("F", 37)]
    assert shop.execute("select name, example from wedsql.invariants() where not ok").fetchall() == []


def test_whoever_lowers_the_total_needs_the_approval_of_a_refund_too(shop: Db) -> None:
    (refund,) = [one for one in api.cases.groups(["orders"], conn=shop) if one.open == 7]
    wid = api.cases.read(refund.newest, conn=shop).wid
    for operation, given in (
        ("patch", {"changes": {"payment": "refunded"}}),
        ("patch", {"changes": {"total": 1}}),
        ("abort", {}),
        ("rollback", {"seq": 1}),
    ):
        seen = api.repairs.preview(wid, operation, given, actor="clerk", conn=shop)
        assert seen.approvals.needed == 1, operation
    other = api.cases.list(["orders"], {"queue": "orders"}, conn=shop)
    needed = {
        api.repairs.preview(one.wid, "patch", {"changes": {"total": 100}}, conn=shop).approvals.needed
        for one in other
        if one.transition == "tr_reserve"
    }
    assert needed == {0}, "an order without a total is not paid"
