"""The report at the end of a run: time per part, the slowest tests, compared with the run before."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.suite import durations
from tests.suite.execution import Result
from tests.suite.parts import CHECKOUT

FILE = CHECKOUT / "var" / "tests" / "last.json"
TESTS = FILE.with_name("tests.json")
SLOWEST = 10
_OUTCOMES = ("passed", "failed", "skipped")


def summary(results: Sequence[Result], seconds: float) -> dict[str, Any]:
    """Return what is kept of a run."""
    parts: dict[str, dict[str, Any]] = {}
    for result in results:
        part = parts.setdefault(result.shard.part.name, {"seconds": 0.0} | dict.fromkeys(_OUTCOMES, 0))
        part["seconds"] = round(part["seconds"] + result.seconds, 1)
        for outcome in _OUTCOMES:
            part[outcome] += result.count(outcome)
    tests = [(test["seconds"], name) for result in results for name, test in result.tests.items()]
    slowest = {name: round(spent, 1) for spent, name in sorted(tests, reverse=True)[:SLOWEST]}
    return {
        "commit": commit(),
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        "seconds": round(seconds),
        "parts": parts,
        "slowest": slowest,
    }


def by_part(results: Sequence[Result]) -> durations.Durations:
    """Return the seconds by part and file."""
    found: durations.Durations = {}
    for result in results:
        found.setdefault(result.shard.part.name, {})
        for file, seconds in durations.summed(result.tests).items():
            part = found[result.shard.part.name]
            part[file] = round(part.get(file, 0.0) + seconds, 1)
    return found


def show(now: dict[str, Any], before: dict[str, Any]) -> str:
    """Return the report as text; `before` is the summary of an earlier run, or empty."""
    lines = ["", f"{'part':24}{'passed':>8}{'failed':>8}{'skipped':>8}{'seconds':>9}{'before':>9}"]
    was = before.get("parts", {})
    for name, part in now["parts"].items():
        earlier = was.get(name, {}).get("seconds", "")
        counts = "".join(f"{part[outcome]:>8}" for outcome in _OUTCOMES)
        lines.append(f"{name:24}{counts}{part['seconds']:>9.0f}{earlier and round(earlier):>9}")
    lines += ["", "the slowest tests, with their seconds in the run before:"]
    for name, seconds in now["slowest"].items():
        lines.append(f"{seconds:>8} {before.get('slowest', {}).get(name, '-'):>8}  {name}")
    lines += ["", f"wall-clock time: {now['seconds']} s (before: {before.get('seconds', '-')})"]
    return "\n".join(lines)


def read(file: Path = FILE) -> dict[str, Any]:
    """Return the summary of the run before; empty where there is none."""
    if not file.exists():
        return {}
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def write(now: dict[str, Any], file: Path = FILE) -> None:
    """Keep the summary for the next run."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")


def write_tests(results: Sequence[Result], file: Path = TESTS) -> None:
    """Write the seconds of each test by part, the slowest first: to find out where the time of a run is."""
    found: dict[str, dict[str, float]] = {}
    for result in results:
        part = found.setdefault(result.shard.part.name, {})
        part |= {name: round(test["seconds"], 2) for name, test in result.tests.items()}
    ordered = {name: dict(sorted(tests.items(), key=lambda one: -one[1])) for name, tests in found.items()}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(ordered, indent=0) + "\n", encoding="utf-8")


def commit() -> str:
    """Return the commit of the checkout, with "-dirty" where files differ from it."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()
