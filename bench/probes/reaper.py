"""A round of the reaper beside many waiting things of each kind: what waits must cost it nothing."""

from __future__ import annotations

import time

import psycopg
from psycopg import Rollback
from psycopg.types.json import Jsonb

from bench.probes.base import Stage
from bench.targets import Measure

_FLOW = "orders"
_DEFINITION = {
    "attributes": [{"name": "a"}, {"name": "paid"}, {"name": "done"}],
    "triggers": [
        {"transition": "tr_x", "predicate": "a = '1'", "pickup_deadline": "1 day"},
        {"transition": "paying", "predicate": "a = '2' and paid is null", "signal": True, "keep": "1 day"},
        {"transition": "tr_wait", "predicate": "a = '3'", "due_after": "1 day"},
        {"transition": "tr_set", "predicate": "a = '1' and done is null", "performer": "database",
         "sets": "done = 'yes'"},
        {"predicate": "a = 'end'", "final": True},
    ],
}  # fmt: skip
# What a round of the reaper calls.
_ROUND = (
    "reap",
    "continue_children",
    "continue_bulk",
    "decide_late",
    "run_policies",
    "sign_cases",
    "end_waits",
)
_ROW = "(select 1500000000 + g as wid, g from generate_series(1, %(many)s) g) r"
_INSTANCES = """insert into wedsql.instance (wid, flow_id, status, version, started_at, changed_at)
select wid, %(flow)s, %(status)s::"char", 1, now(), now() from {row}"""
_STATES = "insert into orders.wed_flow (wid) select wid from {row}"
_JOBS = """insert into wedsql.job_pool (wid, tgid, flow_id, trname, payload, fired_at, fired_xid, cause_seq,
  version, state)
select wid, t.tgid, %(flow)s, t.trname, '{}', now(), 1, 0, 1, 'P'
from {row} cross join wedsql.trig t where t.flow_id = %(flow)s and t.trname = %(transition)s"""
_CASES = """insert into wedsql.repair_case (flow_id, wid, cause, transition, seq, signed_seq, opened_at,
  opened_seq, state)
select %(flow)s, wid, 'STUCK', 'tr_x', 0, 0, now(), 0, 'new' from {row}"""
_SIGNALS = """insert into wedsql.signal (flow_id, name, key, data, actor, sent_at, state, keep_until)
select %(flow)s, 'paying', 'none ' || g, '{}', 'bank', now(), 'K', now() + interval '1 day' from {row}"""
_TIMERS = """insert into wedsql.timer (wid, tgid, flow_id, due_at)
select wid, t.tgid, %(flow)s, now() + interval '1 hour'
from {row} cross join wedsql.trig t where t.flow_id = %(flow)s and t.trname = 'tr_wait'"""
_CHILDREN = (
    "insert into wedsql.child_job (parent_wid, job_id, flow_id, tgid, total, started)"
    " select wid, g, %(flow)s, 0, 1, 1 from {row}",
    "insert into wedsql.child (wid, parent_wid, job_id, number, root_wid, depth)"
    " select wid, wid, g, 1, wid, 1 from {row}",
)
# What waits -> the statements that make it, and what fills them.
_KINDS: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "nothing": ((), {}),
    "kept signals for keys of no instance": ((_SIGNALS,), {}),
    "jobs within their pickup deadline": ((_INSTANCES, _STATES, _JOBS), {"transition": "tr_x"}),
    "jobs that wait for a signal": ((_INSTANCES, _STATES, _JOBS), {"transition": "paying"}),
    "automatic jobs of exceptions": ((_INSTANCES, _STATES, _JOBS), {"transition": "tr_set", "status": "E"}),
    "cases that no policy suits": ((_INSTANCES, _STATES, _CASES), {"status": "E"}),
    "timers": ((_INSTANCES, _STATES, _TIMERS), {}),
    "children": ((_INSTANCES, _STATES, *_CHILDREN), {}),
    "instances that have ended": ((_INSTANCES, _STATES), {"status": "F"}),
}
_READ = """select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint
from pg_stat_xact_all_tables where schemaname in ('wedsql', 'orders')"""


def measure(stage: Stage) -> list[Measure]:
    """Measure the second round after each kind was added; a first one may look at what is new."""
    stage.database()
    many = 5_000 if stage.quick else 100_000
    with stage.cluster.session("probe") as conn:
        with conn.transaction():
            conn.execute("select wedsql.create_flow(%s)", [_FLOW])
            conn.execute("select wedsql.publish(%s, %s)", [_FLOW, Jsonb(_DEFINITION)])
        return [_measure(conn, what, many) for what in _KINDS]


def _measure(conn: psycopg.Connection, what: str, many: int) -> Measure:
    with conn.transaction() as everything:
        _wait(conn, what, many)
        for _ in range(3):
            _round(conn)
        rows, seconds = min(_round(conn) for _ in range(3))
        label = f"a round beside {many:,}: {what}" if what != "nothing" else "a round beside nothing"
        made = Measure("reaper", label, 1000 * seconds, "ms", f"{rows:,} rows read")
        raise Rollback(everything)
    return made


def _wait(conn: psycopg.Connection, what: str, many: int) -> None:
    """Add so many of what waits."""
    statements, more = _KINDS[what]
    found = conn.execute("select id from wedsql.flow where name = %s", [_FLOW]).fetchone() or (0,)
    given = {"flow": found[0], "many": many, "status": "R", "transition": ""} | more
    conn.execute("set local session_replication_role = replica")
    for statement in statements:
        conn.execute(statement.replace("{row}", _ROW), given)
    conn.execute("set local session_replication_role = origin")
    conn.execute("analyze wedsql.signal, wedsql.job_pool, wedsql.instance, wedsql.repair_case, wedsql.timer")
    if what == "cases that no policy suits":  # each is new, so the policies look at it once
        conn.execute("select wedsql.run_policies(%s)", [many])
    if what == "jobs that wait for a signal":  # they were fired just now, and are looked at once
        conn.execute("update wedsql.care set looks = jsonb_build_object('fired', (select max(id) from "
                     "wedsql.job_pool)) where flow_id = %s", [found[0]])  # fmt: skip


def _round(conn: psycopg.Connection) -> tuple[int, float]:
    """Return the rows that a round reads, and its seconds."""
    before = (conn.execute(_READ).fetchone() or (0,))[0]
    began = time.perf_counter()
    for function in _ROUND:
        conn.execute(f"select wedsql.{function}()")
    seconds = time.perf_counter() - began
    return (conn.execute(_READ).fetchone() or (0,))[0] - before, seconds
