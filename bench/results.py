"""The record of one benchmark run: raw runs, floors, measures, failures; written as JSON."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.targets import Measure


@dataclass(frozen=True)
class Run:
    """One race, with its round and the floor measured before and after it if it is part of the contest."""

    contender: str
    workers: int
    instances: int
    steps: int
    seconds: float
    complete: bool
    """False when the time limit came first; the rate then counts the steps committed until then"""
    round: int = 0
    floor16: float = 0.0

    @property
    def rate(self) -> float:
        """Return the committed steps per second."""
        return self.steps / self.seconds

    @property
    def ratio(self) -> float:
        """Return the rate as a share of the floor with 16 clients, measured just before and just after."""
        return self.rate / self.floor16


@dataclass(frozen=True)
class Spread:
    """Median, lowest and highest value of some runs."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        found = list(values)
        return cls(statistics.median(found), min(found), max(found))


@dataclass
class Results:
    """The record of one run of the benchmark."""

    conditions: dict[str, Any]
    runs: list[Run] = field(default_factory=list)
    floors: list[dict[str, float]] = field(default_factory=list)
    measures: list[Measure] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    """from contender or probe to the reason why there is no figure"""
    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    commands: dict[str, list[str]] = field(default_factory=dict)
    labels: dict[str, tuple[str, str]] = field(default_factory=dict)
    """from contender to its kind and its label"""

    def of(self, contender: str, workers: int | None = None) -> list[Run]:
        """Return the runs of a contender, at one concurrency or at all of them."""
        return [run for run in self.runs if run.contender == contender and workers in (None, run.workers)]

    def counts(self, contender: str) -> list[int]:
        """Return the concurrencies a contender ran at."""
        return sorted({run.workers for run in self.of(contender)})

    def rate(self, contender: str, workers: int) -> Spread:
        """Return the steps per second over the rounds."""
        return Spread.of(run.rate for run in self.of(contender, workers))

    def ratio(self, contender: str, workers: int) -> Spread:
        """Return the share of the 16-client floor over the rounds."""
        return Spread.of(run.ratio for run in self.of(contender, workers))

    def floor(self, clients: int) -> Spread | None:
        """Return the rate of the floor over the rounds, or None if it was not measured with these clients."""
        found = [
            floor["rate"]
            for floor in self.floors
            if floor["clients"] == clients and not floor["one_statement"]
        ]
        return Spread.of(found) if found else None

    def best(self, kind: str) -> tuple[str, int, float] | None:
        """Return name, workers and ratio of the contender of a kind with the highest median ratio."""
        found = [
            (self.ratio(name, workers).median, name, workers)
            for name, (its_kind, _) in self.labels.items()
            if its_kind == kind
            for workers in self.counts(name)
        ]
        if not found:
            return None
        ratio, name, workers = max(found)
        return name, workers, ratio

    def measured(self) -> set[str]:
        """Return the keys that have a figure."""
        return {measure.key for measure in self.measures}

    def write(self, path: Path) -> None:
        """Write the raw record as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        record = asdict(self)
        record["runs"] = [asdict(run) | {"rate": run.rate, "ratio": run.ratio} for run in self.runs]
        record["measures"] = [asdict(measure) | {"verdict": measure.verdict} for measure in self.measures]
        path.write_text(json.dumps(record, indent=1, ensure_ascii=False, default=str) + "\n")


def read(path: Path) -> Results:
    """Read a record, to publish an earlier run."""
    record = json.loads(path.read_text())
    record["runs"] = [Run(**{key: run[key] for key in Run.__dataclass_fields__}) for run in record["runs"]]
    record["measures"] = [
        Measure(**{key: item[key] for key in Measure.__dataclass_fields__}) for item in record["measures"]
    ]
    record["labels"] = {name: (kind, label) for name, (kind, label) in record["labels"].items()}
    return Results(**record)


def default_path() -> Path:
    """Return bench/results/<time>.json, in the folder of the committed reference."""
    return Path(__file__).parent / "results" / f"{datetime.now(UTC):%Y%m%d-%H%M%S}.json"
