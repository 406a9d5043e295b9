"""The runner: takes jobs of a flow, runs their handlers, and commits the results.

The usual case costs one round trip per commit: results, COMMIT, BEGIN and the next take travel together.
If anything in a batch fails, it is rolled back and settled job by job, so a failure affects its own job only.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from workers.client import jobs as taking
from workers.client import results
from workers.client.claims import Held, Taken, read_jobs
from workers.client.results import Done, ResultRefused
from workers.client.statement import BEGIN, COMMIT, ROLLBACK, Command
from workers.client.wire import ConnectionLost, pause
from workers.jobs import adaptive
from workers.jobs.handler_calls import BrokenStep, Performer
from workers.jobs.outcome import describe, kind_of, log_text, sqlstate_of
from workers.jobs.steps import Stepper
from workers.logs import log_fields, summarize

log = logging.getLogger("workers.runner")

# A lost connection is tried again for about ten seconds, so that results of handlers are not lost.
TRIES = 12
_UNCONFIRMED = "committed on the server, but not confirmed by its standby"


class Runner(Performer):
    """Takes jobs, performs them, and commits their results or counts their failures."""

    # Transaction mode.

    def work(
        self,
        flow: str,
        names: Sequence[str],
        size: int = 1,
        ids: Sequence[int] | None = None,
        seconds: float = 1.0,
    ) -> int:
        """Perform ready jobs, `size` per commit, for about `seconds`; return how many handlers ran.

        If the runner is adaptive, `size` is the most per commit.
        Jobs that another worker holds are skipped. Raises ConnectionLost, psycopg.Error (an unknown
        flow, a missing right), and exceptions that end the process.
        """
        if size == 1 and ids is None:
            return Stepper(self).work(flow, names, seconds)
        if self.adaptive and ids is None:
            return adaptive.work(self, flow, names, size, seconds)
        until = time.monotonic() + seconds
        before = self.performed
        take = taking.take(flow, names, size, self.actor, ids)
        jobs = read_jobs(self.wire.round(BEGIN, take)[-1])
        while jobs:
            done = self.perform(flow, jobs)
            more = time.monotonic() < until and not self.stopping
            jobs = self.settle(flow, done, [COMMIT, BEGIN, take] if more else [COMMIT])
        self.end_transaction()
        return self.performed - before

    def end_transaction(self) -> None:
        """End an open transaction that holds nothing."""
        if self.wire.status not in (TransactionStatus.IDLE, TransactionStatus.UNKNOWN):
            self.wire.round(ROLLBACK)

    # Lease mode.

    def work_leased(
        self, flow: str, names: Sequence[str], size: int, span: float, ids: Sequence[int] | None = None
    ) -> int:
        """Lease up to `size` jobs for `span` seconds, perform them outside any transaction, and finish them.

        The leases are renewed while the handlers run. Returns and raises like `work`.
        """
        before = self.performed
        jobs = read_jobs(self.wire.round(taking.lease(flow, names, size, self.actor, span, ids))[-1])
        if jobs:
            self._hold(flow, jobs, span)
            done = self.perform(flow, jobs)
            for job in jobs[len(done) :]:
                self._release(job)
            self.settle(flow, done, [])
            self._hold(flow, (), span)
        return self.performed - before

    def _hold(self, flow: str, jobs: Sequence[Taken], span: float) -> None:
        self.journal.hold(flow.encode(), [(t.wid, t.job_id, t.claim or 0) for t in jobs])
        self.lease_renewer.hold(jobs, span)

    def _release(self, taken: Taken) -> None:
        with contextlib.suppress(psycopg.Error):  # it expired: the reaper offers it again
            self.wire.round(taking.release(taken, self.actor))

    # Commits.

    def settle(self, flow: str, done: list[Done], following: list[Command]) -> list[Taken]:
        """Commit these results and return the next jobs; [] if there are none or the batch failed."""
        leased = bool(done) and done[0].taken.claim is not None
        if not leased and self.wire.status != TransactionStatus.INTRANS:
            self.settle_individually(flow, done)
            return []
        wrote = any(d.wrote for d in done)
        closing = self._closing(flow, done, counting=not wrote)
        try:
            if not wrote:
                answers = self.wire.round(*closing, *following)
            else:
                if self._refused(self.wire.round(*closing)):
                    raise BrokenStep
                answers = self.wire.round(*following)
        except (psycopg.Error, ConnectionLost, BrokenStep) as error:
            if not results.is_transient(error) and not isinstance(error, BrokenStep):
                fields = {"flow": flow, "worker": self.actor}
                values = flow, len(done), summarize(error)
                log.warning("%s: %d results are settled one by one: %s", *values, extra=fields)
            self.settle_individually(flow, done)
            return []
        self.note_unconfirmed(flow, done)
        self._log_refusals(flow, answers[: len(closing)] if not wrote else [], done)
        return read_jobs(answers[-1]) if len(following) > 1 else []

    def _closing(self, flow: str, done: Sequence[Done], *, counting: bool) -> list[Command]:
        return results.complete(flow, done, self.actor, counting=counting) + self.failures(flow, done)

    def failures(self, flow: str, done: Sequence[Done]) -> list[Command]:
        """Return the calls that count the failed attempts."""
        kinds: dict[str, list[tuple[Held, str, str]]] = {}
        for one in done:
            if one.error is not None:
                failure = (one.taken, describe(one.error), sqlstate_of(one.error))
                kinds.setdefault(kind_of(one.error), []).append(failure)
                which = log_fields(flow, one.taken, self.actor) | {"outcome": kind_of(one.error)}
                values = one.taken.trname, one.taken.job_id, log_text(one.error)
                log.info("%s job %s: %s", *values, extra=which)
        return [results.fail(flow, failed, kind, self.actor) for kind, failed in kinds.items()]

    @staticmethod
    def _refused(answers: Sequence[Any]) -> list[ResultRefused]:
        return [r for answer in answers if answer.nfields >= 3 for r in results.refusals(answer)]

    def _log_refusals(self, flow: str, answers: Sequence[Any], done: Sequence[Done]) -> None:
        self.note_retries(answers)
        for refusal in self._refused(answers):
            for job in [one.taken for one in done if one.taken.job_id == refusal.job_id]:
                which = log_fields(flow, job, self.actor) | {"outcome": "refused"}
                log.info("%s job %s refused: %s", job.trname, job.job_id, refusal.sqlstate, extra=which)

    def note_retries(self, answers: Sequence[Any]) -> None:
        """Remember when the first of the failed jobs is due again."""
        failures = [answer for answer in answers if answer.nfields == results.FAILED_COLUMNS]
        waits = [result.get_value(row, 1) for result in failures for row in range(result.ntuples)]
        delays = [float(wait) for wait in waits if wait is not None]
        if delays:
            self.retry_at = min(self.retry_at, time.monotonic() + max(0.0, min(delays)))

    def note_unconfirmed(self, flow: str, done: Sequence[Done]) -> None:
        """Log the jobs of a round in which a commit was not confirmed by a standby."""
        if not self.wire.unconfirmed:
            return
        self.wire.unconfirmed = 0
        for one in done:
            which = log_fields(flow, one.taken, self.actor) | {"outcome": "unconfirmed"}
            log.warning("%s job %s: %s", one.taken.trname, one.taken.job_id, _UNCONFIRMED, extra=which)

    def settle_individually(self, flow: str, done: Sequence[Done]) -> None:
        """Settle each job on its own after its batch failed; the transaction and its writes are gone."""
        self.undo()
        for one in done:
            for attempt in range(TRIES):
                try:
                    if self._settle_one(flow, one):
                        break
                    pause(attempt)
                except ConnectionLost as error:
                    which = log_fields(flow, one.taken, self.actor)
                    log.warning(
                        "%s job %s: trying again, %s", flow, which["job"], summarize(error), extra=which
                    )
                    pause(attempt, least=0.1)
                except psycopg.Error as error:
                    self.undo()
                    if not results.is_transient(error):
                        one.error, one.wrote = error, False
                    pause(attempt)

    def _settle_one(self, flow: str, one: Done) -> bool:
        """Settle one job in its own commit; False to try again. A job that is gone was settled before."""
        try:
            return self._settle_alone(flow, one)
        finally:
            self.note_unconfirmed(flow, [one])

    def _settle_alone(self, flow: str, one: Done) -> bool:
        if one.error is not None:
            return self._count(flow, one)
        if one.taken.claim is not None:
            self._log_refusals(flow, self.wire.round(*self._closing(flow, [one], counting=True)), [one])
            return True
        take = taking.take(flow, [one.taken.trname], 1, self.actor, [one.taken.job_id])
        found = read_jobs(self.wire.round(BEGIN, take)[-1])
        if not found:
            self.end_transaction()
            return True
        return self._complete_again(flow, one, found[0])

    def _complete_again(self, flow: str, one: Done, taken: Taken) -> bool:
        """Commit the result of a job that was taken again; False to try again."""
        if one.wrote:  # its writes were rolled back, so it runs again
            with self.alarm:
                again = self._run(flow, taken)
            one.changes, one.sets, one.error, one.wrote = again.changes, again.sets, again.error, again.wrote
            if again.broke:  # twice: the handler breaks it
                one.error, one.wrote = BrokenStep("The connection broke while the handler used it."), False
                return False
        one.taken = taken
        if one.error is not None:
            self.undo()
            return False
        refused = self._refused(self.wire.round(*self._closing(flow, [one], counting=not one.wrote)))
        if refused and one.wrote:
            self.undo()
            one.error, one.wrote = refused[0], False
            return False
        self.wire.round(COMMIT)
        return True

    def _count(self, flow: str, one: Done) -> bool:
        """Count a failed attempt; False while an ending session of this process still holds the job."""
        failures = self.failures(flow, [one])
        if not failures:
            return True
        answers = self.wire.round(*results.retake(flow, one.taken, failures, self.actor))
        self.note_retries(answers)
        return any(answer.ntuples for answer in answers if answer.nfields == results.FAILED_COLUMNS)

    def undo(self) -> None:
        """Roll back an open transaction, by closing the connection if necessary."""
        try:
            self.end_transaction()
        except (psycopg.Error, ConnectionLost):
            self.wire.close()
