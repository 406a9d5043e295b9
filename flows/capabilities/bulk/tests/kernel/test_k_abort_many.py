"""All steps of many instances are undone at once, and what is written is what each would have by itself."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.capabilities.bulk.api import BulkRequest
from flows.capabilities.bulk.tests.kernel.test_k_bulk import finish
from flows.tests.kit import Connection, Kit, broken

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
NOT_COMPARED = ("wid", "tstmp", "tx_at", "xid", "reason", "job_id", "claim", "case_id")


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("a", "b", "operation")  # an attribute may have the name of a column or a parameter
    kit.attr("state", kind="jsonb")
    kit.attr("day", kind="date")
    kit.attr("price", kind="numeric")
    kit.trig("tr_x", "a = '1'", max_attempts=1, compensation="inverse")
    kit.trig("tr_y", "a = '2'", compensation="inverse")
    kit.trig("tr_none", "a = '3'")
    kit.trig("tr_told", "a = '4'", compensation="transition", compensated_by="tr_back")
    kit.trig("tr_later", "b = 'wait'", due_after="1 hour")
    kit.final("a = 'end'")
    kit.rows("delete from wedsql.bulk")  # which other tests left
    return kit


def histories(kit: Kit) -> list[int]:
    """Return instances of different courses: one step, several, restored twice, jobs, a patch, none."""
    one = kit.start(a="1", b="wait", day="2026-02-03", price="1.50")
    kit.run("tr_x", one, a="7", state={"n": 1}, operation="o")
    more = kit.start(a="1")
    kit.run("tr_x", more, a="2", b="x", price="2.0")
    kit.run("tr_y", more, a="1", b=None, day="2026-05-06")
    kit.run("tr_x", more, a="3")
    kit.run("tr_none", more, a="9")
    patched = kit.start(a="1")
    kit.run("tr_x", patched, a="7")
    api.repairs.repair(patched, "patch", {"changes": {"a": "1", "b": "by hand"}}, "x", conn=kit.conn)
    return [one, more, patched, kit.start(a="1", b="y")]


def written(kit: Kit, wid: int) -> list[dict[str, Any]]:
    """Return what an abort can write: history, instance, case and log, without times and numbers."""
    rows = [{name: value for name, value in row._asdict().items() if name not in NOT_COMPARED}
            for row in kit.trace(wid)]  # fmt: skip
    found = kit.rows(
        "select i.status, i.seq, i.reason like '%%The bank was down.' as why, i.finished_at is null as open,"
        " (select array_agg((t.status, t.reason like '%%The bank was down.')::text order by t.seq)"
        "  from wedsql.wed_trace t where t.wid = i.wid) as reasons,"
        " (select array_agg((c.state, c.closed_at is null)::text) from wedsql.repair_case c"
        "  where c.wid = i.wid) as cases,"
        " (select array_agg((l.trname, l.outcome, l.actor)::text order by l.trname, l.outcome)"
        "  from wedsql.job_log l where l.wid = i.wid) as log,"
        " (select count(*) from wedsql.job_pool j where j.wid = i.wid) as jobs,"
        " (select count(*) from wedsql.timer x where x.wid = i.wid) as timers,"
        " (select count(*) from wedsql.recovery r where r.wid = i.wid) as recoveries"
        " from wedsql.instance i where i.wid = %s",
        [wid],
    )
    return [*rows, *(one._asdict() for one in found), kit.state(wid)]


def test_what_is_written_together_is_what_each_has_by_itself(shop: Kit) -> None:
    alone, together = histories(shop), histories(shop)
    for wid in alone:
        api.compensations.abort(wid, "The bank was down.", actor="ana", override=True, conn=shop.conn)
    reaper: Connection = shop.connect("wed_reaper")
    asked = BulkRequest("abort", "The bank was down.", arguments={"override": True})
    made = api.bulk.request(asked, together, expected=4, actor="ana", conn=shop.conn)
    finish(reaper)
    reaper.close()
    assert api.bulk.read(made.id, conn=shop.conn).done == 4
    assert {shop.status(wid) for wid in together} == {"A"} and broken(shop) == []
    for first, second in zip(alone, together, strict=True):
        assert written(shop, first) == written(shop, second)


def test_one_that_needs_a_worker_is_undone_with_the_others(shop: Kit) -> None:
    wids = [shop.start(a="1"), shop.start(a="4")]
    shop.run("tr_x", wids[0], a="7")
    shop.run("tr_told", wids[1], a="7")
    reaper: Connection = shop.connect("wed_reaper")
    api.bulk.request(BulkRequest("abort", "x"), wids, expected=2, conn=shop.conn)
    finish(reaper)
    reaper.close()
    assert [shop.status(wid) for wid in wids] == ["A", "X"] and shop.jobs(wids[1]) == ["tr_back"]
    shop.run("tr_back", wids[1], a="5")
    assert shop.status(wids[1]) == "A" and broken(shop) == []
