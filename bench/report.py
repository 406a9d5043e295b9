"""Render the record of a run as text tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bench.conditions import BUSY, was_busy
from bench.results import Results, Spread
from bench.targets import TARGETS, Measure

_HEAD = ["contender", "workers", "steps/s", "low to high", "x floor16", "low to high", "x floor same clients"]
_KINDS = {"ours": 0, "peer": 1}


def render(results: Results) -> str:
    """Return the whole report: throughput, targets, failures, versions, commands, conditions."""
    parts = [
        _throughput(results),
        _targets(results),
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
    rows = [_HEAD]
    rows += _floor_rows(results)
    for name, (_, label) in sorted(results.labels.items(), key=lambda item: _KINDS.get(item[1][0], 2)):
        for workers in results.counts(name):
            rows.append(_rate_row(results, name, label, workers))
    return "Throughput, three-step instances, durable\n" + table(rows)


def _floor_rows(results: Results) -> list[list[str]]:
    rows = []
    for clients in sorted({int(floor["clients"]) for floor in results.floors}):
        if (floor := results.floor(clients)) is not None:
            rows.append(_floor_row("floor (pgbench)", clients, floor))
    one = [floor["rate"] for floor in results.floors if floor["one_statement"]]
    if one:
        rows.append(_floor_row("the same rows in one statement", 16, Spread.of(one)))
    return rows


def _floor_row(label: str, clients: int, spread: Spread) -> list[str]:
    return [label, str(clients), f"{spread.median:,.0f}", _span(spread, 0), "", "", ""]


def _rate_row(results: Results, name: str, label: str, workers: int) -> list[str]:
    rate, ratio = results.rate(name, workers), results.ratio(name, workers)
    same = results.floor(workers)
    cut = "" if all(run.complete for run in results.of(name, workers)) else "*"
    return [
        label,
        str(workers),
        f"{rate.median:,.0f}{cut}",
        _span(rate, 0),
        f"{ratio.median:.2f}",
        _span(ratio, 2),
        f"{rate.median / same.median:.2f}" if same else "",
    ]


def _targets(results: Results) -> str:
    rows = [["target", "goal", "today", ""]]
    found = {measure.key: measure for measure in results.measures}
    for key, target in TARGETS.items():
        measure = found.get(key)
        today = f"{measure.value:.2f} {measure.unit}".strip() if measure else "not measured in this run"
        rows.append([target.label, str(target), today, measure.verdict if measure else ""])
    return "Targets\n" + table(rows)


def _figures(results: Results) -> str:
    rows = [["figure", "value", ""]]
    rows += [[m.label, f"{m.value:,.2f} {m.unit}".strip(), m.detail] for m in _in_order(results.measures)]
    return "Figures\n" + table(rows) if len(rows) > 1 else ""


def _in_order(measures: Iterable[Measure]) -> list[Measure]:
    return [measure for measure in measures if measure.detail or measure.target is None]


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


def _span(spread: Spread, digits: int) -> str:
    return f"{spread.low:,.{digits}f} to {spread.high:,.{digits}f}"


def table(rows: Sequence[Sequence[str]], head: bool = True) -> str:
    """Return the rows as text: columns padded to their widest cell, figures right-aligned."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  " + "  ".join(_cell(row[i], widths[i]) for i in range(len(row))).rstrip() for row in rows]
    if head:
        lines.insert(1, "  " + "  ".join("─" * width for width in widths))
    return "\n".join(lines)


def _cell(text: str, width: int) -> str:
    return text.rjust(width) if text[:1].isdigit() else text.ljust(width)
