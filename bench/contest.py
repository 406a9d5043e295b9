"""The throughput contest: every contender between two runs of the floor, in interleaved rounds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bench.cluster import Cluster
from bench.contenders.base import Contender
from bench.contenders.floor import ONE_STATEMENT, SCRIPT, Floor
from bench.race import race, shown
from bench.results import Results, Run

BETWEEN = 16  # clients of the floor runs between the contenders


@dataclass(frozen=True)
class Plan:
    """How much of the contest to run."""

    rounds: int
    limit: float
    """seconds after which a race is cut; its rate then counts the steps committed until then"""
    floor_seconds: float
    quick: bool


class Contest:
    """Run the contenders that can run here and record why the others cannot."""

    def __init__(
        self, cluster: Cluster, contenders: Sequence[Contender], plan: Plan, results: Results
    ) -> None:
        self.cluster = cluster
        self.plan = plan
        self.results = results
        self.floor = Floor(cluster)
        self.contenders = list(contenders)
        self.templates: dict[str, str] = {}

    def run(self) -> None:
        """Run all rounds; a contender that fails once is reported and skipped from then on."""
        self._prepare()
        for number in range(1, self.plan.rounds + 1):
            self._round(number)

    def _prepare(self) -> None:
        for contender in self.contenders:
            self.results.labels[contender.name] = (contender.kind, contender.label)
            self.results.versions[contender.name] = contender.versions()
            print_line(f"preparing {contender.label}")
            if reason := contender.missing():
                self.results.failures[contender.name] = reason
            else:
                self._guarded(contender, lambda c=contender: self._install(c))  # type: ignore[misc]
        self.contenders = [c for c in self.contenders if c.name in self.templates]

    def _install(self, contender: Contender) -> None:
        self.templates[contender.name] = contender.prepare(self.cluster)

    def _round(self, number: int) -> None:
        for clients in (1, 4):
            self._measure_floor(number, clients)
        self._measure_floor(number, BETWEEN, ONE_STATEMENT)
        before = self._measure_floor(number, BETWEEN)
        for contender in self._turn(number):
            done: list[Run] = []
            self._guarded(contender, lambda c=contender, d=done: self._races(c, number, d))  # type: ignore[misc]
            after = self._measure_floor(number, BETWEEN)
            self.results.runs += [replace(run, floor16=(before + after) / 2) for run in done]
            before = after

    def _turn(self, number: int) -> list[Contender]:
        """Return the contenders in this round's order: each round begins with another one."""
        running = [c for c in self.contenders if c.name not in self.results.failures]
        shift = (number - 1) * max(1, len(running) // 3) % max(1, len(running))
        return running[shift:] + running[:shift]

    def _races(self, contender: Contender, number: int, done: list[Run]) -> None:
        for workers in contender.quick_counts if self.plan.quick else contender.counts:
            run = race(self.cluster, contender, self.templates[contender.name], workers, self.plan.limit)
            self.results.commands[f"{contender.name}, {workers}"] = shown(contender, workers)
            done.append(replace(run, round=number))
            print_line(f"round {number}: {contender.label}, {workers}: {run.rate:,.0f} steps/s")

    def _measure_floor(self, number: int, clients: int, script: str = SCRIPT) -> float:
        rate = self.floor.rate(clients, self.plan.floor_seconds, script)
        one = script == ONE_STATEMENT
        self.results.floors.append({"round": number, "clients": clients, "rate": rate, "one_statement": one})
        print_line(
            f"round {number}: floor, {clients} clients{', one statement' if one else ''}: {rate:,.0f} steps/s"
        )
        return rate

    def _guarded(self, contender: Contender, action: Callable[[], None]) -> None:
        """Run `action`; record any failure for the report, so that the benchmark continues."""
        try:
            action()
        except Exception as error:  # noqa: BLE001 - any library may fail in any way; the reason is reported
            self.results.failures[contender.name] = f"{type(error).__name__}: {error}"
            print_line(f"{contender.label} failed: {error}")


def print_line(message: str) -> None:
    """Write progress to stderr, so that the report on stdout can be piped."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {message}\n")
    sys.stderr.flush()
