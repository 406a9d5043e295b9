"""Repairs of many instances (R16): exactly those that were confirmed, at their steps, once each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from flows import api
from flows.capabilities.approvals.api import ApprovalRule
from flows.capabilities.bulk.api import Bulk, BulkRequest, digest_at
from flows.capabilities.bulk.tests.kernel.test_k_bulk import finish
from flows.tests.kit import Connection, Kit, broken, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
PATCH = {"changes": {"a": "3", "n": "5"}}


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("a", "b")
    kit.attr("n", kind="integer")
    kit.trig("tr_x", "a = '1'", max_attempts=1, compensation="inverse", writes=["a"])
    kit.trig("tr_y", "b = '1'", compensation="inverse")
    kit.trig("tr_z", "a = '3' and n > 0")
    kit.final("a = 'end'")
    kit.rows("delete from wedsql.bulk")  # which other tests left
    return kit


@pytest.fixture
def reaper(kit: Kit) -> Iterator[Connection]:
    conn = kit.connect("wed_reaper")
    yield conn
    conn.close()


def stuck(kit: Kit, count: int = 1, **state: Any) -> list[int]:
    """Start instances and let them become exceptions at their second step."""
    wids = [kit.start(a="1", **state) for _ in range(count)]
    for wid in wids:
        kit.run("tr_x", wid, a="7")
    return wids


def request(
    kit: Kit, wids: Sequence[int], operation: str = "patch", arguments: Any = None, **details: Any
) -> Bulk:
    given = PATCH if operation == "patch" and arguments is None else arguments or {}
    what = BulkRequest(operation, "The bank was down.", arguments=given, **details)
    seqs = {wid: kit.instance(wid).seq for wid in wids}
    confirmed: dict[str, Any] = {"expected": len(wids), "digest": digest_at(seqs)}
    return api.bulk.request(what, wids, **confirmed, actor="ana", conn=kit.conn)


def results(kit: Kit, bulk: Bulk) -> list[tuple[str, str | None]]:
    return [(row.result, row.sqlstate) for row in api.bulk.rows(bulk.id, conn=kit.conn)]


def last(kit: Kit, wid: int) -> tuple[str, str, str]:
    row = kit.trace(wid)[-1]
    return row.trw, row.actor, row.reason


def test_r16_a_patch_is_for_each_what_a_single_one_is(shop: Kit, reaper: Connection) -> None:
    wids = stuck(shop, 7)
    api.repairs.repair(wids[0], "patch", PATCH, "x", conn=shop.conn)
    bulk = request(shop, wids[1:])
    assert finish(reaper, 3) == 2
    assert results(shop, bulk) == [("done", None)] * 6
    reason = f"Bulk operation {bulk.id}: The bank was down."
    assert {last(shop, wid) for wid in wids[1:]} == {("_RECOVER:patch", "ana", reason)}
    assert {str(shop.story(wid)) for wid in wids} == {str(shop.story(wids[0]))}
    assert {str(shop.state(wid)) for wid in wids} == {"{'a': '3', 'b': None, 'n': 5}"}
    moments = {shop.trace(wid)[-1].tstmp for wid in wids[1:]}
    assert len(moments) == 2, "the steps of a slice are applied at once"
    events = (
        "select c.state, e.kind, e.detail from wedsql.repair_case c join wedsql.case_event e using (number)"
    )
    found = shop.rows(f"{events} where c.wid = any (%s) and e.kind = 'closed'", [wids])
    assert [(row.state, row.detail["step"]) for row in found] == [("applied", "_RECOVER:patch")] * 7
    assert broken(shop) == []


def test_r16_the_preview_is_that_of_each_instance(shop: Kit) -> None:
    first, second = stuck(shop, 2)
    (running,) = [shop.start(a="1")]
    shown = api.bulk.preview(
        BulkRequest("patch", "", arguments=PATCH), [first, running, second], conn=shop.conn
    )
    alone = api.repairs.preview(first, "patch", PATCH, conn=shop.conn)
    assert [row.wid for row in shown] == [first, running, second]
    assert shown[0].preview == alone and [fired.transition for fired in alone.fires] == ["tr_z"]
    assert shown[1].refusal is not None and shown[1].refusal.code == "WD212"
    assert shop.status(first) == "E"
    assert api.bulk.preview(BulkRequest("accept", ""), [first], seconds=-1, conn=shop.conn) == []
    (job,) = api.bulk.preview(BulkRequest("skip", "", transition="tr_y"), [first], conn=shop.conn)
    assert job.preview is None and job.refusal is not None and job.refusal.code == "WD212"
    with refused("WD504"):
        api.bulk.preview(BulkRequest("cancel", ""), [first], conn=shop.conn)


def test_r16_a_locked_instance_delays_no_preview(shop: Kit) -> None:
    first, second = stuck(shop, 2)
    with shop.connect().transaction() as held:
        held.connection.execute(f"select 1 from {shop.name}.wed_flow where wid = {first} for update")
        what = BulkRequest("accept", "")
        shown = api.bulk.preview(what, [first, second], conn=shop.conn)
    assert [row.refusal.code if row.refusal else None for row in shown] == ["55P03", None]


def test_r16_one_that_moved_since_is_left_out(shop: Kit, reaper: Connection) -> None:
    """Also if it is an exception again, and what is confirmed at another step is not requested."""
    wids = stuck(shop, 3)
    bulk = request(shop, wids)
    api.repairs.repair(wids[1], "patch", {"changes": {"b": "0"}}, "x", conn=shop.conn)
    finish(reaper)
    assert results(shop, bulk) == [("done", None), ("refused", "WD108"), ("done", None)]
    assert shop.state(wids[1]) == {"a": "7", "b": "0", "n": None}
    before = digest_at({wids[1]: 2})
    with refused("WD505"):
        api.bulk.request(BulkRequest("accept", "x"), [wids[1]], expected=1, digest=before, conn=shop.conn)


def test_r16_the_good_ones_are_repaired_and_the_others_say_why(shop: Kit, reaper: Connection) -> None:
    """One that would be final while a job is pending is refused; the others of its slice are repaired."""
    ready, pending = [shop.start(a="1") for _ in range(2)], shop.start(a="1", b="1")
    wids = [*ready, pending]
    bulk = request(shop, wids, "complete", {"changes": {"a": "end"}}, transition="tr_x")
    finish(reaper)
    assert results(shop, bulk) == [("done", None), ("done", None), ("refused", "WD103")]
    assert [shop.status(wid) for wid in wids] == ["F", "F", "R"] and shop.state(pending)["a"] == "1"
    assert broken(shop) == []


def test_r16_all_or_nothing_repairs_all(shop: Kit, reaper: Connection) -> None:
    wids = stuck(shop, 5)
    bulk = request(shop, wids, atomic=True)
    assert finish(reaper, 2) == 1
    assert results(shop, bulk) == [("done", None)] * 5 and broken(shop) == []
    locks = "select count(*) from pg_locks where locktype = 'advisory'"
    with reaper.transaction():
        request(shop, stuck(shop, 3), "abort", atomic=True)
        assert api.bulk.continue_bulk(conn=reaper) is not None
        assert reaper.execute(locks).fetchone() == (0,), "a lock of each job would need too many"


@pytest.mark.parametrize(("operation", "arguments"), [("patch", None), ("accept", {})])
def test_r16_nothing_is_repaired_where_one_cannot_be(
    shop: Kit, reaper: Connection, operation: str, arguments: Any
) -> None:
    wids = stuck(shop, 4)
    bulk = request(shop, wids, operation, arguments, atomic=True)
    for wid in wids[1:3]:
        api.repairs.repair(wid, "patch", {"changes": {"b": "0"}}, "x", conn=shop.conn)
    assert finish(reaper) == 1
    assert results(shop, bulk) == [("left", None), ("refused", "WD108"), ("refused", "WD108"), ("left", None)]
    assert [shop.status(wid) for wid in wids] == ["E"] * 4 and shop.state(wids[0])["a"] == "7"
    ended = api.bulk.read(bulk.id, conn=shop.conn)
    assert (ended.state, ended.done, ended.left, ended.is_undone) == ("finished", 0, 2, True)
    assert broken(shop) == []


def test_r16_all_or_nothing_waits_for_locks_and_then_says_which(shop: Kit, reaper: Connection) -> None:
    wids = stuck(shop, 3)
    bulk = request(shop, wids, atomic=True)
    with shop.connect().transaction() as held:
        held.connection.execute(f"select 1 from {shop.name}.wed_flow where wid = {wids[1]} for update")
        assert finish(reaper) == 0 and [row[0] for row in results(shop, bulk)] == ["left"] * 3
        shop.clock("2 minutes", reaper)
        assert finish(reaper) == 1
    assert results(shop, bulk) == [("left", None), ("refused", "55P03"), ("left", None)]


@pytest.mark.parametrize("atomic", [True, False])
def test_r16_an_operation_without_rows_ends(shop: Kit, reaper: Connection, atomic: bool) -> None:
    bulk = request(shop, stuck(shop, 2), atomic=atomic)
    shop.rows("delete from wedsql.bulk_row where bulk_id = %s", [bulk.id])
    with reaper.transaction():
        reaper.execute("set local statement_timeout = '10s'")
        assert finish(reaper) == 1
    assert (api.bulk.read(bulk.id, conn=shop.conn).state, results(shop, bulk)) == ("finished", [])


def test_r16_a_job_that_a_worker_holds_is_tried_again_for_a_minute(shop: Kit, reaper: Connection) -> None:
    wids = [shop.start(a="1") for _ in range(3)]
    bulk = request(shop, wids, "complete", {"changes": {"a": "5"}}, transition="tr_x")
    worker = shop.connect()
    with worker.transaction():
        shop.take("tr_x", wids[0], worker)
        finish(reaper)
        assert results(shop, bulk) == [("left", "WD203"), ("done", None), ("done", None)]
        shop.clock("2 minutes", reaper)
        finish(reaper)
    assert results(shop, bulk) == [("refused", "WD203"), ("done", None), ("done", None)]


def test_r16_jobs_are_completed_and_skipped(shop: Kit, reaper: Connection) -> None:
    wids = [shop.start(a="1", b="1") for _ in range(3)]
    bulk = request(shop, wids, "complete", {"changes": {"a": "5"}}, transition="tr_x")
    finish(reaper)
    assert results(shop, bulk) == [("done", None)] * 3
    assert {last(shop, wid)[:2] for wid in wids} == {("tr_x", "ana")}
    bulk = request(shop, wids, "skip", {"changes": {"n": "2"}}, transition="tr_y")
    finish(reaper)
    assert results(shop, bulk) == [("done", None)] * 3
    assert {shop.trace(wid)[-1].trw for wid in wids} == {"_RECOVER:skip"}
    assert {shop.state(wid)["n"] for wid in wids} == {2} and {shop.status(wid) for wid in wids} == {"E"}
    assert shop.one("select count(*) from wedsql.skipped where wid = any (%s)", [wids]) == 3
    assert broken(shop) == []


def test_r16_steps_are_undone_from_the_last_one(shop: Kit, reaper: Connection) -> None:
    short, long = stuck(shop, 2)
    api.repairs.repair(long, "patch", {"changes": {"a": "1"}}, "x", conn=shop.conn)
    shop.run("tr_x", long, a="8")
    bulk = request(shop, [short, long], "rollback", {"steps": 2})
    finish(reaper)
    assert results(shop, bulk) == [("refused", "WD110"), ("done", None)]
    assert shop.state(long)["a"] == "1" and shop.jobs(long) == ["tr_x"]
    bulk = request(shop, [short, long], "abort")
    finish(reaper)
    assert results(shop, bulk) == [("done", None)] * 2
    assert [shop.status(wid) for wid in (short, long)] == ["A", "A"] and broken(shop) == []


def test_r16_of_two_over_the_same_instances_one_repairs(shop: Kit, reaper: Connection) -> None:
    wids = stuck(shop, 4)
    first, second = request(shop, wids), request(shop, wids, "accept")
    finish(reaper, 2)
    done = [[result for result, _code in results(shop, bulk)].count("done") for bulk in (first, second)]
    assert sum(done) == 4, "each instance was repaired once"
    assert {code for _result, code in (*results(shop, first), *results(shop, second))} <= {None, "WD108"}
    repaired = "select count(*) from wedsql.wed_trace where wid = any (%s) and left(trw, 9) = '_RECOVER:'"
    assert shop.one(repaired, [wids]) == 4


@pytest.mark.parametrize(
    ("code", "operation", "given"),
    [
        ("WD109", "patch", {}),
        ("WD109", "patch", {"arguments": {"changes": {"a": "1"}, "job": 1}}),
        ("WD109", "accept", {"arguments": {"changes": {}}}),
        ("WD109", "cancel", {"arguments": {"override": True}}),
        ("WD109", "rollback", {}),
        ("WD504", "rollback", {"arguments": {"steps": 0}}),
        ("WD504", "rollback", {"arguments": {"steps": 1001}}),
        ("WD504", "skip", {}),
        ("WD504", "patch", {"arguments": PATCH, "transition": "tr_x"}),
        ("WD002", "patch", {"arguments": {"changes": {"nothing": "1"}}}),
        ("WD002", "complete", {"arguments": {"changes": {"nothing": "1"}}, "transition": "tr_x"}),
    ],
)
def test_r16_a_repair_of_another_form_is_refused(
    shop: Kit, code: str, operation: str, given: dict[str, Any]
) -> None:
    (wid,) = stuck(shop)
    with refused(code):
        api.bulk.request(BulkRequest(operation, "x", **given), [wid], expected=1, conn=shop.conn)
    assert shop.one("select count(*) from wedsql.bulk") == 0


def test_r16_attributes_that_may_not_be_repaired_are_refused_at_once(shop: Kit) -> None:
    (wid,) = stuck(shop)
    shop.rows("update wedsql.attr set repairable = false where flow_id = %s and aname = 'n'", [shop.id])
    with refused("WD210"):
        request(shop, [wid])


def test_r16_all_or_nothing_has_a_limit(shop: Kit) -> None:
    with refused("WD504") as why:
        what = BulkRequest("accept", "x", atomic=True)
        api.bulk.request(what, range(10_001), expected=10_001, conn=shop.conn)
    assert why.facts == {"limit": 10_000}


def test_r16_one_that_needs_approvals_is_refused(shop: Kit, reaper: Connection) -> None:
    """By the number of instances, too, which its preview counts."""
    wids = stuck(shop, 3)
    rule = ApprovalRule(1, operations=("patch",), bulk_above=2)
    api.approvals.save_rules(shop.name, [rule], "boss", conn=shop.conn)
    what = BulkRequest("patch", "", arguments=PATCH)
    for total, needed in ((None, 0), (3, 1)):
        (row,) = api.bulk.preview(what, wids[:1], total=total, conn=shop.conn)
        assert row.preview is not None and row.preview.approvals.needed == needed
    with refused("WD520"):
        request(shop, wids)
    bulk = request(shop, wids[:2])
    finish(reaper)
    assert results(shop, bulk) == [("done", None)] * 2


def test_r16_a_repair_of_many_is_undone_as_one(shop: Kit, reaper: Connection) -> None:
    wids = stuck(shop, 2)
    request(shop, wids)
    finish(reaper)
    assert api.repairs.repair(wids[1], "undo", {}, "x", conn=shop.conn).status == "E"
    assert [shop.state(wid)["a"] for wid in wids] == ["3", "7"] and broken(shop) == []
