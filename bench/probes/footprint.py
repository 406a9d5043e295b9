"""The cost of a process that serves fifty transitions: connections, memory, start-up time."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import time
import urllib.request
from pathlib import Path

import psycopg

from bench import site
from bench.probes.base import Stage
from bench.probes.web import web
from bench.targets import Measure
from bench.work.definition import FIFTY, fifty
from testkit.processes import descendants
from testkit.waiting import until

_LOAD = 100


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
        before = _connections(conn)
        site.start_many(conn, _LOAD, FIFTY)
        _wait_idle(conn)
        connections = max(before, _connections(conn))
        own, all_of_them = memory_mb(processes.running[0])
    return [
        Measure("connections", "connections of a process serving 50 transitions", connections),
        Measure(
            "memory",
            "memory of a process serving 50 transitions",
            own,
            "MB",
            f"{all_of_them:.0f} MB with its parent",
        ),
        Measure("start-worker", "start of `wedworker` until it waits for work", ready, "s"),
    ]


def _connections(conn: psycopg.Connection) -> int:
    query = (
        "select count(*) from pg_stat_activity where datname = current_database() and usename = 'wed_worker'"
    )
    row = conn.execute(query).fetchone()
    return int(row[0]) if row else 0


def _wait_idle(conn: psycopg.Connection) -> None:
    query = "select from wedsql.job_pool limit 1"
    until(lambda: not conn.execute(query).rowcount, 30, "the fifty transitions are not done", pause=0.05)


def memory_mb(process: subprocess.Popen[str]) -> tuple[float, float]:
    """Return the resident MB of the largest child, and the proportional MB of the whole process tree."""
    family = [process.pid, *descendants(process.pid)]
    largest = max(_kilobytes(pid, "Rss") for pid in (family[1:] or family))
    return largest / 1024, sum(_kilobytes(pid, "Pss") for pid in family) / 1024


def _kilobytes(pid: int, kind: str) -> int:
    match = re.search(rf"^{kind}:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    return int(match.group(1)) if match else 0


def _web_start(stage: Stage) -> float:
    times = []
    for _ in range(1 if stage.quick else 3):
        began = time.perf_counter()
        with web(stage, "probe") as server:
            with urllib.request.urlopen(f"{server.url}accounts/login/", timeout=10) as answer:  # noqa: S310 - our own
                answer.read()
            times.append(time.perf_counter() - began)
    return statistics.median(times)


def cpu_seconds(pid: int) -> float:
    """Return the processor time that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
