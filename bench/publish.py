"""Put a recorded run into docs/performance.md: its tables between two marks, its chart beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench import chart
from bench.conditions import BUSY, was_busy
from bench.results import Results, Spread
from bench.targets import TARGETS

DOCS = Path(__file__).resolve().parent.parent / "docs"
BEGIN, END = "<!-- figures of the reference run: begin -->", "<!-- figures of the reference run: end -->"


def publish(results: Results, docs: Path = DOCS) -> None:
    """Rewrite the figures in performance.md and draw performance.svg; ValueError if the marks are missing."""
    page = docs / "performance.md"
    text = page.read_text()
    if BEGIN not in text or END not in text:
        raise ValueError(f"{page} has lost the marks between which the figures stand")
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    page.write_text(f"{before}{BEGIN}\n\n{_figures(results)}\n\n{END}{after}")
    (docs / "performance.svg").write_text(chart.draw(results))


def _figures(results: Results) -> str:
    where = ", ".join(
        str(results.conditions[key])
        for key in ("date", "PostgreSQL", "system", "plain Python")
        if key in results.conditions
    )
    load = results.conditions.get("load before the run", "")
    parts = [
        f"Measured on {where}; load before the run {load}.",
        _targets(results),
        _throughput(results),
        _others(results),
    ]
    if was_busy(results.conditions):
        parts.insert(1, BUSY)
    if results.failures:
        parts.append(_rows(["not measured", "why"], [[name, why] for name, why in results.failures.items()]))
    return "\n\n".join(parts)


def _targets(results: Results) -> str:
    found = {measure.key: measure for measure in results.measures}
    rows = []
    for key, target in TARGETS.items():
        measure = found.get(key)
        today = f"{measure.value:.2f} {measure.unit}".strip() if measure else "not measured"
        rows.append([target.label, str(target), today, measure.verdict.lower() if measure else ""])
    return _rows(["measure", "target", "measured", ""], rows)


def _throughput(results: Results) -> str:
    rows = []
    for clients in (1, 4, 16):
        if (floor := results.floor(clients)) is not None:
            rows.append(["floor (pgbench)", str(clients), *_rate(floor), "", ""])
    one = [floor["rate"] for floor in results.floors if floor["one_statement"]]
    if one:
        rows.append(["floor in one statement", "16", *_rate(Spread.of(one)), "", ""])
    for name, (_, label) in results.labels.items():
        for workers in results.counts(name):
            ratio = results.ratio(name, workers)
            span = f"{ratio.low:.2f} to {ratio.high:.2f}"
            rows.append(
                [label, str(workers), *_rate(results.rate(name, workers)), f"{ratio.median:.2f}", span]
            )
    return _rows(
        ["contender", "workers", "steps/s", "lowest to highest", "of floor, 16", "lowest to highest"], rows
    )


def _others(results: Results) -> str:
    """Return the table of the measures without a target."""
    free = [measure for measure in results.measures if measure.target is None]
    return _rows(["beside them", "measured"], [[m.label, f"{m.value:,.2f} {m.unit}".strip()] for m in free])


def _rate(spread: Spread) -> tuple[str, str]:
    return f"{spread.median:,.0f}", f"{spread.low:,.0f} to {spread.high:,.0f}"


def _rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
