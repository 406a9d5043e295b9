"""The cost of more triggers: the same state changes in flows of 4, 100 and 1,000 triggers."""

from __future__ import annotations

import statistics
import time

import psycopg
from psycopg.types.json import Jsonb

from bench import site
from bench.probes.base import Stage
from bench.targets import Measure
from bench.work.definition import wide

_SIZES = (4, 100, 1000)
_TAKE = """
select array_agg(wid), array_agg(job_id), array_agg(jsonb_build_object('a2', 'done'))
from wedsql.take(%s, array['tr_a2'], %s, 'bench')
"""
_DO = "select count(*) filter (where ok) from wedsql.complete_many(%s, %s, %s, %s::bigint[], %s, 'bench')"


def measure(stage: Stage) -> list[Measure]:
    """Measure one step per commit and a hundred per commit, in interleaved rounds."""
    stage.database()
    singles: dict[int, list[float]] = {size: [] for size in _SIZES}
    batches: dict[int, list[float]] = {size: [] for size in _SIZES}
    with stage.cluster.session("probe") as conn:
        _publish(conn)
        for _ in range(2 if stage.quick else 5):
            for size in _SIZES:
                singles[size].append(_cost(conn, f"bench{size}", steps=100, a_commit=1))
                batches[size].append(_cost(conn, f"bench{size}", steps=300, a_commit=100))
    return [
        *_measures(singles, "one commit a step", judged=True),
        *_measures(batches, "batched", judged=False),
    ]


def _publish(conn: psycopg.Connection) -> None:
    for size in _SIZES:
        with conn.transaction():
            site.publish(conn, wide(f"bench{size}", size))


def _cost(conn: psycopg.Connection, flow: str, steps: int, a_commit: int) -> float:
    """Return seconds per step of taking and completing jobs, `a_commit` of them per transaction."""
    site.start_many(conn, steps, flow)
    began = time.perf_counter()
    for _ in range(steps // a_commit):
        with conn.transaction():
            wids, jobs, changes = conn.execute(_TAKE, [flow, a_commit], prepare=True).fetchone() or ((),) * 3
            values = [flow, wids, jobs, [None] * len(wids), [Jsonb(c) for c in changes]]
            done = conn.execute(_DO, values, prepare=True).fetchone()
            if done != (a_commit,):
                raise RuntimeError(f"{done} of {a_commit} steps were done in {flow}")
    return (time.perf_counter() - began) / steps


def _measures(costs: dict[int, list[float]], how: str, judged: bool) -> list[Measure]:
    least = statistics.median(costs[_SIZES[0]])
    found = []
    for size in _SIZES[1:]:
        cost = statistics.median(costs[size])
        key = f"triggers-{size}" if judged else f"triggers-{size}-batched"
        detail = f"{cost * 1e6:,.0f} µs a step against {least * 1e6:,.0f}"
        found.append(Measure(key, f"a state change, {size:,} triggers, {how}", cost / least, "times", detail))
    return found
