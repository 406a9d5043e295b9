"""Each invariant holds after regular work, and detects every kind of damage that it covers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from flows import api
from flows.types import Completion

pytestmark = pytest.mark.kernel
Connection = psycopg.Connection[Any]

DEFINITION: dict[str, Any] = {
    "attributes": [{"name": "a", "default": "0"}, {"name": "b"}],
    "triggers": [
        {"transition": "tr_a", "predicate": "a = '0'"},
        {"transition": "tr_b", "predicate": "b is null"},
        {"predicate": "a = '1' and b = '1'", "final": True},
    ],
}
DAMAGE = [
    ("I1", "delete from wedsql.job_pool where wid = {running}"),
    ("I1", "update wedsql.job_pool set state = 'K' where wid = {running}"),
    ("I2", "delete from wedsql.job_pool where wid = {running} and trname = 'tr_b'"),
    ("I3", "delete from wedsql.wed_trace where wid = {final} and seq = 2"),
    ("I3", "update wedsql.instance set seq = seq + 1 where wid = {running}"),
    ("I3", "update wedsql.wed_trace set state = state || '{{\"a\": \"9\"}}' where wid = {final} and seq = 2"),
    ("I3", "update wedsql.wed_trace set before = '{{\"a\": \"7\"}}' where wid = {final} and trw = 'tr_a'"),
    ("I3", "set role wed_owner; update {flow}.wed_flow set a = '5' where wid = {final}; reset role"),
    ("I4", "update wedsql.wed_trace t set job_id = (select o.job_id from wedsql.wed_trace o"
           " where o.wid = {final} and o.seq = 2) where wid = {final} and seq = 3"),
    ("I4", "update wedsql.wed_trace set claim = 99999999 where wid = {final} and seq in (2, 3)"),
    ("I5", "update wedsql.instance set status = 'F' where wid = {running}"),
    ("I5", "update wedsql.job_pool set state = 'L' where wid = {running}"),
    ("I6", "update wedsql.wed_trace set job_id = null where wid = {final} and seq = 3"),
    ("I6", "update wedsql.job_pool set cause_seq = 77 where wid = {running}"),
    ("I7", "update wedsql.job_pool set attempts = 4 where wid = {running}"),
    ("I12", "with d as (insert into wedsql.device (person, key, secret, files_secret, registered_at,"
            " seen_at, settled) values ('ana', '0123456789abcdef', '', '', now(), now(), 2) returning id)"
            " insert into wedsql.device_result (device_id, number, state, wid, content, arrived_at)"
            " select d.id, 1, 'W', {running}, '{{}}', now() from d"),
    ("I13", "update wedsql.instance set status = 'M' where wid = {running}"),
]  # fmt: skip


def _step(conn: Connection, flow: str, changes: dict[str, Any], transition: str, wid: int) -> None:
    ids = [o.id for o in api.jobs.offer(flow, [transition], conn=conn) if o.wid == wid]
    with conn.transaction():
        job = api.jobs.take_many(flow, [transition], 1, job_ids=ids, conn=conn)[0]
        assert api.jobs.complete_many(flow, [Completion(job, changes)], conn=conn)[0].ok


@pytest.fixture
def lived(flow: str, connect: Callable[..., Connection]) -> dict[str, Any]:
    """A flow with an instance that has ended, and one that has failed once and is still running."""
    conn = connect()
    api.flows.publish(flow, DEFINITION, conn=conn)
    final, running = (api.instances.start(flow, {}, conn=conn) for _ in range(2))
    _step(conn, flow, {"a": "1"}, "tr_a", final)
    _step(conn, flow, {"b": "1"}, "tr_b", final)
    job = api.jobs.lease_many(flow, ["tr_a"], 1, "tester", conn=conn)[0]
    api.jobs.fail(job, "not today", conn=conn)
    return {"conn": conn, "flow": flow, "final": final, "running": running}


def _broken(conn: Connection, limit: int | None = None) -> dict[str, Any]:
    found = conn.execute("select name, example from wedsql.invariants(%s) where not ok", [limit]).fetchall()
    return dict(found)


@pytest.mark.parametrize("limit", [None, 5])
def test_regular_work_violates_no_invariant(lived: dict[str, Any], limit: int | None) -> None:
    rows = lived["conn"].execute("select name, found from wedsql.invariants(%s)", [limit]).fetchall()
    assert rows == [(f"I{n}", 0) for n in range(1, 14)]


@pytest.mark.parametrize(("name", "statement"), DAMAGE)
def test_damage_is_reported(lived: dict[str, Any], name: str, statement: str) -> None:
    conn = lived["conn"]
    with conn.transaction(force_rollback=True):
        conn.execute(statement.format(**{k: v for k, v in lived.items() if k != "conn"}))
        for limit in (None, 5):
            example = _broken(conn, limit)
            assert name in example
            assert example[name].get("wid", lived["final"]) in (lived["final"], lived["running"])


def test_changed_attributes_are_no_damage(lived: dict[str, Any]) -> None:
    conn, flow = lived["conn"], lived["flow"]
    changed = {
        **DEFINITION,
        "attributes": [*DEFINITION["attributes"], {"name": "n", "type": "integer", "default": "5"}],
    }
    api.flows.publish(flow, changed, conn=conn)
    _step(conn, flow, {"b": "1"}, "tr_b", lived["running"])
    assert _broken(conn) == {}
    api.flows.publish(flow, DEFINITION, conn=conn)
    assert _broken(conn) == {}


def test_a_short_wait_for_a_lock_is_no_violation(
    lived: dict[str, Any], connect: Callable[..., Connection]
) -> None:
    holder, waiter = connect(), connect()
    holder.autocommit = False
    holder.execute("select pg_advisory_xact_lock(77)")
    with pytest.raises(psycopg.errors.LockNotAvailable):
        waiter.execute("set lock_timeout = '50ms'; select pg_advisory_xact_lock(77)")
    assert "I8" not in _broken(lived["conn"])
    holder.rollback()


def test_monitor_may_look_and_worker_may_not(
    lived: dict[str, Any], connect: Callable[..., Connection]
) -> None:
    assert len(connect("wed_monitor").execute("select * from wedsql.invariants(10)").fetchall()) == 13
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connect("wed_worker").execute("select * from wedsql.invariants(10)")


def test_an_attribute_that_goes_and_comes_back_is_no_damage(lived: dict[str, Any]) -> None:
    conn, flow = lived["conn"], lived["flow"]
    other = [*DEFINITION["attributes"], {"name": "x", "type": "jsonb"}]
    for attributes in (DEFINITION["attributes"][:1], other, DEFINITION["attributes"]):
        triggers = [t for t in DEFINITION["triggers"] if len(attributes) > 1 or "b" not in t["predicate"]]
        api.flows.publish(flow, {"attributes": attributes, "triggers": triggers}, conn=conn)
        assert _broken(conn) == {}


def test_the_first_violations_are_named_and_all_are_counted(lived: dict[str, Any]) -> None:
    conn, flow = lived["conn"], lived["flow"]
    wids = [lived["running"], *(api.instances.start(flow, {}, conn=conn) for _ in range(4))]
    with conn.transaction(force_rollback=True):
        conn.execute("delete from wedsql.job_pool where wid = any (%s)", [wids])
        for limit in (None, 20):
            query = "select found, examples from wedsql.violations(%s, 3) where name = 'I1'"
            found, examples = conn.execute(query, [limit]).fetchone() or (0, [])
            assert found == 5 and len(examples) == 3
            assert {one["wid"] for one in examples} <= set(wids)


def test_a_check_is_stored_for_all_pages(lived: dict[str, Any], connect: Callable[..., Connection]) -> None:
    at = api.maintenance.check_invariants(20, conn=connect("wed_web"))
    kept = "select seen_at, detail from wedsql.beat where name = 'invariants'"
    seen_at, detail = connect("wed_monitor").execute(kept).fetchone() or (None, {})
    assert seen_at == at and detail["limit"] == 20 and detail["seconds"] > 0
    assert [(one["name"], one["found"]) for one in detail["findings"]] == [(f"I{n}", 0) for n in range(1, 14)]
    assert api.maintenance.check_invariants(20, conn=connect("wed_reaper")) > at  # type: ignore[operator]
    for role in ("wed_worker", "wed_monitor"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connect(role).execute("select wedsql.check_invariants(1)")


def test_two_checks_do_not_run_at_once(lived: dict[str, Any], connect: Callable[..., Connection]) -> None:
    first = connect()
    lived["conn"].execute("set lock_timeout = '2s'")
    with first.transaction():
        assert api.maintenance.check_invariants(5, conn=first) is not None
        assert api.maintenance.check_invariants(5, conn=lived["conn"]) is None
    assert api.maintenance.check_invariants(5, conn=lived["conn"]) is not None
