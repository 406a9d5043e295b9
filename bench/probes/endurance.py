"""An hour of work with 200 watching: whether memory, connections and delays stay where they were."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psutil

from bench import site
from bench.cluster import scalar
from bench.probes.base import Stage, percentile
from bench.probes.site.browser import WATCHERS, Watched
from bench.probes.site.web import web
from bench.race import WorkerProcesses
from bench.targets import Measure
from testkit.processes import descendants, manage
from testkit.web import WebServer

DATABASE = "endurance"
_MINUTES = 60.0
_STARTS = 25.0  # a second, each of which leads to four changes
_SAMPLES = 60
_RECORDING = 2
_CONNECTIONS = "select count(*) from pg_stat_activity where backend_type = 'client backend'"


@dataclass
class Samples:
    """What was measured again and again; memory in MB by the name of the process."""

    memory: dict[str, list[float]] = field(default_factory=dict)
    connections: list[int] = field(default_factory=list)

    def take(self, pids: dict[str, int], connections: int) -> None:
        """Add the memory of each process with its children."""
        for name, pid in pids.items():
            self.memory.setdefault(name, []).append(_memory_mb(pid))
        self.connections.append(connections)


def measure(stage: Stage) -> list[Measure]:
    """Run all processes for an hour (or WED_BENCH_MINUTES) at 100 changes a second."""
    minutes = float(os.environ.get("WED_BENCH_MINUTES", 1.0 if stage.quick else _MINUTES))
    stage.database(DATABASE)
    with _installation(stage) as (server, pids):
        watched = Watched(stage, server, DATABASE, _RECORDING)
        with watched.browsers() as browsers:
            samples = _sampled(stage, watched, pids, minutes)
            arrivals = watched.arrivals(browsers)
    return [*_delays(watched.commits, arrivals), *_growth(samples, minutes)]


@contextmanager
def _installation(stage: Stage) -> Iterator[tuple[WebServer, dict[str, int]]]:
    """Start all processes; enter with the web process and the process ids by name."""
    reaper = site.environment(stage.cluster, DATABASE, "reaper") | {"Q_CLUSTER_NAME": "reaper"}
    with (
        web(stage, DATABASE) as server,
        WorkerProcesses([manage("qcluster")], reaper, announces=False) as reaping,
        stage.workers(DATABASE, "--processes", "1") as working,
    ):
        pids = {"web": server.pid, "reaper": reaping.running[0].pid, "worker": working.running[0].pid}
        yield server, pids


def _sampled(stage: Stage, watched: Watched, pids: dict[str, int], minutes: float) -> Samples:
    """Start instances for this time and take a sample in each sixtieth of it."""
    samples = Samples()
    with stage.cluster.session(DATABASE) as conn:
        for _ in range(_SAMPLES):
            watched.commit(conn, 60 * minutes / _SAMPLES, _STARTS)
            samples.take(pids, scalar(conn, _CONNECTIONS))
        done = "select count(*) from wedsql.instance where status = 'R'"
        ended = time.monotonic() + 60
        while scalar(conn, done) and time.monotonic() < ended:
            time.sleep(0.5)
    return samples


def _memory_mb(pid: int) -> float:
    family = [psutil.Process(one).memory_full_info() for one in (pid, *descendants(pid))]
    return float(sum(one.pss for one in family)) / 2**20


def _delays(commits: dict[int, float], arrivals: list[dict[str, float]]) -> list[Measure]:
    late = [seen[str(wid)] - at for seen in arrivals for wid, at in commits.items() if str(wid) in seen]
    lost = len(commits) * len(arrivals) - len(late)
    detail = f"{WATCHERS} watching, {len(commits):,} starts and {3 * len(commits):,} steps"
    return [
        Measure("endurance-lost", "commits that a browser did not see", lost, "", detail),
        Measure("endurance-p50", "commit to browser, p50", statistics.median(late) * 1000, "ms", detail),
        Measure("endurance-p99", "commit to browser, p99", percentile(late, 0.99) * 1000, "ms", detail),
    ]


def _growth(samples: Samples, minutes: float) -> list[Measure]:
    """Return the memory of each process, and how that of all grew after the first quarter."""
    quarter = _SAMPLES // 4
    found, totals = [], [0.0, 0.0]
    for name, sizes in samples.memory.items():
        early, late = statistics.median(sizes[quarter - 5 : quarter]), statistics.median(sizes[-5:])
        totals = [totals[0] + early, totals[1] + late]
        detail = f"{early:.1f} MB after {minutes / 4:.0f} minutes, {max(sizes):.1f} MB at most"
        found.append(Measure(f"endurance-{name}", f"memory of the {name} at the end", late, "MB", detail))
    detail = f"{totals[0]:.1f} MB after {minutes / 4:.0f} minutes, {totals[1]:.1f} MB after {minutes:.0f}"
    connections = f"{min(samples.connections)} to {max(samples.connections)}"
    return [
        *found,
        Measure("endurance-memory", "memory of all processes", totals[1] / totals[0], "times", detail),
        Measure("endurance-connections", "connections", samples.connections[-1], "", connections),
    ]
