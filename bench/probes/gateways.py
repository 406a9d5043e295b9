"""A gateway that the database performs (X6), against one whose transition a worker performs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from bench.probes.base import Stage
from bench.targets import Measure

_STEP = """
select count(*) from wedsql.take(%s, array[%s], 1, 'bench', %s) t
cross join lateral wedsql.complete_many(%s, array[t.wid], array[t.job_id], array[null::bigint],
                                        array[%s::jsonb], 'bench') c where c.ok
"""
_JOBS = "select id from wedsql.job_pool where wid = any (%s) and trname = %s order by id"
_ROUNDS = 5
# A task, a fork with a join after it, and a task: 2 + 2 steps. `moves` has what each step sets.
_MOVES: Mapping[str, Mapping[str, int]] = {
    "first": {"e1": 0, "e2": 1},
    "fork": {"e2": 0, "e3": 1, "e4": 1},
    "join": {"e3": 0, "e4": 0, "e5": 1},
    "last": {"e5": 0, "ended": 1},
}
_WHEN = {"first": "e1 > 0", "fork": "e2 > 0", "join": "e3 > 0 and e4 > 0", "last": "e5 > 0"}


def measure(stage: Stage) -> list[Measure]:
    """Measure instances with a fork and a join between two tasks, both ways in interleaved rounds."""
    stage.database()
    size = 30 if stage.quick else 300
    costs: dict[str, list[float]] = {"database": [], "worker": []}
    with stage.cluster.session("probe") as conn:
        for performer in costs:
            with conn.transaction():
                flow = performer + "s"
                conn.execute("select wedsql.create_flow(%s)", [flow])
                conn.execute("select wedsql.publish(%s, %s)", [flow, Jsonb(_definition(performer))])
        for _round in range(_ROUNDS):
            for performer, found in costs.items():
                found.append(_cost(conn, performer, size))
    return _measures({performer: statistics.median(found) for performer, found in costs.items()})


def _definition(performer: str) -> dict[str, Any]:
    triggers: list[dict[str, Any]] = [
        {"transition": name, "predicate": predicate} for name, predicate in _WHEN.items()
    ]
    for trigger in triggers[1:3]:
        if performer == "database":
            sets = ", ".join(f"{edge} = {count}" for edge, count in _MOVES[trigger["transition"]].items())
            trigger |= {"performer": "database", "sets": sets}
    edges = [f"e{n}" for n in range(1, 6)]
    return {
        "attributes": [{"name": name, "type": "integer", "default": "0"} for name in (*edges, "ended")],
        "triggers": [*triggers, {"predicate": "ended = 1", "final": True}],
    }


def _cost(conn: psycopg.Connection, performer: str, size: int) -> float:
    """Return the seconds per instance from the first task to the end, each job a transaction."""
    flow = performer + "s"
    with conn.transaction():
        wids = conn.execute(
            "select array_agg(wedsql.start(%s, '{\"e1\": 1}')) from generate_series(1, %s)", [flow, size]
        ).fetchone()
    by_worker = [*_MOVES] if performer == "worker" else ["first", "last"]
    began = time.perf_counter()
    for name in by_worker:
        jobs = conn.execute(_JOBS, [*(wids or ()), name]).fetchall()
        if len(jobs) != size:
            raise RuntimeError(f"{len(jobs)} of {size} jobs of {name} are there")
        for (job,) in jobs:
            conn.execute(_STEP, [flow, name, [job], flow, Jsonb(_MOVES[name])], prepare=True)
    return (time.perf_counter() - began) / size


def _measures(costs: dict[str, float]) -> list[Measure]:
    return [
        Measure(
            "gateway-database",
            "two tasks with a fork and a join that the database performs, against a worker's",
            costs["database"] / costs["worker"],
            "times",
            f"{1000 * costs['database']:.1f} ms against {1000 * costs['worker']:.1f} ms per instance",
        )
    ]
