"""Finished instances inserted set-wise: the rows that a long operation would have left."""

from __future__ import annotations

import psycopg

from bench.cluster import scalar
from bench.work.definition import FLOW

# The rows that figure 2 leaves: the instance, its state, and the four entries of its history.
_INSTANCES = """
insert into wedsql.instance (wid, flow_id, status, seq, version, started_at, changed_at, finished_at, actor)
select wid, %(flow)s, 'F', 4, 1, at, at + interval '3 ms', at + interval '3 ms', 'bench'
from (select %(first)s + n as wid, now() - n * interval '0.02 s' as at
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
  (flow_id, wid, seq, tstmp, trw, trf, state, status, job_id, tgid, fired, before, actor, version, tx_at)
select %(flow)s, %(first)s + n, s.seq, at, s.trw, s.trf, s.state, s.status::"char", n, null,
       '{}', '{}', 'bench', 1, at
from generate_series(1, %(count)s) n
cross join (values
  (1, '_INIT', '{tr_a2,tr_a3}'::text[], '{"a1":"ready","a2":null,"a3":null}'::jsonb, 'R'),
  (2, 'tr_a2', '{}', '{"a1":"ready","a2":"done","a3":null}', 'R'),
  (3, 'tr_a3', '{tr_final}', '{"a1":"ready","a2":"done","a3":"done"}', 'R'),
  (4, 'tr_final', '{}', '{"a1":"final","a2":"done","a3":"done"}', 'F')) s (seq, trw, trf, state, status)
cross join lateral (select now() - n * interval '0.02 s' + s.seq * interval '1 ms' as at) t
"""


def fill(conn: psycopg.Connection, size: int) -> None:
    """Ensure `size` finished instances in the bench's flow; existing rows are kept."""
    have = scalar(conn, "select count(*) from wedsql.instance where status = 'F'")
    if have >= size:
        return
    values = {
        "first": scalar(conn, "select coalesce(max(wid), 0) from wedsql.instance"),
        "count": size - have,
        "flow": scalar(conn, "select id from wedsql.flow where name = 'bench'"),
    }
    with conn.transaction():
        # As the kernel's own role, for which the kernel's triggers do nothing: these rows never ran.
        conn.execute("set local role wed_owner")
        for statement in (_INSTANCES, _STATES.format(flow=FLOW), _TRACE):
            conn.execute(statement, values)
        conn.execute("select setval('wedsql.wid_seq', (select max(wid) from wedsql.instance))")
    conn.execute("vacuum (analyze) wedsql.instance, wedsql.wed_trace")
    conn.execute(f"vacuum (analyze) {FLOW}.wed_flow")
