"""``python -m bench.models``: measure what checking and publishing large drawn processes costs.

With ``--beside FOLDER``, the working tree of another version of the product, both are measured in turns on
the same server. Processor time of the server's process and of Python is printed, the median of the rounds:
it depends less on other load than the time that passes does.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from bench import site
from bench.cluster import Cluster
from testkit.text import table
from wedsql_site.environment import CHECKOUT

_PROGRAM = Path(__file__).parent / "processes" / "models_program.py"
_PARTS = ("check_server", "check_python", "publish_server", "publish_python")
Costs = dict[int, dict[str, list[float]]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.models", description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=[100, 400], help="tasks (100 and 400)")
    parser.add_argument("--beside", type=Path, help="the working tree of another version")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    trees = [CHECKOUT, *([options.beside.resolve()] if options.beside else [])]
    costs: list[Costs] = [defaultdict(lambda: defaultdict(list)) for _ in trees]
    with Cluster() as cluster:
        variables = [_installed(cluster, number, tree) for number, tree in enumerate(trees)]
        for _ in range(options.rounds):
            for tree, environ, found in zip(trees, variables, costs, strict=True):
                _measure(tree, environ, options.sizes, found)
    sys.stdout.write(_report(costs))
    return 0


def _installed(cluster: Cluster, number: int, tree: Path) -> dict[str, str]:
    """Create a database with the kernel of a tree; return the variables of its programs."""
    name = f"models_{number}"
    cluster.create_database(name)
    variables = {**os.environ, **site.environment(cluster, name, "admin"), "PYTHONPATH": str(tree)}
    _run([sys.executable, "manage.py", "wedsql", "install"], tree, variables)
    return variables


def _measure(tree: Path, variables: dict[str, str], sizes: Sequence[int], found: Costs) -> None:
    """Measure each size once; a small process before them fills the caches of the session."""
    command = [sys.executable, str(_PROGRAM), "10", *map(str, sizes)]
    for line in _run(command, tree, variables).splitlines()[1:]:
        measured = json.loads(line)
        for part in _PARTS:
            found[measured["tasks"]][part].append(measured[part])


def _run(command: list[str], tree: Path, variables: dict[str, str]) -> str:
    done = subprocess.run(command, cwd=tree, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[1:3])} failed in {tree}: {done.stderr[-800:]}")
    return done.stdout


def _report(costs: Sequence[Costs]) -> str:
    """Return a row for each size, with the other version beside it, and how the costs grow."""
    rows = [["tasks", "seconds of the processor", "here", *(["beside", "times"] if len(costs) > 1 else [])]]
    medians = [
        {
            size: {part: statistics.median(each) for part, each in parts.items()}
            for size, parts in cost.items()
        }
        for cost in costs
    ]
    for size in medians[0]:
        for part in _PARTS:
            here, *beside = (found[size][part] for found in medians)
            row = [f"{size:,}", part.replace("_", ", "), f"{here:.3f}"]
            rows.append(
                [*row, *(cell for other in beside for cell in (f"{other:.3f}", f"{other / here:.1f}"))]
            )
    return f"{table(rows)}\n\n{_growth(medians[0])}\n"


def _growth(medians: dict[int, dict[str, float]]) -> str:
    """Return the exponents with which the costs grow from the smallest size to the largest."""
    small, large = min(medians), max(medians)
    if small == large:
        return ""
    found = []
    for what in ("check", "publish"):
        cost = [
            sum(medians[size][f"{what}_{side}"] for side in ("server", "python")) for size in (small, large)
        ]
        found.append(f"{what} {math.log(cost[1] / cost[0]) / math.log(large / small):.2f}")
    return f"growth from {small:,} to {large:,} tasks, as an exponent: {', '.join(found)}"


if __name__ == "__main__":
    sys.exit(main())
