"""Many children of one parent, beside as many instances without a parent."""

from __future__ import annotations

import time

import psycopg
from psycopg.types.json import Jsonb

from bench.probes.base import Stage
from bench.targets import Measure
from flows import api

_FLOW = "parcels"
_DEFINITION = {
    "attributes": [{"name": "kind"}, {"name": "n", "type": "integer"}, {"name": "packed"}, {"name": "ready"}],
    "triggers": [
        {
            "transition": "pack_all",
            "predicate": "kind = 'order' and ready is null",
            "child": _FLOW,
            "child_count": "n",
            "child_set": ["kind = 'item'"],
            "child_result": ["ready = children_done"],
        },
        {"transition": "pack", "predicate": "kind = 'item' and packed is null"},
        {"predicate": "packed is not null or ready is not null", "final": True},
    ],
}
_TAKE = """
select array_agg(wid), array_agg(job_id), array_agg('{"packed": "yes"}'::jsonb)
from wedsql.take(%s, array['pack'], 100, 'bench')
"""
_DO = "select count(*) filter (where ok) from wedsql.complete_many(%s, %s, %s, %s::bigint[], %s, 'bench')"


def measure(stage: Stage) -> list[Measure]:
    """Measure from the start of the parent to its end, and the same work without a parent."""
    stage.database()
    size = 1_000 if stage.quick else 10_000
    with stage.cluster.session("probe") as conn:
        with conn.transaction():
            conn.execute("select wedsql.create_flow(%s)", [_FLOW])
            conn.execute("select wedsql.publish(%s, %s)", [_FLOW, Jsonb(_DEFINITION)])
        alone = _alone(conn, size)
        seconds, steps = _family(conn, size)
    label = f"{size:,} children of one parent, against instances without one"
    detail = f"{seconds:.1f} s against {alone:.1f} s; {steps} steps of the parent"
    return [Measure("children", label, seconds / alone, "times", detail)]


def _alone(conn: psycopg.Connection, size: int) -> float:
    began = time.perf_counter()
    for _ in range(size // 100):
        with conn.transaction():
            api.instances.start_many(_FLOW, [{"kind": "item"}] * 100, conn=conn)
    _pack(conn, size)
    return time.perf_counter() - began


def _family(conn: psycopg.Connection, size: int) -> tuple[float, int]:
    began = time.perf_counter()
    wid = api.instances.start(_FLOW, {"kind": "order", "n": size}, conn=conn)
    done = 0
    while done < size:
        api.children.continue_children(conn=conn)
        done += _pack(conn, size - done)
    while _last_step(conn, wid)[0] != "F":
        api.children.continue_children(conn=conn)
    return time.perf_counter() - began, _last_step(conn, wid)[1]


def _last_step(conn: psycopg.Connection, wid: int) -> tuple[str, int]:
    found = conn.execute("select status::text, seq from wedsql.instance where wid = %s", [wid]).fetchone()
    return found or ("", 0)


def _pack(conn: psycopg.Connection, most: int) -> int:
    """Complete the jobs that are ready, a hundred per transaction, and return how many."""
    done = 0
    while done < most:
        with conn.transaction():
            wids, jobs, changes = conn.execute(_TAKE, [_FLOW]).fetchone() or ((),) * 3
            if not wids:
                break
            values = [_FLOW, wids, jobs, [None] * len(wids), [Jsonb(each) for each in changes]]
            done += (conn.execute(_DO, values).fetchone() or (0,))[0]
    return done
