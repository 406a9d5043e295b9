"""The results as a table and as JSON."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Sequence
from pathlib import Path

from chaos.run import Row, print_line
from testkit.text import table

RESULTS = Path(__file__).parent / "results"
HEAD = ("fault", "injected", "recovered", "lost", "applied twice", "executed twice", "p50 s", "p99 s",
        "invariants", "instances", "seconds", "")  # fmt: skip


def cells(row: Row) -> tuple[str, ...]:
    """Return one row as texts."""
    if row.skipped:
        return (row.fault, *["-"] * 10, f"skipped: {row.skipped}")
    counts = (row.injected, row.recovered, row.lost, row.twice, row.executed_twice)
    times = ("-" if p is None else f"{p:.2f}" for p in (row.percentile(0.5), row.percentile(0.99)))
    rest = (str(row.invariants), str(row.finished), f"{row.seconds:.0f}", "ok" if row.good else "BROKEN")
    return (row.fault, *map(str, counts), *times, *rest)


def print_rows(rows: Sequence[Row], seed: int) -> None:
    """Print all rows, and the notes of each."""
    print_line(f"\nseed {seed}\n{table([HEAD, *map(cells, rows)])}")
    for row in rows:
        for note in row.notes:
            print_line(f"  {row.fault}: {note}")


def write_results(rows: Sequence[Row], seed: int) -> Path:
    """Write the run's JSON and return its path."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{time.strftime('%Y%m%d-%H%M%S')}-seed{seed}.json"
    facts = {
        "seed": seed, "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": {"processors": os.cpu_count(), "kernel": platform.release()},
        "faults": [row.facts() | {"p50": row.percentile(0.5), "p99": row.percentile(0.99)} for row in rows],
    }  # fmt: skip
    path.write_text(json.dumps(facts, indent=1))
    return path
