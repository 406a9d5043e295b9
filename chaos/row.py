"""One row of the table of faults: what was injected, what was lost, how long the recovery took."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Row:
    """One line: `lost` counts violated guarantees, `twice` results that were applied again."""

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

    def fail(self, sentence: str) -> None:
        self.good = False
        self.notes.append(sentence)

    def add_loss(self, sentence: str, count: int = 1) -> None:
        """Record acknowledged work that is not in the database."""
        self.lost += count
        self.fail(sentence)

    def injection(self, recover: Callable[[], float | None], what: str) -> None:
        """Count one fault and its recovery, which lasts as long as the call unless that returns seconds."""
        self.injected += 1
        begun = time.monotonic()
        try:
            seconds = recover()
            self.recovery.append(time.monotonic() - begun if seconds is None else seconds)
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
