"""Steps committed together while many jobs wait, and each on its own otherwise.

A stepper performs the jobs. When it holds as many as it may and their handlers are quick, more are waiting:
then jobs are taken and committed in batches, until one has few jobs. A batch that cannot be committed as a
whole is settled job by job, so that a failure affects its own job only.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from workers.client import jobs as taking
from workers.client.claims import read_jobs
from workers.client.statement import BEGIN, COMMIT, Command
from workers.jobs.steps import Stepper, Steps

# The handlers of a batch are likely to end within this time, so that no result waits long for its commit.
TOGETHER = 0.1


class Batches(Steps, Protocol):
    """What is needed from the runner."""

    many_wait: bool

    def end_transaction(self) -> None: ...


def work(runner: Batches, flow: str, names: Sequence[str], most: int, seconds: float) -> int:
    """Perform ready jobs for about `seconds`, up to `most` per commit; return how many handlers ran.

    Raises as Runner.work.
    """
    until = time.monotonic() + seconds
    before = runner.performed
    stepper = Stepper(runner, leaves_backlog=True)
    while (left := until - time.monotonic()) > 0 and not runner.stopping:
        if runner.many_wait:
            runner.many_wait = _batches(runner, flow, names, most, until)
            continue
        stepper.work(flow, names, left)
        runner.many_wait = stepper.backlog
        if not stepper.backlog:
            break
    return runner.performed - before


def _batches(runner: Batches, flow: str, names: Sequence[str], most: int, until: float) -> bool:
    """Commit several jobs together while several wait; return whether the time ended before."""
    size = min(most, runner.most_held)
    jobs = read_jobs(runner.wire.round(BEGIN, _take(runner, flow, names, size))[-1])
    more = bool(jobs)
    while jobs:
        begun = time.monotonic()
        done = runner.perform(flow, jobs)
        pace = (time.monotonic() - begun) / max(1, len(done))
        size = max(1, min(most, 2 * size, int(TOGETHER / max(pace, 1e-6))))
        # Other workers take at the same time, so that a batch may be small although many jobs wait.
        more = len(jobs) > 1 and size > 1
        following: list[Command] = [COMMIT]
        if more and time.monotonic() < until and not runner.stopping:
            following += [BEGIN, _take(runner, flow, names, size)]
        jobs = runner.settle(flow, done, following)
    runner.end_transaction()
    return more and (time.monotonic() >= until or runner.stopping)


def _take(runner: Batches, flow: str, names: Sequence[str], size: int) -> Command:
    return taking.take(flow, names, size, runner.actor, None)
