"""The instances of a large installation: finished, running and exceptional ones with their history."""

from __future__ import annotations

import time

import psycopg

from bench.cluster import scalar
from bench.probes.history import fill
from bench.work.definition import FLOW

STEPS = 10
"""the steps of each finished instance"""
_AT_ONCE = 5_000
_TAKE = """
select array_agg(wid), array_agg(job_id) from wedsql.take(%s, array['tr_a2'], %s, 'bench')
"""
_FAIL = """
with jobs (flow, wids, ids) as (values (%s, %s::integer[], %s::bigint[]))
select count(*) filter (where d.ok) from jobs j cross join lateral wedsql.complete_many(
  j.flow, j.wids, j.ids, array_fill(null::bigint, array[cardinality(j.ids)]),
  array_fill('{"a1": null}'::jsonb, array[cardinality(j.ids)]), 'bench') d
"""
_START = """
select count(*) from wedsql.start_many(%s, array_fill(%s::jsonb, array[%s::integer]))
"""


def populate(conn: psycopg.Connection, size: int) -> float:
    """Fill the bench's flow with `size` instances; return the seconds of counting them into figures.

    One in ten is running with two jobs, one in a thousand is an exception, all others are final.
    """
    running, exceptions = size // 10, size // 1_000
    fill(conn, size - running - exceptions, STEPS)
    _start(conn, '{"a3": "done"}', exceptions)
    with conn.transaction():
        jobs = conn.execute(_TAKE, [FLOW, exceptions]).fetchone()
        conn.execute(_FAIL, [FLOW, *(jobs or ())])
    _start(conn, "{}", running)
    conn.execute(f"create index if not exists a2_wid on {FLOW}.wed_flow (a2, wid)")
    conn.execute(f"vacuum (analyze) wedsql.instance, wedsql.job_pool, wedsql.wed_trace, {FLOW}.wed_flow")
    return _count(conn)


def _start(conn: psycopg.Connection, state: str, count: int) -> None:
    for first in range(0, count, _AT_ONCE):
        conn.execute(_START, [FLOW, state, min(_AT_ONCE, count - first)])


def _count(conn: psycopg.Connection) -> float:
    began = time.perf_counter()
    while scalar(conn, "select (wedsql.count_history(20000) ->> 'more')::boolean"):
        pass
    return time.perf_counter() - began
