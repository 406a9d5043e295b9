"""Put a recorded run into docs/performance.md: its tables between two marks, its chart beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench import chart, tables
from bench.conditions import BUSY, was_busy
from bench.results import Results

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
    free = [[m.label, tables.value(m)] for m in results.measures if m.target is None]
    parts = [
        f"Measured on {where}; load before the run {load}.",
        _table([[*row, verdict.lower()] for *row, verdict in tables.targets(results)]),
        _table([[cell.rstrip("*") for cell in row[:6]] for row in tables.throughput(results)]),
        _table([["beside them", "measured"], *free]),
    ]
    if was_busy(results.conditions):
        parts.insert(1, BUSY)
    if results.failures:
        parts.append(_table([["not measured", "why"], *map(list, results.failures.items())]))
    return "\n\n".join(parts)


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
