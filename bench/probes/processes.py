"""Steps a second of drawn processes of 50 and 400 tasks, beside SpiffWorkflow and a plain flow.

SpiffWorkflow has no storage: what its serializer writes is kept in a row of the same server after each step.
All run in one process, one after the other, in interleaved rounds. Processor time is that of the server's
process and the program's together.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import site
from bench.people import environments
from bench.probes.base import Stage
from bench.processes.models_program import drawing
from bench.targets import Measure
from testkit.processes import ProcessGroup
from wedsql_site.environment import CHECKOUT

SIZES = (50, 400)
_INSTANCES = 200
_BENCH = Path(environments.HERE).parent


def measure(stage: Stage) -> list[Measure]:
    """Measure all in interleaved rounds."""
    programs = {**_spiff(stage), **_ours(stage)}
    rates: dict[str, list[float]] = {name: [] for name in programs}
    for turn in range(1 if stage.quick else 3):
        for name in sorted(programs, reverse=bool(turn % 2)):
            rates[name].append(_rate(programs[name], 2.0 if stage.quick else 4.0))
    return [*_measures({name: statistics.median(each) for name, each in rates.items()}, rates)]


Program = tuple[list[str], dict[str, str]]


def _spiff(stage: Stage) -> dict[str, Program]:
    """Return the program of SpiffWorkflow for each size."""
    python = environments.made(stage.cluster.home, "spiff")
    database = stage.cluster.create_database("processes_spiff")
    programs = {}
    for tasks in SIZES:
        file = stage.cluster.home / f"process_{tasks}.bpmn"
        file.write_bytes(drawing(tasks, "userTask"))
        command = [python, str(_BENCH / "processes" / "spiff_process.py"), "--dsn", database]
        path = os.pathsep.join([str(_BENCH / "people")])
        programs[f"spiff-{tasks}"] = ([*command, "--mode", str(file)], {"PYTHONPATH": path})
    return programs


def _ours(stage: Stage) -> dict[str, Program]:
    """Publish the processes and a plain flow; return the programs that run them."""
    database = stage.database("processes_wedsql")
    for tasks in SIZES:
        file = stage.cluster.home / f"process_{tasks}.own.bpmn"
        file.write_bytes(drawing(tasks))
        site.run(stage.cluster, "processes_wedsql", "importbpmn", str(file), "--flow", f"process_{tasks}")
    with stage.cluster.session("processes_wedsql") as conn, conn.transaction():
        site.publish(conn, plain(49))
    own = [sys.executable, "-m", "bench.processes.wedsql_process", "--dsn", database]
    here = {"PYTHONPATH": str(CHECKOUT)}
    flows = {"plain-50": "plain", **{f"process-{tasks}": f"process_{tasks}" for tasks in SIZES}}
    return {
        f"{name}-{mode}": ([*own, "--mode", f"{flow}:{mode}"], here)
        for name, flow in flows.items()
        for mode in ("each", "many")
    }


def plain(rules: int) -> dict[str, Any]:
    """Return a flow of this many transitions, one after the other, each of which sets its own attribute."""
    names = [f"done_{n}" for n in range(rules)]
    triggers: list[dict[str, Any]] = [
        {
            "transition": f"t_{name}",
            "predicate": f"{name} = 0" if before is None else f"{before} = 1 and {name} = 0",
            "sets": f"{name} = 1",
        }
        for before, name in zip([None, *names], names, strict=False)
    ]
    triggers.append({"predicate": f"{names[-1]} = 1", "final": True})
    attributes = [{"name": name, "type": "integer", "default": "0"} for name in names]
    return {"flow": "plain", "attributes": attributes, "triggers": triggers}


def _rate(program: Program, seconds: float) -> float:
    """Return the steps per second of one process."""
    command, variables = program
    command = [*command, "--instances", str(_INSTANCES), "--seconds", str(seconds)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with ProcessGroup() as group:
        process = group.launch(command, {**os.environ, **variables}, **pipes)
        if process.stdout is None or process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"{' '.join(command[1:3])} did not start")
        found = json.loads(process.communicate("go\n", timeout=120)[0])
    return float(found["tasks"] / found["seconds"])


def _measures(median: dict[str, float], rates: dict[str, list[float]]) -> Iterator[Measure]:
    for name, rate in median.items():
        detail = f"{min(rates[name]):,.0f} to {max(rates[name]):,.0f}"
        yield Measure(f"processes-{name}-rate", f"steps of drawn processes, {name}", rate, "steps/s", detail)
    for tasks in SIZES:
        for mode in ("each", "many"):
            yield Measure(
                f"processes-{mode}-{tasks}",
                f"steps of a process of {tasks} tasks, {mode}, against SpiffWorkflow",
                median[f"process-{tasks}-{mode}"] / median[f"spiff-{tasks}"],
                "times",
            )
    yield Measure(
        "processes-plain",
        "steps of a process of 50 tasks, many, against a plain flow of 49 rules",
        median["process-50-many"] / median["plain-50-many"],
        "times",
    )
    yield Measure(
        "processes-growth",
        "cost of a step of a process of 400 tasks, many, against one of 50",
        median["process-50-many"] / median["process-400-many"],
        "times",
    )
