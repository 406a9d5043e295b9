"""Finished instances inserted set-wise: the rows that a long operation would have left."""

from __future__ import annotations

import json

import psycopg

from bench.cluster import scalar
from bench.work.definition import FLOW

# One transaction for this many: the figures count the steps of a transaction together.
_AT_ONCE = 20_000

_INSTANCES = """
insert into wedsql.instance (wid, flow_id, status, seq, version, started_at, changed_at, finished_at, actor)
select wid, %(flow)s, 'F', %(steps)s, 1, at, at + %(steps)s * interval '1 ms',
       at + %(steps)s * interval '1 ms', 'bench'
from (select %(first)s + n as wid, now() - (%(before)s + n) * interval '0.02 s' as at
      from generate_series(1, %(count)s) n) made
"""
_STATES = """
-- One in a thousand differs, for the filters of the page probe.
insert into {flow}.wed_flow (wid, a1, a2, a3)
select %(first)s + n, 'final', case when n %% 1000 = 0 then 'rare' else 'done' end, 'done'
from generate_series(1, %(count)s) n
"""
_TRACE = """
insert into wedsql.wed_trace
  (flow_id, wid, seq, tstmp, trw, trf, state, status, job_id, cause_seq, tgid, fired, before, actor, version,
   tx_at)
select %(flow)s, %(first)s + n, s.seq, at, s.trw, s.trf, s.state, s.status::"char",
       case when s.seq > 1 then n end, s.cause, null, '{}', '{}', 'bench', 1, at
from generate_series(1, %(count)s) n
cross join jsonb_to_recordset(%(entries)s) s (seq integer, trw text, trf text[], state jsonb, status text,
                                              cause integer)
cross join lateral (
  select now() - (%(before)s + n) * interval '0.02 s' + s.seq * interval '1 ms' as at) t
"""


def fill(conn: psycopg.Connection, size: int, steps: int = 4) -> None:
    """Ensure `size` finished instances in the bench's flow; existing rows are kept.

    steps: the entries in the history of each, at least 4; an even number.
    """
    have = scalar(conn, "select count(*) from wedsql.instance where status = 'F'")
    for before in range(have, size, _AT_ONCE):
        _insert(conn, before, min(_AT_ONCE, size - before), steps)
    if have < size:
        conn.execute("select setval('wedsql.wid_seq', (select max(wid) from wedsql.instance))")
        conn.execute("vacuum (analyze) wedsql.instance, wedsql.wed_trace")
        conn.execute(f"vacuum (analyze) {FLOW}.wed_flow")


def _insert(conn: psycopg.Connection, before: int, count: int, steps: int) -> None:
    values = {
        "first": scalar(conn, "select coalesce(max(wid), 0) from wedsql.instance"),
        "before": before,
        "count": count,
        "steps": steps,
        "flow": scalar(conn, "select id from wedsql.flow where name = 'bench'"),
        "entries": json.dumps(_entries(steps)),
    }
    with conn.transaction():
        # As the kernel's own role, for which the kernel's triggers do nothing: these rows never ran.
        conn.execute("set local role wed_owner")
        for statement in (_INSTANCES, _STATES.format(flow=FLOW), _TRACE):
            conn.execute(statement, values)


def _entries(steps: int) -> list[dict[str, object]]:
    """Return the history of an instance of figure 2 whose first two transitions ran `steps` / 2 - 1 times."""
    state: dict[str, object] = {"a1": "ready", "a2": None, "a3": None}
    found = [_entry(1, "_INIT", "{tr_a2,tr_a3}", state)]
    for seq in range(2, steps):
        transition, attribute = ("tr_a2", "a2") if seq % 2 == 0 else ("tr_a3", "a3")
        state = {**state, attribute: "done"}
        fired = "{tr_final}" if seq == steps - 1 else f"{{{transition}}}" if seq < steps - 2 else "{}"
        found.append(_entry(seq, transition, fired, state))
    return [*found, {**_entry(steps, "tr_final", "{}", {**state, "a1": "final"}), "status": "F"}]


def _entry(seq: int, transition: str, fired: str, state: dict[str, object]) -> dict[str, object]:
    cause = seq - 1 if seq > 1 else None
    return {"seq": seq, "trw": transition, "trf": fired, "state": state, "status": "R", "cause": cause}
