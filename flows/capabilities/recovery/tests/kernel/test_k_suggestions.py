"""Suggestions: what repaired the closed cases of the same signature, and what became of their instances."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from flows import api
from flows.capabilities.recovery.suggestions import Suggestion
from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("payment", "note")
    kit.trig("tr_pay", "payment is null")
    kit.trig("tr_ship", "payment = 'paid'")
    kit.final("payment = 'sent'")
    return kit


def stuck(kit: Kit, payment: str = "declined") -> int:
    wid = kit.start()
    kit.run("tr_pay", wid, payment=payment)
    return wid


def repaired(kit: Kit, **changes: Any) -> int:
    wid = stuck(kit)
    api.repairs.repair(wid, "patch", {"changes": changes}, "x", actor="ana", conn=kit.conn)
    return wid


def suggested(kit: Kit) -> list[Suggestion]:
    """Return what is suggested for a new exception."""
    wid = stuck(kit)
    api.cases.sign(conn=kit.conn)
    (case,) = api.cases.list([kit.name], {"wid": wid}, conn=kit.conn)
    return api.repairs.suggestions(case.number, conn=kit.conn)


def test_repairs_are_grouped_by_what_they_wrote_with_their_success(shop: Kit) -> None:
    assert suggested(shop) == []
    done = [repaired(shop, payment="paid") for _ in range(3)]
    for wid in done[:2]:
        shop.run("tr_ship", wid, payment="sent")
    for note in ("a", "b"):
        repaired(shop, payment="paid", note=note)
    api.repairs.repair(stuck(shop), "accept", {}, "x", conn=shop.conn)
    api.instances.cancel(stuck(shop), "x", conn=shop.conn)
    stuck(shop, "unknown")
    found = suggested(shop)
    shown = [(one.operation, one.attributes, one.values, one.cases, one.final) for one in found]
    assert shown == [
        ("patch", ["payment"], {"payment": "paid"}, 3, 2),
        ("accept", [], {}, 1, 1),
        ("patch", ["note", "payment"], {"payment": "paid"}, 2, 0),
    ]
    assert all(one.is_thin for one in found) and found[0].median_seconds >= 0
    assert len(set(found[0].numbers)) == 3 and len({one.key for one in found}) == 3
    closed = api.cases.list([shop.name], closed=True, conn=shop.conn)
    assert {one.number for one in closed if one.wid in done} == set(found[0].numbers)
    assert found[0].last_at == max(one.closed_at for one in closed if one.wid in done and one.closed_at)


def test_a_case_of_another_flow_is_unknown_and_counts_for_nothing(shop: Kit) -> None:
    repaired(shop, payment="paid")
    wid = stuck(shop)
    (case,) = api.cases.list([shop.name], {"wid": wid}, conn=shop.conn)
    for number, flows in ((case.number, ["other"]), (10**9, None)):
        with refused("WD515"):
            api.repairs.suggestions(number, flows, conn=shop.conn)
    assert api.repairs.suggestions(case.number, [shop.name], conn=shop.conn) == [], "it has no signature yet"


def test_what_was_undone_is_no_repair_and_what_is_old_is_left_out(shop: Kit) -> None:
    wid = repaired(shop, payment="paid")
    api.repairs.repair(wid, "undo", {}, "x", conn=shop.conn)
    assert suggested(shop) == []
    repaired(shop, payment="paid")
    assert [one.cases for one in suggested(shop)] == [1]
    assert [one.is_thin for one in suggested(shop)] == [True]
    shop.rows("update wedsql.repair_case set closed_at = closed_at - %s where flow_id = %s",
              [timedelta(days=367), shop.id])  # fmt: skip
    assert suggested(shop) == []


def test_the_plan_with_many_closed_cases_reads_only_those_alike(shop: Kit) -> None:
    repaired(shop, payment="paid")
    wid = stuck(shop)
    api.cases.sign(conn=shop.conn)
    shop.rows("insert into wedsql.repair_case (flow_id, wid, cause, transition, signature, signed_seq, seq,"
              " state, opened_at, opened_seq, closed_at, closed_by)"
              " select c.flow_id, c.wid, c.cause, c.transition, md5((n %% 100)::text), c.seq, c.seq, c.state,"
              " c.opened_at, c.opened_seq, c.closed_at, c.closed_by"
              " from wedsql.repair_case c, generate_series(1, 20000) n"
              " where c.flow_id = %s and c.closed_at is not null", [shop.id])  # fmt: skip
    shop.rows("analyze wedsql.repair_case")
    plan = shop.rows("explain select o.* from wedsql.repair_case o where o.flow_id = %s and o.signature = 'x'"
                     " and o.signature <> '' and o.closed_at is not null"
                     " and o.closed_at > wedsql.now() - interval '1 year'"
                     " order by o.closed_at desc limit 1000", [shop.id])  # fmt: skip
    text = "\n".join(str(line) for line in plan)
    assert "repair_case_alike" in text and "Sort" not in text
    (case,) = api.cases.list([shop.name], {"wid": wid}, conn=shop.conn)
    assert [one.cases for one in api.repairs.suggestions(case.number, conn=shop.conn)] == [1]
