"""Render the record of a run as text tables."""

from __future__ import annotations

from bench import tables
from bench.conditions import BUSY, was_busy
from bench.results import Results
from testkit.text import table


def render(results: Results) -> str:
    """Return the whole report: throughput, targets, failures, versions, commands, conditions."""
    parts = [
        _throughput(results),
        "Targets\n" + table(tables.targets(results)),
        _figures(results),
        _failures(results),
        _versions(results),
        _commands(results),
        _conditions(results),
    ]
    return "\n\n".join(part for part in parts if part)


def _throughput(results: Results) -> str:
    if not results.floors:
        return ""
    return "Throughput, three-step instances, durable\n" + table(tables.throughput(results))


def _figures(results: Results) -> str:
    shown = [measure for measure in results.measures if measure.detail or measure.target is None]
    rows = [["figure", "value", ""], *([m.label, tables.value(m), m.detail] for m in shown)]
    return "Figures\n" + table(rows) if shown else ""


def _failures(results: Results) -> str:
    if not results.failures:
        return ""
    return "Not measured\n" + table(
        [[name, " ".join(reason.split())[-300:]] for name, reason in results.failures.items()], head=False
    )


def _versions(results: Results) -> str:
    rows = [
        [name, ", ".join(f"{dist} {number}" for dist, number in versions.items())]
        for name, versions in results.versions.items()
        if versions
    ]
    return "Versions\n" + table(rows, head=False) if rows else ""


def _commands(results: Results) -> str:
    lines = []
    for name, commands in results.commands.items():
        times = f"{len(commands)} x " if len(commands) > 1 else ""
        lines.append(f"  {name}: {times}{commands[0]}")
    return "Commands\n" + "\n".join(lines) if lines else ""


def _conditions(results: Results) -> str:
    cut = any(not run.complete for run in results.runs)
    lines = [f"  {name}: {value}" for name, value in results.conditions.items()]
    lines += ["  * cut at the time limit; the rate counts the steps committed until then"] if cut else []
    lines += [f"  {BUSY}"] if was_busy(results.conditions) else []
    return "Conditions\n" + "\n".join(lines)
