"""Steps with one commit each: the session holds a few jobs, and each result is its own transaction.

The results of the held jobs and the next hold travel in one round trip; each commit is independent of the
others. How many jobs are held depends on how quick the handlers are, so that a slow one does not keep other
jobs from other workers.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Protocol

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.pq.abc import PGresult

from workers.client import jobs as taking
from workers.client import results
from workers.client.claims import Taken, read_jobs
from workers.client.results import LATE, NO_LONGER_HELD, Done
from workers.client.statement import COMMIT, Command
from workers.client.wire import ConnectionLost, Wire
from workers.jobs.outcome import describe, sqlstate_of
from workers.logs import log_fields, summarize

log = logging.getLogger("workers.stepping")

# No more jobs are held than their handlers are likely to finish in this time.
QUICK = 0.01


class Steps(Protocol):
    """What a stepper needs from its runner."""

    actor: str
    wire: Wire
    apart: bool
    performed: int
    stopping: bool
    ahead: int
    most_held: int

    def perform(self, flow: str, jobs: Sequence[Taken]) -> list[Done]: ...
    def failures(self, flow: str, done: Sequence[Done]) -> list[Command]: ...
    def settle_individually(self, flow: str, done: list[Done]) -> None: ...
    def note_retries(self, results: Sequence[PGresult]) -> None: ...
    def note_unconfirmed(self, flow: str, done: Sequence[Done]) -> None: ...
    def settle(self, flow: str, done: list[Done], following: list[Command]) -> list[Taken]: ...
    def undo(self) -> None: ...


class Stepper:
    """Performs jobs for a runner, with one commit per job."""

    def __init__(self, runner: Steps, *, leaves_backlog: bool = False) -> None:
        self.runner = runner
        self.leaves_backlog = leaves_backlog
        self.backlog = False
        """Whether the work ended because many jobs wait whose handlers are quick."""

    def work(self, flow: str, names: Sequence[str], seconds: float) -> int:
        """Perform ready jobs for about `seconds`; return how many handlers ran. Raises as Runner.work."""
        runner = self.runner
        until = time.monotonic() + seconds
        before = runner.performed
        runner.apart = True
        self.backlog = False
        try:
            jobs = self._next(flow, [], self._hold(flow, names, runner.ahead))
            while jobs:
                done = self._perform(flow, jobs)
                self.backlog = self.leaves_backlog and 1 < len(jobs) == runner.ahead == runner.most_held
                more = time.monotonic() < until and not runner.stopping and not self.backlog
                jobs = self._next(flow, done, self._hold(flow, names, runner.ahead if more else 0))
        finally:
            runner.apart = False
        return runner.performed - before

    def _hold(self, flow: str, names: Sequence[str], limit: int) -> Command:
        return taking.hold(flow, names, limit, self.runner.actor)

    def _perform(self, flow: str, jobs: Sequence[Taken]) -> list[Done]:
        begun = time.monotonic()
        done = self.runner.perform(flow, jobs)
        pace = (time.monotonic() - begun) / max(1, len(done))
        runner = self.runner
        runner.ahead = max(1, min(runner.most_held, 2 * runner.ahead, int(QUICK / max(pace, 1e-6))))
        return done

    def _next(self, flow: str, done: list[Done], following: Command) -> list[Taken]:
        """Commit each of these results and return the next jobs; [] if there are none."""
        runner = self.runner
        if done and runner.wire.closed:  # a handler broke the session that held all jobs
            runner.settle_individually(flow, done)
            return []
        again = self._commit_writes(flow, done)
        plain = [d for d in done if d.error is None and not d.wrote]
        failures = runner.failures(flow, done)
        commands = [results.complete_held(flow, d, runner.actor) for d in plain]
        try:
            answers = runner.wire.each(*commands, *failures, following)
        except ConnectionLost:
            if not done:
                raise
            runner.settle_individually(flow, plain + again + [d for d in done if d.error is not None])
            return []
        runner.note_unconfirmed(flow, done)
        runner.note_retries([a for a in answers[len(plain) : -1] if not isinstance(a, psycopg.Error)])
        for one, answer in zip(plain, answers, strict=False):
            if isinstance(answer, psycopg.Error) and self._may_settle_again(flow, one, answer):
                again.append(one)
        if again:
            runner.settle_individually(flow, again)
        if isinstance(answers[-1], psycopg.Error):
            raise answers[-1]
        return read_jobs(answers[-1])

    def _may_settle_again(self, flow: str, one: Done, error: psycopg.Error) -> bool:
        """Return whether to settle a rejected result alone, where a second rejection counts as an attempt.

        False if the worker no longer holds the job, or if it is late: taken again, it would be in time.
        """
        code = sqlstate_of(error)
        if not results.is_transient(error):
            which = log_fields(flow, one.taken, self.runner.actor) | {"outcome": "refused"}
            log.info(
                "%s job %s refused: %s", one.taken.trname, one.taken.job_id, summarize(error), extra=which
            )
        if code == LATE:
            why = error.diag.message_primary or describe(error)
            late = results.fail(flow, [(one.taken, why, code)], "timeout", self.runner.actor)
            runner = self.runner
            runner.note_retries(runner.wire.round(*results.retake(flow, one.taken, [late], runner.actor)))
        return code != LATE and code not in NO_LONGER_HELD

    def _commit_writes(self, flow: str, done: list[Done]) -> list[Done]:
        """Commit the job that wrote in its transaction, always the last; return jobs to perform again."""
        runner = self.runner
        wrote = [d for d in done if d.wrote]
        if runner.wire.status in (TransactionStatus.IDLE, TransactionStatus.UNKNOWN):
            return wrote
        if wrote:
            runner.settle(flow, wrote, [COMMIT])
        else:
            runner.undo()
        return []
