"""The cost of a process that serves fifty transitions: connections, memory, start-up time."""

from __future__ import annotations

import statistics
import time
import urllib.request

import psutil
import psycopg

from bench import site
from bench.cluster import scalar
from bench.probes.base import Stage
from bench.probes.site.web import web
from bench.targets import Measure
from bench.work.definition import FIFTY, fifty
from testkit.processes import descendants
from testkit.waiting import until

_LOAD = 100
_CONNECTIONS = """
select count(*) from pg_stat_activity where datname = current_database() and usename = 'wed_worker'
"""


def measure(stage: Stage) -> list[Measure]:
    """Start a worker process, load it and measure it; measure the start of the web process."""
    dsn = stage.database()
    with psycopg.connect(dsn, autocommit=True) as conn:
        site.publish(conn, fifty())
        found = _worker(stage, conn)
    return [
        *found,
        Measure("start-web", "start of the web process to its first page", _web_start(stage), "s"),
    ]


def _worker(stage: Stage, conn: psycopg.Connection) -> list[Measure]:
    began = time.perf_counter()
    with stage.workers("probe", "--processes", "1", "--mode", "batch", flow=FIFTY) as processes:
        ready = time.perf_counter() - began
        before = scalar(conn, _CONNECTIONS)
        site.start_many(conn, _LOAD, FIFTY)
        done = "select not exists (select from wedsql.job_pool)"
        until(lambda: scalar(conn, done), 30, "the fifty transitions are not done", pause=0.05)
        connections = max(before, scalar(conn, _CONNECTIONS))
        own, with_parent = _memory_mb(processes.running[0].pid)
    return [
        Measure("connections", "connections of a process serving 50 transitions", connections),
        Measure("memory", "memory of a process serving 50 transitions", own, "MB",
                f"{with_parent:.0f} MB with its parent"),
        Measure("start-worker", "start of `wedworker` until it waits for work", ready, "s"),
    ]  # fmt: skip


def _memory_mb(pid: int) -> tuple[float, float]:
    """Return the resident MB of the largest child, and the proportional MB of the whole process tree."""
    family = [psutil.Process(one).memory_full_info() for one in (pid, *descendants(pid))]
    largest = max(one.rss for one in family[1:] or family)
    return largest / 2**20, sum(one.pss for one in family) / 2**20


def _web_start(stage: Stage) -> float:
    times = []
    for _ in range(1 if stage.quick else 3):
        began = time.perf_counter()
        with web(stage, "probe") as server:
            with urllib.request.urlopen(f"{server.url}accounts/login/", timeout=10) as answer:  # noqa: S310 - our own
                answer.read()
            times.append(time.perf_counter() - began)
    return statistics.median(times)
