"""Tasks of people a second: five tasks in a row, ten persons, beside django-viewflow and SpiffWorkflow.

Each library runs in an environment of its own, in two processes, with its storage on the same server.
SpiffWorkflow has none but a serializer: a row has the workflow, and another each task that may be taken.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bench import site
from bench.people import environments
from bench.people.wedsql_office import definition
from bench.probes.base import Stage
from bench.targets import Measure
from testkit.processes import ProcessGroup
from wedsql_site.environment import CHECKOUT

PROCESSES = 2
_VIEWFLOW, _SPIFF, _EACH, _MANY = "viewflow", "spiff", "each", "many"
_LABELS = {
    _VIEWFLOW: "django-viewflow",
    _SPIFF: "SpiffWorkflow, two rows in PostgreSQL",
    _EACH: "WED-SQL, a commit for taking and one for completing",
    _MANY: "WED-SQL, pages of 200 taken and completed at once",
}
_INSTANCES = {_VIEWFLOW: 300, _SPIFF: 900, _EACH: 600, _MANY: 2_000}


@dataclass(frozen=True)
class Program:
    """How the program of a library is started."""

    command: list[str]
    database: str
    environment: dict[str, str]


def measure(stage: Stage) -> list[Measure]:
    """Measure all in interleaved rounds."""
    programs = _prepared(stage)
    rates: dict[str, list[float]] = {name: [] for name in programs}
    for turn in range(1 if stage.quick else 3):
        for name in sorted(programs, reverse=bool(turn % 2)):
            rates[name].append(_rate(stage, programs[name], _INSTANCES[name]))
    median = {name: statistics.median(each) for name, each in rates.items()}
    return [*_measures(median, rates), _bare_commit(stage)]


def _prepared(stage: Stage) -> dict[str, Program]:
    people, home = str(environments.HERE), stage.cluster.home
    viewflow = stage.cluster.create_database("people_viewflow")
    variables = {
        "BENCH_DSN": viewflow,
        "DJANGO_SETTINGS_MODULE": "viewflow_app.settings",
        "PYTHONPATH": people,
    }
    python = environments.made(home, "viewflow")
    site.output([python, "-m", "django", "migrate", "-v", "0"], variables)
    spiff = stage.cluster.create_database("people_spiff")
    ours = stage.database("people_wedsql")
    with stage.cluster.session("people_wedsql") as conn, conn.transaction():
        site.publish(conn, definition())
    own, ours_is = [sys.executable, "-m", "bench.people.wedsql_office"], {"PYTHONPATH": str(CHECKOUT)}
    return {
        _VIEWFLOW: Program([python, "-m", "viewflow_app"], viewflow, variables),
        _SPIFF: Program(
            [environments.made(home, "spiff"), str(Path(people) / "spiff_office.py")],
            spiff,
            {"PYTHONPATH": people},
        ),
        _EACH: Program(own, ours, ours_is),
        _MANY: Program([*own, "--mode", "many"], ours, ours_is),
    }


def _rate(stage: Stage, program: Program, instances: int) -> float:
    """Return the tasks per second of the processes together."""
    seconds = "2" if stage.quick else "5"
    command = [*program.command, "--dsn", program.database]
    command += ["--instances", str(instances), "--seconds", seconds]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with ProcessGroup() as group:
        for _ in range(PROCESSES):
            group.launch(command, {**os.environ, **program.environment}, **pipes)
        ready = [process.stdout.readline().strip() for process in group.running if process.stdout]
        if ready != ["ready"] * PROCESSES:
            raise RuntimeError(f"{' '.join(command[1:3])} did not start")
        answers = [process.communicate(timeout=60)[0] for process in _released(group)]
    return sum(found["tasks"] / found["seconds"] for found in map(json.loads, answers))


def _bare_commit(stage: Stage) -> Measure:
    """Measure a commit of one row by one session, of which a task that is performed alone needs two."""
    spent = []
    with stage.cluster.session("people_wedsql") as conn:
        conn.execute("create table bare (n integer)")
        for number in range(50 if stage.quick else 300):
            began = time.perf_counter()
            conn.execute("insert into bare values (%s)", [number], prepare=True)
            spent.append(1000 * (time.perf_counter() - began))
    label = "a commit of one row by one client, beside the tasks of people, p50"
    return Measure("people-commit", label, statistics.median(spent), "ms")


def _released(group: ProcessGroup) -> list[subprocess.Popen[str]]:
    """Release all processes before one is waited for."""
    for process in group.running:
        if process.stdin is not None:
            process.stdin.write("go\n")
            process.stdin.flush()
    return list(group.running)


def _measures(median: dict[str, float], rates: dict[str, list[float]]) -> list[Measure]:
    better = max(_VIEWFLOW, _SPIFF, key=lambda name: median[name])
    found = [
        Measure(
            f"people-{name}-rate",
            f"tasks of people, {_LABELS[name]}",
            rate,
            "tasks/s",
            f"{min(rates[name]):,.0f} to {max(rates[name]):,.0f}, {PROCESSES} processes",
        )
        for name, rate in median.items()
    ]
    for name in (_EACH, _MANY):
        for peer in (_VIEWFLOW, _SPIFF):
            key = f"people-{name}" if peer == better else f"people-{name}-{peer}"
            label = f"{_LABELS[name]}, against {_LABELS[peer]}"
            found.append(Measure(key, label, median[name] / median[peer], "times"))
    return found
