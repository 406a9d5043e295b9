"""The largest flow that the designer is made for: its pages, the impact of a changed rule, publishing it."""

from __future__ import annotations

import itertools
import os
import threading
import time

import psycopg
from psycopg.types.json import Jsonb

from bench.probes.base import Stage
from bench.probes.site import page_times
from bench.targets import Measure
from bench.work import large
from flows import api

INSTANCES = 500_000
_SMALL = 20_000
_STEPS = 50  # per commit
_TAKE = "select array_agg(wid), array_agg(job_id) from wedsql.take(%s, array[%s], %s, 'bench')"
_PUBLISH = "select (wedsql.publish(%s, %s) ->> 'version')::integer"
_DO = """
select count(*) filter (where ok) from wedsql.complete_many(
  %s, %s, %s, array_fill(null::bigint, array[cardinality(%s)]),
  array_fill(jsonb_build_object('stage', %s::integer), array[cardinality(%s)]), 'bench')
"""


def measure(stage: Stage) -> list[Measure]:
    """Measure on 500,000 living instances (quick: 20,000, which is not judged)."""
    size = int(os.environ.get("WED_BENCH_INSTANCES", _SMALL if stage.quick else INSTANCES))
    dsn = stage.database()
    with psycopg.connect(dsn, autocommit=True) as conn:
        large.start(conn, size)
        pages = page_times.run(stage, "probe", "bench.probes.site.designer_pages")
        found = [*page_times.measures("designer", "designer", pages), *_impact(conn)]
        found += _publication(conn, dsn)
    return found if size >= INSTANCES else [each.unjudged(size) for each in found]


def _impact(conn: psycopg.Connection) -> list[Measure]:
    began = time.perf_counter()
    conn.execute("select wedsql.impact(%s, %s)", [large.LARGE, Jsonb(large.changed())])
    seconds = time.perf_counter() - began
    return [Measure("designer-impact", "impact of a changed rule", seconds, "s")]


def _publication(conn: psycopg.Connection, dsn: str) -> list[Measure]:
    """Publish and re-match while another session completes jobs; compare its pace before and meanwhile."""
    with _Steps(dsn) as steps:
        time.sleep(5)
        began = time.perf_counter()
        published = conn.execute(_PUBLISH, [large.LARGE, Jsonb(large.changed())]).fetchone()
        effective = time.perf_counter()
        report = api.instances.finish_rematch(large.LARGE, published[0] if published else 0, conn=conn)
        ended = time.perf_counter()
        time.sleep(2)
    before = steps.rate(began - 4, began)
    return [
        Measure("designer-publish", "publication of a changed rule", effective - began, "s"),
        Measure(
            "designer-rematch",
            "re-match after it",
            ended - effective,
            "s",
            f"{report.checked:,} instances in batches" if report else "in the publication's transaction",
        ),
        Measure(
            "designer-pace",
            "pace of a worker during publication and re-match",
            100 * steps.rate(began, ended) / before if before else 0.0,
            "%",
            f"{before:,.0f} steps/s before; longest wait {steps.longest_wait():.1f} s",
        ),
    ]


class _Steps(threading.Thread):
    """A session that completes jobs until the block ends, and remembers when each commit ended."""

    def __init__(self, dsn: str) -> None:
        super().__init__()
        self._dsn, self._ends, self._last = dsn, [], threading.Event()  # type: ignore[var-annotated]

    def __enter__(self) -> _Steps:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._last.set()
        self.join()

    def run(self) -> None:
        with psycopg.connect(self._dsn, autocommit=True) as conn:
            rule = 0
            while not self._last.is_set():
                rule = (rule + 1) % (large.RULES - 2)
                self._commit(conn, rule)

    def _commit(self, conn: psycopg.Connection, rule: int) -> None:
        with conn.transaction():
            found = conn.execute(_TAKE, [large.LARGE, f"tr_step{rule}", _STEPS], prepare=True).fetchone()
            wids, jobs = found or (None, None)
            if wids:
                conn.execute(_DO, [large.LARGE, wids, jobs, jobs, rule + 1, jobs], prepare=True)
        self._ends.append((time.perf_counter(), len(wids or ())))

    def rate(self, first: float, last: float) -> float:
        """Return the steps per second between two moments."""
        return sum(steps for at, steps in self._ends if first <= at < last) / (last - first)

    def longest_wait(self) -> float:
        """Return the longest time between two commits."""
        moments = [at for at, _steps in self._ends]
        return max((late - early for early, late in itertools.pairwise(moments)), default=0.0)
