"""Running the handlers of held jobs: what they may use, their time limits, and cleaning up after them."""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from workers.client import jobs as taking
from workers.client import results
from workers.client.claims import Taken
from workers.client.forks import exit_if_forked
from workers.client.results import Done
from workers.client.statement import BEGIN, Command
from workers.client.wire import ConnectionLost, Wire
from workers.context import Context
from workers.jobs.alarm import Alarm
from workers.jobs.leases import LeaseRenewer
from workers.jobs.loans import LentConnection
from workers.jobs.outcome import Failed, Lost, failed, read_result
from workers.jobs.process_state import SavedState
from workers.jobs.times import Times
from workers.logs import log_fields
from workers.recovery.dead_workers import OtherJournals
from workers.recovery.journal import Journal
from workers.registry import Handler, Registry

log = logging.getLogger("workers.performing")

# Handlers of jobs held together run at most this long together, so that no job waits long for others.
BATCH_SECONDS = 0.5
# The most jobs held at a time where each has its own commit.
HELD = 16


class BrokenStep(Exception):
    """The handler ended or broke the transaction of its step."""


class Performer:
    """Calls handlers over one connection, in one thread; `actor` is the name in the history."""

    def __init__(self, wire: Wire, registry: Registry, actor: str, journal: Journal) -> None:
        self.wire = wire
        self.registry = registry
        self.actor = actor
        self.journal = journal
        self.other_journals = OtherJournals(journal.path)
        self.stopping = False
        self.performed = 0
        self.retry_at = math.inf
        """When the earliest job that failed here is due again, by the monotonic clock."""
        self.ahead = 1
        """How many jobs a stepper holds at a time."""
        self.most_held = HELD
        self.adaptive = False
        """Whether several jobs are committed together only while many wait."""
        self.many_wait = False
        self.apart = False
        """Whether the session holds the jobs and each step is its own transaction."""
        self.lease_renewer = LeaseRenewer(wire)
        self.times = Times()
        self.alarm = Alarm()
        self.timeout_errors: tuple[type[BaseException], ...] = ()
        """Exceptions besides HandlerTimeout that mean that the handler exceeded its time."""
        self.longest_run = math.inf
        """Seconds after which a supervisor may kill this process during any handler."""
        self.saved_state: SavedState | None = None
        """What is restored after handlers; None: nothing."""
        self.must_be_replaced = False
        """Whether a handler changed what cannot be restored, so that this process must be replaced."""
        self._pid = os.getpid()
        self._lent: LentConnection | None = None
        self._lost = False
        self._limit = math.inf
        self._current: tuple[str, Taken] | None = None

    # What a handler may use (workers.context.HandlerServices).

    def step_connection(self) -> psycopg.Connection[Any]:
        """Return the step's connection, with a savepoint for this job."""
        if self._lent is None:
            try:
                self._lent = LentConnection(self.wire, self._own_transaction())
            except (ConnectionLost, psycopg.Error) as error:
                self._lost = isinstance(error, ConnectionLost) or results.is_transient(error)
                raise
        return self._lent.connection

    def _own_transaction(self) -> list[Command]:
        """Return the commands that take a job held by the session in a transaction, if none is open."""
        if not self.apart or self._current is None:
            return []
        flow, taken = self._current
        return [BEGIN, taking.take(flow, [taken.trname], 1, self.actor, [taken.job_id])]

    def extend(self, taken: Taken, duration: timedelta) -> datetime:
        """Extend the lease of a job and return its new deadline."""
        answer = self.wire.round(taking.extend(taken, duration.total_seconds()))[0].get_value(0, 0) or b'""'
        until = time.monotonic() + duration.total_seconds()
        self.lease_renewer.prolong(taken, until)
        self.journal.prolong(min(until, self._limit))
        self.alarm.postpone(duration.total_seconds())
        return datetime.fromisoformat(answer.decode().strip('"'))

    def host(self, flow: str, taken: Taken) -> str | None:
        """Return the host of an attempt; in transaction mode it is read in the step's transaction."""
        given = (flow, taken.trname, taken.attempts + 1, taken.wid, taken.job_id)
        if taken.claim is None:
            call = "select wedsql.task_host(%s, %s, %s, %s, %s)"
            row = self.step_connection().execute(call, given).fetchone()
            return row[0] if row else None
        found = self.wire.round(taking.host(*given))[0].get_value(0, 0)
        return found.decode() if found is not None else None

    def is_lost(self, taken: Taken) -> bool:
        """Return whether a renewal of the job's lease was rejected because the job is no longer held."""
        return taken.job_id in self.lease_renewer.lost

    def perform(self, flow: str, jobs: Sequence[Taken]) -> list[Done]:
        """Run the handlers of held jobs, as many as fit into the time."""
        begun = time.monotonic()
        known = [t.timeout for t in jobs if t.timeout is not None]
        allowed = min([BATCH_SECONDS, *(t / 2 for t in known)])
        # In transaction mode only: a dead worker's lease keeps its job until the death is counted.
        lost = self.other_journals.jobs_of_dead_workers({t.job_id for t in jobs if t.claim is None})
        done = [Done(taken, error=Lost()) for taken in jobs if taken.job_id in lost]
        with self.alarm:
            for taken in [t for t in jobs if t.job_id not in lost] if lost else jobs:
                if done and (
                    time.monotonic() - begun > allowed or self.stopping or not self._is_usable(taken)
                ):
                    break  # the commit releases the rest unchanged
                done.append(self._run(flow, taken))
        self._restore_process(flow)
        return done

    def _restore_process(self, flow: str) -> None:
        """Restore what the handlers of a batch changed in this process."""
        changed = self.saved_state.restore() if self.saved_state is not None else []
        if self.wire.descriptor_changed:
            self.wire.abandon()
            self.must_be_replaced = self.stopping = True
            changed.append("descriptors, which cannot be restored: this process ends")
        if changed:
            which = log_fields(flow, self._current[1], self.actor) if self._current else {}
            log.warning("A handler changed and did not restore: %s", ", ".join(changed), extra=which)

    def _is_usable(self, taken: Taken) -> bool:
        between = TransactionStatus.IDLE if self.apart else TransactionStatus.INTRANS
        return taken.claim is not None or self.wire.status == between

    def _run(self, flow: str, taken: Taken) -> Done:
        """Call the handler of one job; whatever it raises is in the result."""
        entry = self.registry.find(flow, taken.trname)
        if entry is None:
            return Done(taken, error=LookupError(f"No handler for {taken.trname!r} in this process."))
        now = time.monotonic()
        until = None if taken.timeout is None else now + taken.timeout
        self._limit = now + self.longest_run
        context = Context(flow, taken, self, until)
        self._lent, self._lost = None, False
        self._current = flow, taken
        self.performed += 1
        watched = min(math.inf if until is None else until, self._limit)
        self.journal.begin(
            flow.encode(), taken.job_id, taken.wid, taken.claim, None if watched == math.inf else watched
        )
        done = self._call(entry.handler, context, Done(taken))
        exit_if_forked(self._pid, orderly=done.error is None)
        self.journal.end()
        self.times.add(flow, taken, now, taken.attempts == 0)
        return self._end_lending(done, self._lent) if self._lent is not None or self._lost else done

    def _call(self, handler: Handler, context: Context, done: Done) -> Done:
        """Call the handler and read its result or error, all within its time limit."""
        taken = done.taken
        try:
            try:
                self.alarm.begin(taken.timeout)
                done.changes, done.sets = read_result(handler(taken.state(), context))
            except BaseException as error:  # noqa: BLE001  # recorded as the job's failure
                done.error = failed(error, self.timeout_errors)
            finally:
                self.alarm.end()
        except BaseException as error:  # noqa: BLE001  # the time ended while that was read
            done.error = failed(error, self.timeout_errors)
            self.alarm.end()
        return done

    def _end_lending(self, done: Done, lent: LentConnection | None) -> Done:
        """Keep what the handler wrote, or roll back to its savepoint."""
        lost = lent.take_back() if lent is not None else self._lost
        if lost and not (isinstance(done.error, Failed) and done.error.kind == "timeout"):
            return self._mark_broken(done)
        status = self.wire.status
        try:
            if lent is not None and done.error is None and status == TransactionStatus.INTRANS:
                lent.keep()
                done.wrote = True
                return done
            if lent is not None and status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
                lent.undo()
            else:
                self.wire.close()
        except ConnectionLost:
            return self._mark_broken(done) if done.error is None else done
        except psycopg.Error:
            self.wire.close()
        done.error = done.error or BrokenStep("The handler broke or ended the transaction that it was lent.")
        return done

    def _mark_broken(self, done: Done) -> Done:
        """Handle a connection that broke during the handler: no attempt, the job is performed again."""
        self.wire.close()
        done.error, done.wrote, done.broke = None, True, True
        return done
