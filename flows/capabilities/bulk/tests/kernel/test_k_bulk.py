"""An operation on many instances touches what was confirmed, once, and keeps a result for each."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest

from flows import api
from flows.capabilities.bulk.api import Bulk, BulkRequest, digest
from flows.tests.kit import Connection, Kit, broken, refused

pytestmark = pytest.mark.kernel
BELONGS = "select count(*) from wedsql.wed_trace where wid = %s and trw = %s and reason = %s"
LOOP = """
import sys
import psycopg
from flows import api
with psycopg.connect(sys.argv[1], autocommit=True) as conn:
    conn.execute("set role wed_reaper")
    found = True
    while found:
        with conn.transaction():
            found = api.bulk.continue_bulk(int(sys.argv[2]), conn=conn)
"""


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("a", "b")
    kit.trig("tr_x", "a = '1'", max_attempts=1)
    kit.trig("tr_y", "b = '1'")
    kit.final("a = '2'")
    kit.rows("delete from wedsql.bulk")  # which other tests left
    return kit


@pytest.fixture
def reaper(kit: Kit) -> Iterator[Connection]:
    conn = kit.connect("wed_reaper")
    yield conn
    conn.close()


def request(kit: Kit, wids: Sequence[int], operation: str = "suspend", **details: Any) -> Bulk:
    what = BulkRequest(operation, "The press is broken.", **details)
    return api.bulk.request(what, wids, expected=len(wids), actor="olga", conn=kit.conn)


def finish(reaper: Connection, limit: int = 100) -> int:
    """Perform all slices and return how many there were."""
    slices = 0
    while api.bulk.continue_bulk(limit, conn=reaper) is not None:
        slices += 1
    return slices


def results(kit: Kit, bulk: Bulk) -> list[str]:
    return [row.result for row in api.bulk.rows(bulk.id, conn=kit.conn)]


def test_it_touches_what_was_counted_and_nothing_else(shop: Kit, reaper: Connection) -> None:
    """What begins to match later is not touched; the reason of each step has the number."""
    wids = [shop.start(a="1") for _ in range(7)]
    bulk = request(shop, wids, query="status:running")
    later = shop.start(a="1")
    assert (bulk.state, bulk.total, bulk.left, bulk.flows) == ("running", 7, 7, [shop.name])
    assert finish(reaper, 3) == 3
    bulk = api.bulk.read(bulk.id, conn=shop.conn)
    assert (bulk.state, bulk.done, bulk.left, bulk.finished_at is not None) == ("finished", 7, 0, True)
    assert [shop.status(wid) for wid in (*wids, later)] == ["S"] * 7 + ["R"]
    reason = f"Bulk operation {bulk.id}: The press is broken."
    assert all(shop.one(BELONGS, [wid, "_SUSPEND", reason]) == 1 for wid in wids)
    assert (
        shop.one("select actor from wedsql.wed_trace where wid = %s order by seq desc", [wids[0]]) == "olga"
    )
    assert broken(shop) == []


def test_another_number_than_the_confirmed_one_is_refused_with_both(shop: Kit) -> None:
    wids = [shop.start(a="1") for _ in range(3)]
    before = shop.one("select count(*) from wedsql.bulk")
    for expected in (2, 4, None):
        with refused("WD505") as why:
            api.bulk.request(BulkRequest("cancel", "x"), wids, expected=expected, conn=shop.conn)  # type: ignore[arg-type]
        assert why.facts == {"found": 3, "expected": expected or 0}
    with refused("WD505"):
        api.bulk.request(BulkRequest("cancel", "x"), [], expected=0, conn=shop.conn)
    with refused("WD505"):
        request(shop, [*wids, 2_000_000_000])
    assert shop.one("select count(*) from wedsql.bulk") == before


def test_others_of_the_same_number_are_refused(shop: Kit) -> None:
    """One left the filter and another entered it since the preview: the number is the same."""
    wids = [shop.start(a="1") for _ in range(3)]
    what = BulkRequest("cancel", "x")
    assert digest(wids) == shop.one("select wedsql._bulk_digest(%s)", [wids[::-1]])
    for confirmed in (digest([*wids[:2], wids[2] + 1]), digest([]), ""):
        with refused("WD505") as why:
            api.bulk.request(what, wids, expected=3, digest=confirmed, conn=shop.conn)
        assert why.facts == {"found": 3} and "not the same ones" in why.message
    assert shop.one("select count(*) from wedsql.bulk") == 0
    assert api.bulk.request(what, wids[::-1], expected=3, digest=digest(wids), conn=shop.conn).total == 3


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("WD504", {"operation": "drop"}),
        ("WD504", {"operation": "priority"}),
        ("WD504", {"operation": "priority", "priority": 40_000}),
        ("WD504", {"operation": "cancel", "priority": 1}),
        ("WD504", {"operation": "reassign"}),
        ("WD504", {"operation": "retry", "assignee": "ann"}),
        ("WD009", {"operation": "reassign", "assignee": "a\nb"}),
        ("WD504", {"operation": "cancel", "transition": "tr_x"}),
        ("WD504", {"operation": "cancel", "query": "x" * 4001}),
        ("WD504", {"operation": "cancel", "reason": "x" * 1001}),
        ("WD009", {"operation": "cancel", "reason": "  "}),
    ],
)
def test_a_request_of_another_form_is_refused(shop: Kit, code: str, given: dict[str, Any]) -> None:
    wid = shop.start(a="1")
    with refused(code):
        what = BulkRequest(**{"reason": "x"} | given)
        api.bulk.request(what, [wid], expected=1, conn=shop.conn)
    assert shop.one("select count(*) from wedsql.bulk_row where wid = %s", [wid]) == 0


def test_more_than_the_limit_is_refused(shop: Kit) -> None:
    with refused("WD504") as why:
        api.bulk.request(BulkRequest("cancel", "x"), range(100_001), expected=100_001, conn=shop.conn)
    assert why.facts == {"limit": 100_000}


def test_every_flow_must_be_allowed(shop: Kit) -> None:
    wid = shop.start(a="1")
    what = BulkRequest("cancel", "x")
    for flows in ([], ["another"]):
        with refused("WD301") as why:
            api.bulk.request(what, [wid], expected=1, flows=flows, conn=shop.conn)
        assert why.facts == {"flow": shop.name}
    assert api.bulk.request(what, [wid], expected=1, flows=[shop.name], conn=shop.conn).total == 1


def test_a_refused_instance_keeps_its_error_and_stops_no_other(shop: Kit, reaper: Connection) -> None:
    first, ended, gone, last = (shop.start(a="1") for _ in range(4))
    bulk = request(shop, [first, ended, gone, last])
    shop.run("tr_x", ended, a="2")
    api.instances.cancel(gone, "x", conn=shop.conn)
    shop.policy(retention="1 microsecond")
    assert shop.one("select wedsql.retire(%s, %s)", [shop.name, [gone]]) == 1
    finish(reaper)
    rows = api.bulk.rows(bulk.id, conn=shop.conn)
    assert [(row.wid, row.result, row.sqlstate) for row in rows] == [
        (first, "done", None), (ended, "refused", "WD505"), (gone, "gone", None), (last, "done", None),
    ]  # fmt: skip
    assert rows[1].message and "another status" in rows[1].message
    assert [(row.before, row.status) for row in rows] == [("R", "S"), ("R", "F"), ("R", None), ("R", "S")]
    bulk = api.bulk.read(bulk.id, conn=shop.conn)
    assert (bulk.state, bulk.done, bulk.refused, bulk.gone) == ("finished", 2, 1, 1)
    assert [row.wid for row in api.bulk.rows(bulk.id, "refused", conn=shop.conn)] == [ended]


def test_each_operation_does_what_it_does_to_one(shop: Kit, reaper: Connection) -> None:
    wids = [shop.start(a="1", b="1") for _ in range(2)]

    def perform(operation: str, **details: Any) -> list[str]:
        bulk = request(shop, wids, operation, **details)
        finish(reaper)
        return results(shop, bulk)

    assert perform("priority", priority=7, transition="tr_x") == ["done"] * 2
    assert perform("reassign", assignee=" ann ", transition="tr_x") == ["done"] * 2
    assigned = "select trname, assigned_to from wedsql.job_pool where flow_id = %s group by 1, 2 order by 1"
    assert [tuple(row) for row in shop.rows(assigned, [shop.id])] == [("tr_x", "ann"), ("tr_y", None)]
    assert perform("reassign", assignee="") == ["done"] * 2
    assert [row.assigned_to for row in shop.rows(assigned, [shop.id])] == [None, None]
    priorities = "select trname, priority from wedsql.job_pool where flow_id = %s group by 1, 2 order by 1"
    assert [tuple(row) for row in shop.rows(priorities, [shop.id])] == [("tr_x", 7), ("tr_y", 0)]
    assert perform("retry") == ["refused"] * 2, "no job is parked"
    for wid in wids:
        shop.fail("tr_x", wid)
    assert [shop.status(wid) for wid in wids] == ["E", "E"]
    assert perform("retry", transition="tr_y") == ["refused"] * 2
    assert perform("retry", transition="tr_x") == ["done"] * 2
    assert [shop.status(wid) for wid in wids] == ["R", "R"]
    assert perform("suspend") == ["done"] * 2 and perform("rematch") == ["refused"] * 2
    assert perform("resume") == ["done"] * 2 and perform("rematch") == ["done"] * 2
    assert broken(shop) == []
    assert perform("cancel") == ["done"] * 2 and perform("priority", priority=1) == ["refused"] * 2
    assert [shop.status(wid) for wid in wids] == ["C", "C"]


def test_an_instance_that_changed_since_is_refused(shop: Kit, reaper: Connection) -> None:
    """An exception that was repaired before its turn is not cancelled with the others."""
    wids = [shop.start(a="1") for _ in range(2)]
    for wid in wids:
        shop.fail("tr_x", wid)
    bulk = request(shop, wids, "cancel", query="status:exception")
    (job,) = [job.id for job in shop.pending(wids[0]) if job.trname == "tr_x"]
    api.operations.retry_job(wids[0], job, "x", conn=shop.conn)
    finish(reaper)
    rows = api.bulk.rows(bulk.id, conn=shop.conn)
    assert [(row.result, row.sqlstate, row.status) for row in rows] == [
        ("refused", "WD505", "R"), ("done", None, "C"),
    ]  # fmt: skip


def test_a_re_match_fires_what_holds_now(shop: Kit, reaper: Connection) -> None:
    wids = [shop.start(a="1") for _ in range(2)]
    shop.rows("delete from wedsql.job_pool where wid = %s", [wids[0]], shop.connect())
    bulk = request(shop, wids, "rematch")
    finish(reaper)
    assert results(shop, bulk) == ["done", "done"]
    assert [shop.jobs(wid) for wid in wids] == [["tr_x"], ["tr_x"]]
    assert broken(shop) == []


def test_what_is_locked_comes_after_the_others(shop: Kit, reaper: Connection) -> None:
    wids = [shop.start(a="1") for _ in range(4)]
    bulk = request(shop, wids)
    other = shop.connect()
    with other.transaction():
        api.operations.prioritize_job(wids[0], shop.pending(wids[0])[0].id, 3, "x", conn=other)
        assert finish(reaper, 2) == 2, "the slice of the locked one performs the other one"
        assert results(shop, bulk) == ["left", "done", "done", "done"]
    assert finish(reaper) == 1 and results(shop, bulk) == ["done"] * 4


def test_a_definition_that_changes_delays_its_flow(shop: Kit, reaper: Connection) -> None:
    bulk = request(shop, [shop.start(a="1")])
    other = shop.connect()
    with other.transaction():
        other.execute(f"lock table {shop.name}.wed_flow in exclusive mode")
        assert finish(reaper) == 0 and results(shop, bulk) == ["left"]
    assert finish(reaper) == 1 and results(shop, bulk) == ["done"]


def test_it_is_paused_continued_and_the_rest_withdrawn(shop: Kit, reaper: Connection) -> None:
    wids = [shop.start(a="1") for _ in range(5)]
    bulk = request(shop, wids)
    assert api.bulk.continue_bulk(2, conn=reaper) == bulk.id
    assert api.bulk.pause(bulk.id, actor="ana", conn=shop.conn).changed_by == "ana"
    assert finish(reaper, 2) == 0
    with refused("WD507"):
        api.bulk.pause(bulk.id, conn=shop.conn)
    api.bulk.resume(bulk.id, conn=shop.conn)
    assert api.bulk.continue_bulk(2, conn=reaper) == bulk.id
    withdrawn = api.bulk.withdraw(bulk.id, conn=shop.conn)
    assert (withdrawn.state, withdrawn.done, withdrawn.left) == ("withdrawn", 4, 1)
    assert finish(reaper) == 0 and shop.status(wids[4]) == "R"
    for change in (api.bulk.pause, api.bulk.resume, api.bulk.withdraw):
        with refused("WD507"):
            change(bulk.id, conn=shop.conn)
    with refused("WD506"):
        api.bulk.withdraw(10**15, conn=shop.conn)


def test_several_take_turns(shop: Kit, reaper: Connection) -> None:
    bulks = [request(shop, [shop.start(a="1") for _ in range(4)]) for _ in range(2)]
    assert [api.bulk.continue_bulk(2, conn=reaper) for _ in range(4)] == [bulk.id for bulk in bulks] * 2
    assert finish(reaper) == 0


def waits_for_a_lock(connection: psycopg.Connection[Any], name: str) -> bool:
    found = connection.execute(
        "select wait_event_type = 'Lock' from pg_stat_activity where application_name = %s", [name]
    ).fetchone()
    return bool(found and found[0])


def test_a_reaper_that_is_killed_does_nothing_twice_and_loses_nothing(
    shop: Kit, reaper: Connection, dsn: str, connect: Callable[..., Connection]
) -> None:
    """It is killed within its second slice, when two of its five instances are done."""
    wids = [shop.start(a="1") for _ in range(12)]
    bulk = request(shop, wids, "priority", priority=5)
    watching = connect()
    name = f"killed {bulk.id}"
    with shop.connect().transaction() as held:
        held.connection.execute("select 1 from wedsql.job_pool where wid = %s for update", [wids[7]])
        process = subprocess.Popen(
            [sys.executable, "-c", LOOP, psycopg.conninfo.make_conninfo(dsn, application_name=name), "5"],
            cwd=Path(__file__).parents[5],
        )
        while not waits_for_a_lock(watching, name):
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
        process.wait()
    while watching.execute("select 1 from pg_stat_activity where application_name = %s", [name]).fetchone():
        time.sleep(0.01)
    assert results(shop, bulk) == ["done"] * 5 + ["left"] * 7
    assert api.bulk.read(bulk.id, conn=shop.conn).done == 5
    assert finish(reaper, 5) == 2
    assert results(shop, bulk) == ["done"] * 12 and api.bulk.read(bulk.id, conn=shop.conn).done == 12
    reason = f"tr_x 0 -> 5: Bulk operation {bulk.id}: The press is broken."
    assert [shop.one(BELONGS, [wid, "_RECOVER:priority", reason]) for wid in wids] == [1] * 12
    assert broken(shop) == []


def test_two_reapers_perform_each_instance_once(shop: Kit, reaper: Connection) -> None:
    wids = [shop.start(a="1") for _ in range(4)]
    bulk = request(shop, wids, "priority", priority=5)
    other = shop.connect("wed_reaper")
    with reaper.transaction():
        assert api.bulk.continue_bulk(2, conn=reaper) == bulk.id
        assert api.bulk.continue_bulk(2, conn=other) is None
    assert api.bulk.continue_bulk(9, conn=other) == bulk.id
    steps = "select count(*) from wedsql.wed_trace where wid = any (%s) and trw = '_RECOVER:priority'"
    assert shop.one(steps, [wids]) == 4


def test_old_ones_are_removed_and_the_history_stays(shop: Kit, reaper: Connection) -> None:
    wid = shop.start(a="1")
    old = request(shop, [wid])
    finish(reaper)
    young = request(shop, [wid], "resume")
    finish(reaper)
    change = "update wedsql.bulk set finished_at = finished_at - interval '91 days' where id = %s"
    shop.rows(change, [old.id], shop.connect())
    assert api.maintenance.maintain(conn=reaper)["bulk_rows_removed"] == 1
    with refused("WD506"):
        api.bulk.read(old.id, conn=shop.conn)
    assert results(shop, young) == ["done"]
    assert shop.one("select count(*) from wedsql.wed_trace where wid = %s and trw = '_SUSPEND'", [wid]) == 1


def test_lists_are_of_flows_that_one_sees(shop: Kit) -> None:
    bulks = [request(shop, [shop.start(a="1")]).id for _ in range(3)]
    seen = api.bulk.list([shop.name, "another"], conn=shop.conn)
    assert [bulk.id for bulk in seen] == bulks[::-1]
    assert [bulk.id for bulk in api.bulk.list([shop.name], before=bulks[2], limit=1, conn=shop.conn)] == [
        bulks[1]
    ]
    assert api.bulk.list([], conn=shop.conn) == []
    assert api.bulk.list(["another"], conn=shop.conn) == []
