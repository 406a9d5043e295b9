"""One instance at a time on an idle system: from start to final, with two rounds of commits between.

The time of a commit depends mostly on the disk, so each instance is followed by a commit of one row over the
same connection: expressed in such commits, figures of different machines, or hours, can be compared.
"""

from __future__ import annotations

import statistics
import time

import psycopg

from bench.probes.base import Stage, percentile
from bench.targets import Measure
from bench.work.definition import FLOW

_PAUSE = 0.005  # between two instances: the worker sleeps again when the next one starts
_TIMEOUT = 10.0


def measure(stage: Stage) -> list[Measure]:
    """Start instances one after another with one worker process, and wait for each to be final."""
    count = 60 if stage.quick else 200
    stage.database()
    with stage.workers("probe", "--processes", "1", "--mode", "step"):
        with stage.cluster.session("probe") as conn:
            conn.execute("create table bench_commit as select 0 as n")
            pairs = [(_one(conn), _commit(conn)) for _ in range(count + 20)][20:]
    times = [time for time, _ in pairs]
    p50, p99 = statistics.median(times) * 1000, percentile(times, 0.99) * 1000
    commit = statistics.median([commit for _, commit in pairs]) * 1000
    detail = f"{count} instances one after another, one worker process"
    return [
        Measure("latency-p50", "idle, start to final, p50", p50, "ms", detail),
        Measure("latency-p99", "idle, start to final, p99", p99, "ms", detail),
        Measure(
            "commit-p50", "a commit of one row by one client, between these instances, p50", commit, "ms"
        ),
        Measure("latency-commits", "idle, start to final, p50, in such commits", p50 / commit, "commits"),
    ]


def _commit(conn: psycopg.Connection) -> float:
    time.sleep(_PAUSE)
    began = time.perf_counter()
    conn.execute("update bench_commit set n = n + 1", prepare=True)
    return time.perf_counter() - began


def _one(conn: psycopg.Connection) -> float:
    time.sleep(_PAUSE)
    began = time.perf_counter()
    row = conn.execute("select wedsql.start(%s)", [FLOW], prepare=True).fetchone()
    while time.perf_counter() - began < _TIMEOUT:
        found = conn.execute("select status::text from wedsql.instance where wid = %s", row, prepare=True)
        if found.fetchone() == ("F",):
            return time.perf_counter() - began
        time.sleep(0.0001)
    raise RuntimeError(f"instance {row} was not final after {_TIMEOUT:.0f} s")
