"""One failing item never stops a round: each kind of item of the reaper is made to fail in turn.

The other items of the same flow and of another flow are processed, and the failing one is reported with its
reason.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
import pytest

from flows import api
from flows.tests.kit import Kit, refused, tgid

pytestmark = pytest.mark.kernel
KINDS = ("expired", "timers", "late", "ended")
# What each kind of item writes, for a trigger that makes it fail.
WRITES = {
    "expired": "after insert on wedsql.job_log for each row when (new.outcome = 'expired' and new.wid = %s)",
    "timers": "after insert on wedsql.wed_trace for each row when (new.trw = '_REMATCH' and new.wid = %s)",
    "late": "after insert on wedsql.job_log for each row when (new.outcome = 'late' and new.wid = %s)",
    "ended": "after insert on wedsql.job_log for each row when (new.outcome = 'timeout' and new.wid = %s)",
}


@pytest.fixture
def two(kit: Kit, connect: Callable[..., psycopg.Connection[Any]]) -> Iterator[tuple[Kit, Kit]]:
    """Two flows with the same definition."""
    api.flows.create(f"g_{uuid.uuid4().hex[:12]}", conn=kit.conn)
    name = kit.one("select name from wedsql.flow order by id desc limit 1")
    other = Kit(name, connect)
    for each in (kit, other):
        each.attrs("a")
        each.trig("tr_lease", "a = '1'", backoff="0", timeout="10 minutes")
        each.trig("tr_due", "a = '1'", due_after="1 hour")
        each.trig("tr_late", "a = '1'", pickup_deadline="1 hour", timeout="1 day")
        each.trig("tr_hold", "a = '1'", timeout="1 minute", backoff="0")
        each.final("a = '2'")
    yield kit, other
    for each in (kit, other):
        each.rows("drop trigger if exists poison on wedsql.job_log")
        each.rows("drop trigger if exists poison on wedsql.wed_trace")
    other.rows("set lock_timeout = '10s'")
    api.flows.drop(name, force=True, conn=other.conn)


def due(kit: Kit, wid: int) -> psycopg.Connection[Any]:
    """Lease a job of the instance and hold another one; all kinds of items are due two hours later."""
    ids = {job.trname: [job.id] for job in kit.pending(wid)}
    assert api.jobs.lease_many(kit.name, ["tr_lease"], 1, "h", job_ids=ids["tr_lease"], conn=kit.conn)
    holder = kit.connect(user="wed_worker")
    holder.autocommit = False
    assert api.jobs.take_many(kit.name, ["tr_hold"], 1, job_ids=ids["tr_hold"], conn=holder)
    return holder


def poison(kit: Kit, kind: str, wid: int) -> None:
    """Make this kind of item of this instance fail in the reaper."""
    kit.rows(
        "create or replace function public.poison() returns trigger language plpgsql as $$"
        " begin raise exception 'a poisoned item'; end $$"
    )
    kit.rows(f"create trigger poison {WRITES[kind] % wid} execute function public.poison()")


def done(kit: Kit, wid: int) -> set[str]:
    """Return the kinds of items that the reaper processed for an instance."""
    found = set(kit.logged(wid)) | {
        "timers" for row in kit.trace(wid) if row.trw == "_REMATCH" and row.trf == ["tr_due"]
    }
    return {{"timeout": "ended"}.get(word, word) for word in found} & set(KINDS)


def troubles(kit: Kit) -> list[tuple[str, int, str]]:
    """Return the reported troubles of the flow: kind, instance, message."""
    query = "select kind, wid, message from wedsql.trouble where flow_id = %s order by 1, 2"
    return [tuple(row) for row in kit.rows(query, [kit.id])]


@pytest.mark.parametrize("kind", KINDS)
def test_f5_a_poisoned_item_stops_no_other(two: tuple[Kit, Kit], kind: str) -> None:
    kit, other = two
    sick, well, beside = kit.start(a="1"), kit.start(a="1"), other.start(a="1")
    holders = [due(kit, sick), due(kit, well), due(other, beside)]
    poison(kit, kind, sick)
    kit.reap()
    kit.reap("2 hours")
    assert done(kit, sick) == set(KINDS) - {kind}
    assert done(kit, well) == done(other, beside) == set(KINDS)
    assert troubles(kit) == [(kind, sick, "a poisoned item")] and troubles(other) == []
    for holder in holders:
        holder.close()


@pytest.mark.parametrize("kind", ["expired", "timers", "late"])
def test_f5_what_failed_is_done_when_it_can_be_and_then_forgotten(two: tuple[Kit, Kit], kind: str) -> None:
    kit, _ = two
    wid = kit.start(a="1")
    holder = due(kit, wid)
    poison(kit, kind, wid)
    kit.reap("2 hours")
    kit.reap("2 hours")
    assert kit.one("select n from wedsql.trouble where flow_id = %s", [kit.id]) == 1, "tried again later"
    kit.reap("121 minutes")
    assert kit.one("select n from wedsql.trouble where flow_id = %s", [kit.id]) == 2
    kit.rows(f"drop trigger poison on {'wedsql.wed_trace' if kind == 'timers' else 'wedsql.job_log'}")
    kit.reap("131 minutes")
    assert kind in done(kit, wid) and troubles(kit) == []
    holder.close()


def test_f5_a_locked_table_costs_the_other_flows_nothing(two: tuple[Kit, Kit]) -> None:
    kit, other = two
    wid, beside = kit.start(a="1"), other.start(a="1")
    holders = [due(kit, wid), due(other, beside)]
    kit.reap()
    locker = kit.connect()
    with locker.transaction():
        kit.rows("lock table {f}.wed_flow in exclusive mode", conn=locker)
        kit.rows("set lock_timeout = '5s'")
        kit.reap("2 hours")
        ((kind, _, message),) = troubles(kit)
        assert kind == "locked" and str(locker.info.backend_pid) in message
    assert done(other, beside) == set(KINDS)
    kit.reap("2 hours 1 minute")
    assert done(kit, wid) >= set(KINDS) - {"ended"} and troubles(kit) == []
    for holder in holders:
        holder.close()


def test_f5_expired_leases_on_locked_instances_hide_no_other(two: tuple[Kit, Kit]) -> None:
    kit, _ = two
    kit.rows("update {f}.wed_trig set enabled = false where trname <> 'tr_lease' or trname is null")
    wids = [r.wid for r in api.instances.start_many(kit.name, [{"a": "1"}] * 21, conn=kit.conn)]
    assert len(api.jobs.lease_many(kit.name, ["tr_lease"], 21, "h", conn=kit.conn)) == 21
    locker = kit.connect()
    with locker.transaction():
        kit.rows("select from {f}.wed_flow where wid = any (%s) for update", [wids[:20]], locker)
        kit.clock("2 hours")
        assert api.maintenance.reap(5, conn=kit.conn)["expired"] == 1
    assert kit.logged(wids[20]) == ["expired"]


def test_f5_an_abort_at_a_timer_is_reported(two: tuple[Kit, Kit]) -> None:
    kit, other = two
    kit.attr("b", "1")
    kit.trig("tr_fails", "b::integer > 9", on_error="abort")
    sick, well, beside = kit.start(a="1"), kit.start(a="1"), other.start(a="1")
    as_before(kit, f"update {{f}}.wed_flow set b = 'x' where wid = {sick}")
    kit.reap("2 hours")
    assert "timers" in done(kit, well) and "timers" in done(other, beside) and "timers" not in done(kit, sick)
    ((kind, wid, message),) = troubles(kit)
    assert (kind, wid) == ("timers", sick) and '"tr_fails" failed' in message


def as_before(kit: Kit, statement: str) -> None:
    """Write data that an earlier release accepted, or damage, bypassing all triggers."""
    with kit.conn.transaction():
        kit.rows("set local session_replication_role = replica")
        kit.rows(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "update wedsql.trig set pickup_deadline = '300000 years' where flow_id = {id} and trname = 'tr_late'",
        "update wedsql.trig set backoff = '170000000 years' where flow_id = {id}",
        "update wedsql.trig set timeout = '300000 years' where flow_id = {id} and trname = 'tr_hold'",
        "update wedsql.job_pool set timeout = '300000 years' where flow_id = {id} and trname = 'tr_hold'",
        "update wedsql.job_pool set attempts = 32767 where flow_id = {id}",
        "update wedsql.flow set retention = '300000 years' where id = {id}",
    ],
)
def test_f5_no_value_of_one_flow_stops_another(two: tuple[Kit, Kit], statement: str) -> None:
    kit, other = two
    wid, beside = kit.start(a="1"), other.start(a="1")
    holders = [due(kit, wid), due(other, beside)]
    as_before(kit, statement.format(id=kit.id))
    kit.reap()
    kit.reap("2 hours")
    assert done(other, beside) == set(KINDS)
    assert done(kit, wid) >= {"expired", "timers"} and troubles(kit) == []
    assert kit.rows("select wid from wedsql.retirable(%s)", [kit.name]) == []
    for holder in holders:
        holder.close()


def test_f5_a_kind_of_item_that_cannot_be_looked_for_stops_no_other(two: tuple[Kit, Kit]) -> None:
    kit, other = two
    wid, beside = kit.start(a="1"), other.start(a="1")
    holders = [due(kit, wid), due(other, beside)]
    never = "not_before = '294276-12-31 23:59:59+00' where"
    as_before(kit, f"update wedsql.job_pool set {never} wid = {wid} and trname = 'tr_late'")
    kit.reap()
    kit.reap("2 hours")
    assert done(other, beside) == set(KINDS) and done(kit, wid) == set(KINDS) - {"late"}
    for holder in holders:
        holder.close()


def test_f5_attempts_of_an_exception_do_not_overflow(two: tuple[Kit, Kit]) -> None:
    kit, _ = two
    kit.rows("update {f}.wed_trig set enabled = false where trname <> 'tr_hold' or trname is null")
    wid = kit.start(a="1")
    kit.run("tr_hold", wid, a="0")
    as_before(kit, f"update wedsql.job_pool set attempts = 32767 where wid = {wid}")
    job = kit.lease("_EXCPT")
    assert kit.reap("2 hours")["expired"] == 1
    kit.clock("4 hours")
    job = kit.lease("_EXCPT")
    result = api.jobs.fail(job, "no", conn=kit.conn)
    assert result is not None and result.attempts == 32767


def test_f5_a_round_goes_on_without_the_sums_of_conditions(two: tuple[Kit, Kit]) -> None:
    kit, other = two
    wid, beside = kit.start(a="1"), other.start(a="1")
    holder = due(other, beside)
    kit.rows(
        "insert into wedsql.condition_failure (tgid, flow_id, at, sqlstate, message, wid)"
        " values (%s, %s, now(), '22012', 'division by zero', %s)",
        [tgid(kit, "tr_due"), kit.id, wid],
    )
    kit.rows("alter table wedsql.condition_error_sum add constraint poison check (n < 1) not valid")
    try:
        kit.reap("2 hours")
        query = "select kind, sqlstate from wedsql.trouble where flow_id = 0"
        assert [tuple(row) for row in kit.rows(query)] == [("conditions", "23514")]
        shown = kit.rows("select n, sqlstate from wedsql.condition_error where flow_id = %s", [kit.id])
        assert [tuple(row) for row in shown] == [(1, "22012")]
    finally:
        kit.rows("alter table wedsql.condition_error_sum drop constraint poison")
    assert "expired" in done(other, beside)
    kit.reap("3 hours")
    assert kit.one("select n from wedsql.condition_error_sum where flow_id = %s", [kit.id]) == 1
    assert kit.one("select n from wedsql.condition_error where flow_id = %s", [kit.id]) == 1
    assert kit.one("select count(*) from wedsql.trouble where flow_id = 0") == 0
    holder.close()


@pytest.mark.parametrize("option", ["timeout", "pickup_deadline", "backoff", "due_after"])
def test_k22_intervals_of_a_trigger_are_bounded(two: tuple[Kit, Kit], option: str) -> None:
    kit, _ = two
    for value in ("1001 years", "300000 years", "170000000 years"):
        with refused("WD009") as why:
            kit.trig("tr_x", "a = '1'", **{option: value})
        assert option in why.message and option in why.detail
    kit.trig("tr_x", "a = '1'", **{option: "1000 years"})


@pytest.mark.parametrize("setting", ["retention", "default_timeout"])
def test_k22_intervals_of_a_flow_are_bounded(two: tuple[Kit, Kit], setting: str) -> None:
    kit, _ = two
    with refused("WD009"):
        kit.policy(**{setting: "300000 years"})
    definition = kit.one("select wedsql.definition(%s)", [kit.name]) | {setting: "300000 years"}
    with refused("WD009"):
        kit.publish(definition)


def test_f5_a_due_time_that_never_comes_lets_the_reaper_sleep(kit: Kit) -> None:
    kit.attrs("a")
    kit.attr("due", None, "timestamptz")
    kit.trig("tr_wait", "a = '1'", due_attr="due")
    kit.start(a="1", due="infinity")
    assert kit.one("select wedsql.next_due()") is None


def test_f5_what_cannot_be_done_now_is_not_due_at_once(two: tuple[Kit, Kit]) -> None:
    kit, _ = two
    wid = kit.start(a="1")
    holder = due(kit, wid)
    kit.rows("update wedsql.timer set due_at = wedsql.now() + interval '1 day' where wid = %s", [wid])
    locker = kit.connect()
    with locker.transaction():
        kit.rows("select from {f}.wed_flow where wid = %s for update", [wid], locker)
        kit.reap("2 hours")
        assert kit.one("select wedsql.next_due() > wedsql.now() + interval '20 hours'")
    holder.close()


def test_f5_an_item_without_end_costs_a_round_and_no_more(two: tuple[Kit, Kit]) -> None:
    """The statement timeout fires once: after the item that used it up the statement has no limit."""
    kit, other = two
    wids = [kit.start(a="1"), kit.start(a="1"), other.start(a="1")]
    kit.rows(
        "create or replace function public.poison() returns trigger language plpgsql as $$"
        " begin perform pg_sleep(20); return new; end $$"
    )
    endless = f"for each row when (new.trw = '_REMATCH' and new.wid in ({wids[0]}, {wids[1]}))"
    kit.rows(
        f"create trigger poison after insert on wedsql.wed_trace {endless} execute function public.poison()"
    )
    kit.rows("set statement_timeout = '1s'")
    for minute in range(4):
        with suppress(psycopg.errors.QueryCanceled):
            kit.reap(f"{120 + minute} minutes")
    kit.rows("set statement_timeout = 0")
    assert "timers" in done(other, wids[2]), "the other flow is maintained"
    assert {(kind, wid) for kind, wid, _ in troubles(kit)} == {("timers", wids[0]), ("timers", wids[1])}


@contextmanager
def failing(kit: Kit, function: str) -> Iterator[None]:
    """Make a function of the kernel fail while the block runs."""
    whole = kit.one("select pg_get_functiondef(%s::regprocedure)", [f"wedsql.{function}"])
    head = whole[: whole.index("AS $")]
    kit.rows(f"{head} as $$ begin raise exception 'a poisoned round'; end $$")
    try:
        yield
    finally:
        kit.rows(whole)


@pytest.mark.parametrize(
    ("function", "kind"), [("_see_locks(timestamptz)", "sessions"), ("_reap_locks(integer)", "locks")]
)
def test_f5_a_round_goes_on_without_a_look_at_the_sessions(
    two: tuple[Kit, Kit], function: str, kind: str
) -> None:
    kit, _ = two
    wid = kit.start(a="1")
    holder = due(kit, wid)
    with failing(kit, function):
        kit.reap("2 hours")
        trouble = "select kind, message from wedsql.trouble where flow_id = 0"
        assert kit.rows(trouble) == [(kind, "a poisoned round")]
    assert "expired" in done(kit, wid)
    kit.reap("3 hours")
    assert kit.rows(trouble) == []
    holder.close()
