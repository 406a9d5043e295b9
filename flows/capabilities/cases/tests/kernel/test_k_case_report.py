"""Reports of cases: counts over a period by one thing, and what a rule would have prevented."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from flows import api
from flows.capabilities.cases.reports import COUNTED_BY, ReportRow
from flows.capabilities.recovery.tests.kernel.test_k_suggestions import repaired, shop, stuck
from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

__all__ = ["shop"]
DAY = timedelta(days=1)


def report(kit: Kit, by: str, days: int = 2, **given: Any) -> list[ReportRow]:
    until = datetime.now(UTC) + DAY
    return api.cases.report(by, until - days * DAY, until, [kit.name], conn=kit.conn, **given)


def counts(kit: Kit, by: str) -> list[tuple[str, int, int, int]]:
    return [(one.value, one.cases, one.open, one.repaired) for one in report(kit, by)]


def test_cases_are_counted_by_one_thing(shop: Kit) -> None:
    assert [report(shop, by) for by in COUNTED_BY] == [[]] * len(COUNTED_BY)
    for _each in range(3):
        repaired(shop, payment="paid")
    wid = stuck(shop)
    (case,) = api.cases.list([shop.name], {"wid": wid}, conn=shop.conn)
    api.cases.change(case.number, {"queue": "cards", "reason_code": "declined"}, "ana", conn=shop.conn)
    api.instances.cancel(stuck(shop), "x", conn=shop.conn)
    assert counts(shop, "cause") == [("STUCK", 5, 1, 3)]
    assert counts(shop, "queue") == [("default", 4, 0, 3), ("cards", 1, 1, 0)]
    assert counts(shop, "reason_code") == [("", 4, 0, 3), ("declined", 1, 1, 0)]
    assert counts(shop, "repairer") == [("ana", 3, 0, 3)]
    assert counts(shop, "age") == [("hour", 1, 1, 0)]
    assert counts(shop, "flow") == [(shop.name, 5, 1, 3)]
    monday = datetime.now(UTC).date() - timedelta(days=datetime.now(UTC).weekday())
    assert counts(shop, "week") == [(monday.isoformat(), 5, 1, 3)]
    (row,) = report(shop, "cause")
    assert row.examined == 5 and row.median_seconds is not None and row.p90_seconds is not None
    assert 0 <= row.median_seconds <= row.p90_seconds
    with refused("WD514"):
        report(shop, "owner")


def test_a_reopened_case_and_old_ones(shop: Kit) -> None:
    api.repairs.repair(repaired(shop, payment="paid"), "undo", {}, "x", conn=shop.conn)
    old, older = stuck(shop), stuck(shop)
    for wid, days in ((old, 20), (older, 300)):
        shop.rows(
            "update wedsql.repair_case set opened_at = opened_at - %s where wid = %s", [days * DAY, wid]
        )
    assert [(one.cases, one.reopened) for one in report(shop, "cause")] == [(1, 1)]
    assert [one.cases for one in report(shop, "cause", 360)] == [3]
    weeks = [date.fromisoformat(one.value) for one in report(shop, "week", 360)]
    assert len(weeks) == 3 and weeks == sorted(weeks, reverse=True)
    assert {one.weekday() for one in weeks} == {0}, "the newest week first, named by its Monday"
    ages = [(one.value, one.cases) for one in report(shop, "age", 360)]
    assert ages == [("hour", 1), ("month", 1), ("older", 1)]
    shop.rows("update wedsql.repair_case set opened_at = opened_at - %s where wid = %s", [70 * DAY, older])
    assert [one.cases for one in report(shop, "cause", 360)] == [2]
    with refused("WD514") as why:
        report(shop, "cause", 400)
    assert "at most 367 days" in why.message


def test_cases_of_flows_that_are_not_seen_are_not_counted(shop: Kit) -> None:
    stuck(shop)
    until = datetime.now(UTC) + DAY
    for by in (*COUNTED_BY, "signature"):
        assert api.cases.report(by, until - 2 * DAY, until, [], conn=shop.conn) == []
        assert api.cases.report(by, until - 2 * DAY, until, ["other"], conn=shop.conn) == []
    assert api.repairs.preventable_cases(until - 2 * DAY, until, [], conn=shop.conn) == []


def test_what_a_rule_would_have_prevented(shop: Kit) -> None:
    for _each in range(2):
        shop.run("tr_ship", repaired(shop, payment="paid"), payment="sent")
    stuck(shop)
    stuck(shop, "unknown")
    api.cases.sign(conn=shop.conn)
    until = datetime.now(UTC) + DAY
    (found,) = api.repairs.preventable_cases(until - 2 * DAY, until, [shop.name], conn=shop.conn)
    assert (found.cases, found.repair.values, found.repair.final) == (4, {"payment": "paid"}, 2)
    assert found.newest.cause == "STUCK"
    assert found.rule is not None and found.rule.prevents == 4
    assert found.rule.condition == (
        "payment is not null and not (payment = 'paid') and not (payment = 'sent')"
    ), "two values are not one"


def test_the_plan_reads_the_period_only(shop: Kit) -> None:
    repaired(shop, payment="paid")
    shop.rows("insert into wedsql.repair_case (flow_id, wid, cause, transition, seq, state, opened_at,"
              " opened_seq, closed_at, closed_by)"
              " select c.flow_id, c.wid, c.cause, c.transition, c.seq, c.state,"
              " c.opened_at - n * interval '1 hour', c.opened_seq, c.closed_at, c.closed_by"
              " from wedsql.repair_case c, generate_series(1, 20000) n"
              " where c.flow_id = %s", [shop.id])  # fmt: skip
    shop.rows("analyze wedsql.repair_case")
    plan = shop.rows("explain select o.* from wedsql.repair_case o where o.flow_id = any (array[%s::integer])"
                     " and o.opened_at < now() and o.opened_at >= now() - interval '2 days'"
                     " order by o.opened_at desc limit 100000", [shop.id])  # fmt: skip
    assert "repair_case_opened" in "\n".join(str(line) for line in plan)
    assert [one.cases for one in report(shop, "cause")] == [24]
