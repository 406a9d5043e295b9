"""Operations of the repair desk: one call and one preview for all of them."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from flows import api
from flows.tests.kit import Connection, Kit, broken, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

EVERYTHING = (
    "select jsonb_build_object('instance', (select jsonb_agg(i order by i.wid) from wedsql.instance i"
    " where i.flow_id = f.id), 'jobs', (select jsonb_agg(to_jsonb(j) order by j.id) from wedsql.job_pool j"
    " where j.flow_id = f.id), 'trace', (select jsonb_agg(t order by t.wid, t.seq) from wedsql.wed_trace t"
    " where t.flow_id = f.id), 'log', (select jsonb_agg(l order by l.id) from wedsql.job_log l"
    " where l.flow_id = f.id), 'wids', (select s.last_value from wedsql.wid_seq s),"
    " 'refused', (select array_agg(pg_sequence_last_value(format('wedsql.refused_%%s', n)::regclass))"
    " from generate_series(0, 15) n)) from wedsql.flow f where f.id = %s"
)


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("a", "b")
    kit.trig("tr_x", "a = '1'", backoff="1 hour", max_attempts=1)
    kit.trig("tr_y", "b = '1'")
    kit.final("a = 'end'")
    return kit


def everything(kit: Kit) -> Any:
    """Return what the kernel has stored of the flow, and of the numbers that it gives out."""
    return kit.one(EVERYTHING, [kit.id])


def job_of(kit: Kit, wid: int, transition: str = "tr_x") -> int:
    return next(job.id for job in kit.pending(wid) if job.trname == transition)


def park(kit: Kit, wid: int) -> int:
    """Let the only attempt of tr_x fail and return its job."""
    kit.fail("tr_x", wid)
    assert kit.status(wid) == "E"
    return job_of(kit, wid)


def test_an_operation_or_argument_that_does_not_exist(shop: Kit) -> None:
    wid = shop.start(a="1")
    bad: list[tuple[str, dict[str, Any]]] = [
        ("explode", {}), ("suspend", {"job": 1}), ("extend", {"job": 1}),
        ("extend", {"job": "1; drop", "seconds": 1}), ("release", {"job": 1.5}),
        ("suspend", {"preview": True}),
    ]  # fmt: skip
    for operation, arguments in bad:
        for call in (api.repairs.repair, api.repairs.preview):
            with refused("WD109"):
                call(wid, operation, arguments, "x", conn=shop.conn)
    for call in (api.repairs.repair, api.repairs.preview):
        with refused("WD104"):
            call(2_000_000_000, "suspend", {}, "x", conn=shop.conn)
    with refused("WD009"):
        api.repairs.repair(wid, "suspend", {}, " ", conn=shop.conn)
    assert len(shop.trace(wid)) == 1


def test_nothing_is_applied_to_another_state_than_was_previewed(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    seen = api.repairs.preview(wid, "suspend", {}, "x", conn=shop.conn).seq
    shop.run("tr_y", wid, b="0")
    with refused("WD108") as why:
        api.repairs.repair(wid, "suspend", {}, "x", expected_seq=seen, conn=shop.conn)
    assert why.facts == {"instance": wid, "seq": seen + 1, "expected": seen}
    assert shop.status(wid) == "R"
    done = api.repairs.repair(wid, "suspend", {}, "x", actor="ana", expected_seq=seen + 1, conn=shop.conn)
    assert (done.seq, done.status) == (seen + 2, "S")
    assert (shop.trace(wid)[-1].trw, shop.trace(wid)[-1].actor) == ("_SUSPEND", "ana")


def test_a_preview_changes_nothing_and_notifies_no_session(shop: Kit) -> None:
    wid = shop.start(a="1")
    number = park(shop, wid)
    listener = shop.connect()
    listener.execute('listen "tr_x"; listen wedsql_trace')
    shop.one("select wedsql.watch(%s, 'test')", [shop.one("select nextval('wedsql.job_seq')")])
    before = everything(shop)
    shown = api.repairs.preview(wid, "retry", {"job": number}, actor="ana", conn=shop.conn)
    assert (shown.status_before, shown.status_after) == ("E", "R")
    assert (shown.reason_before, shown.reason_after) == ("ATTEMPTS", "")
    assert (shown.steps, shown.withdrawn, shown.fires) == (["_RECOVER:retry"], [], [])
    for operation in ("cancel", "suspend", "rematch"):
        assert api.repairs.preview(wid, operation, conn=shop.conn).refusal is None
    assert everything(shop) == before
    shop.one("select pg_notify('wedsql_trace', 'end')")
    assert [found.payload for found in listener.notifies(timeout=60, stop_after=1)] == ["end"]


def test_a_refusal_is_a_part_of_the_preview(shop: Kit) -> None:
    wid = shop.start(a="1")
    shown = api.repairs.preview(wid, "resume", conn=shop.conn)
    assert shown.refusal is not None and shown.refusal.code == "WD105"
    assert "not suspended" in shown.refusal.message and shown.refusal.hint
    assert (shown.status_after, shown.after, shown.steps) == ("R", {}, [])
    with refused("WD105"):
        api.repairs.repair(wid, "resume", {}, "x", conn=shop.conn)


def test_a_preview_says_what_is_withdrawn(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    shown = api.repairs.preview(wid, "cancel", conn=shop.conn)
    expected = [(job.id, job.tgid, job.trname) for job in shop.pending(wid)]
    assert [(job.id, job.trigger, job.transition) for job in shown.withdrawn] == expected
    assert (shown.status_after, shown.steps, shown.fires) == ("C", ["_CANCEL"], [])


@pytest.mark.parametrize("operation", ["retry", "release", "withdraw", "extend"])
def test_operations_on_a_job_do_what_they_do_by_themselves(shop: Kit, operation: str) -> None:
    wid = shop.start(a="1", b="1")
    number = shop.lease("tr_x").id if operation == "release" else job_of(shop, wid)
    if operation == "retry":
        number = park(shop, wid)
    arguments: dict[str, Any] = {"job": number} | ({"seconds": 60} if operation == "extend" else {})
    shown = api.repairs.preview(wid, operation, arguments, conn=shop.conn)
    done = api.repairs.repair(
        wid, operation, arguments, "Why.", actor="ana", expected_seq=shown.seq, conn=shop.conn
    )
    row = shop.trace(wid)[-1]
    assert [each.trw for each in shop.trace(wid)][shown.seq :] == shown.steps
    assert (row.actor, done.status, done.seq) == ("ana", shown.status_after, row.seq)
    assert shown.steps[0] == f"_RECOVER:{operation}"
    assert broken(shop) == []


def test_r1_retry_without_a_job_retries_the_parked_ones(shop: Kit) -> None:
    wid = shop.start(a="1")
    with refused("WD212"):
        api.repairs.repair(wid, "retry", {}, "x", conn=shop.conn)
    park(shop, wid)
    assert api.repairs.repair(wid, "retry", {}, "x", conn=shop.conn).status == "R"
    assert shop.jobs(wid) == ["tr_x"]


def test_rematch_fires_what_holds_now(shop: Kit) -> None:
    wid = shop.start(a="1")
    shop.run("tr_x", wid, a="7")
    api.operations.suspend(wid, "x", conn=shop.conn)
    with refused("WD105"):
        api.repairs.repair(wid, "rematch", {}, "x", conn=shop.conn)
    api.operations.resume(wid, "x", conn=shop.conn)
    assert api.repairs.repair(wid, "rematch", {}, "x", conn=shop.conn).status == "E"
    assert broken(shop) == []


def test_only_the_pages_may_repair(shop: Kit, web: Connection) -> None:
    wid = shop.start(a="1")
    assert api.repairs.preview(wid, "suspend", conn=web).refusal is None
    assert api.repairs.repair(wid, "suspend", {}, "x", conn=web).status == "S"
    for role in ("wed_worker", "wed_reaper", "wed_monitor"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            shop.connect(role).execute("select wedsql.repair(1, 'suspend', '{}', 'x')")
