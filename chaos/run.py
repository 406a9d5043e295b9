"""The parts of a run: its seed and duration, its systems, and the rows of its table."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from chaos.judge import Verdict
from chaos.system import System
from testkit.server import Server

IN_FLIGHT = 20  # results that one process can lose: two workers with ten jobs per commit


@dataclass
class Row:
    """One line of the table."""

    fault: str
    injected: int = 0
    recovered: int = 0
    lost: int = 0
    twice: int = 0
    executed_twice: int = 0
    recovery: list[float] = field(default_factory=list)
    invariants: int = 0
    finished: int = 0
    unknown: int = 0
    resolved: int = 0
    seconds: float = 0.0
    good: bool = True
    skipped: str = ""
    notes: list[str] = field(default_factory=list)

    def add_verdict(self, verdict: Verdict) -> None:
        """Add the verdict to the row."""
        self.lost += verdict.lost
        self.twice += verdict.twice
        self.executed_twice += verdict.executed_twice
        self.finished += verdict.finished
        self.invariants = verdict.invariants
        self.notes += verdict.reasons + verdict.broken
        if verdict.exceptions:
            self.fail(f"{verdict.exceptions} instances are exceptions")
        if verdict.executed_twice > verdict.failed_attempts + IN_FLIGHT * max(self.injected, 1):
            self.fail(f"executed twice: {verdict.executed_twice}, more than the faults explain")
        if not verdict.good:
            self.fail("not as promised")

    def fail(self, sentence: str) -> None:
        self.good = False
        self.notes.append(sentence)

    def injection(self, recover: Callable[[], float], what: str) -> None:
        """Count one fault and the duration of its recovery."""
        self.injected += 1
        try:
            self.recovery.append(recover())
            self.recovered += 1
        except TimeoutError as error:
            self.fail(f"{what}: {error}")

    def percentile(self, share: float) -> float | None:
        """Return the recovery time in seconds at this share of the injections."""
        if not self.recovery:
            return None
        if len(self.recovery) == 1:
            return self.recovery[0]
        cut: list[float] = statistics.quantiles(self.recovery, n=100, method="inclusive")
        return cut[round(share * 100) - 1]

    def facts(self) -> dict[str, Any]:
        """Return the row as JSON data."""
        own = asdict(self)
        own["recovery"] = [round(x, 3) for x in self.recovery]
        return own


@dataclass
class Run:
    """One run of the harness; `scale` multiplies the duration of every fault."""

    seed: int
    home: Path
    template: Server
    scale: float = 1.0
    systems: int = 0
    rows: list[Row] = field(default_factory=list)

    def seconds(self, base: float) -> float:
        """Return the duration in this run of a fault that takes `base` seconds in a full run."""
        return max(3.0, base * self.scale)

    def number(self, base: int, least: int = 1) -> int:
        """Return how often something is done that is done `base` times in a full run."""
        return max(least, round(base * self.scale))

    def new_directory(self) -> Path:
        """Return a new directory for a system."""
        self.systems += 1
        return self.home / f"w{self.systems}"

    @contextmanager
    def system(self, row: Row, **options: Any) -> Iterator[System]:
        """Run a system for one fault; at the end judge it, add the verdict to the row, and remove it."""
        begun = time.monotonic()
        timeout = options.pop("timeout", 90.0)
        system = System(self.new_directory(), self.template, **options)
        with system:
            yield system
            row.add_verdict(system.verdict(timeout))
            row.unknown += system.load.record.unknown
            row.resolved += system.load.record.resolved
        if system.orphans:
            row.fail(f"{system.orphans} processes outlived their parents")
        row.seconds = time.monotonic() - begun


def print_line(line: str = "") -> None:
    """Print a line of progress."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
