"""Steps committed together while many jobs wait, and each on its own otherwise.

A stepper performs the jobs. When it holds as many as it may and their handlers are quick, more are waiting:
then jobs are taken and committed in batches, until one has few jobs. A batch that cannot be committed as a
whole is settled job by job, so that a failure affects its own job only.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from workers.client import taking
from workers.client.statement import BEGIN, COMMIT, Command
from workers.client.taken import read_jobs
from workers.jobs.stepping import Stepper, Steps

# The handlers of a batch are likely to end within this time, so that no result waits long for its commit.
TOGETHER = 0.05


class Batches(Steps, Protocol):
    """What is needed from the runner."""

    def end_transaction(self) -> None: ...


def work(runner: Batches, flow: str, names: Sequence[str], most: int, seconds: float) -> int:
    """Perform ready jobs for about `seconds`, up to `most` per commit; return how many handlers ran.

    Raises as Runner.work.
    """
    until = time.monotonic() + seconds
    before = runner.performed
    stepper = Stepper(runner, leaves_backlog=True)
    while (left := until - time.monotonic()) > 0 and not runner.stopping:
        stepper.work(flow, names, left)
        if not stepper.backlog:
            break
        _batches(runner, flow, names, most, until)
    return runner.performed - before


def _batches(runner: Batches, flow: str, names: Sequence[str], most: int, until: float) -> None:
    """Commit several jobs together while as many wait as a stepper would hold."""
    size = min(most, runner.most_held)
    jobs = read_jobs(runner.wire.round(BEGIN, _take(runner, flow, names, size))[-1])
    while jobs:
        begun = time.monotonic()
        done = runner.perform(flow, jobs)
        pace = (time.monotonic() - begun) / max(1, len(done))
        more = len(jobs) == size and time.monotonic() < until and not runner.stopping
        size = max(1, min(most, 2 * size, int(TOGETHER / max(pace, 1e-6))))
        following: list[Command] = [COMMIT]
        if more and size > 1:
            following += [BEGIN, _take(runner, flow, names, size)]
        jobs = runner.settle(flow, done, following)
    runner.end_transaction()


def _take(runner: Batches, flow: str, names: Sequence[str], size: int) -> Command:
    return taking.take(flow, names, size, runner.actor, None)
