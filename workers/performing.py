"""Runs the handlers of jobs that are held, lends them what they may use, and takes it back in order."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from workers import calls
from workers.alarm import Alarm
from workers.calls import Done
from workers.context import Context
from workers.heart import Heart
from workers.journal import Journal
from workers.neighbours import Neighbours
from workers.outcome import HandlerTimeout, Lost, kind_of, read_result
from workers.registry import Registry
from workers.taken import Taken
from workers.times import Times
from workers.wire import BEGIN, Command, ConnectionLost, Statement, Wire

# Handlers of jobs that are held together run at most this long together, so that nobody waits for strangers.
BATCH_SECONDS = 0.5
# So many jobs at most are in hand where each is its own commit.
HELD = 16
_SAVEPOINT = (Statement("wed_savepoint", "savepoint wed_job"), ())
_BACK = (Statement("wed_back", "rollback to savepoint wed_job"), ())
_KEEP = (Statement("wed_keep", "release savepoint wed_job"), ())


class BrokenStep(Exception):
    """The handler ended or broke the transaction that it was lent."""


class Performer:
    """Calls handlers over one connection, in one thread; `actor` is the name in the history."""

    def __init__(self, wire: Wire, registry: Registry, actor: str, journal: Journal) -> None:
        self.wire = wire
        self.registry = registry
        self.actor = actor
        self.journal = journal
        self.neighbours = Neighbours(journal.path)
        self.stopping = False
        self.performed = 0
        self.retry_at = math.inf
        """When the earliest job that failed here is offered again, by the monotonic clock."""
        self.ahead = 1
        """How many jobs a stepper holds at a time."""
        self.most_held = HELD
        self.apart = False
        """Whether the jobs in hand are the session's and each step is a transaction of its own."""
        self.heart = Heart(wire)
        self.times = Times()
        self.alarm = Alarm()
        self._borrowed = False
        self._current: tuple[str, Taken] | None = None
        self._ending: BaseException | None = None

    # What a handler is lent (workers.context.Hands).

    def borrow(self) -> psycopg.Connection[Any]:
        """The step's connection, behind a savepoint of this job."""
        if not self._borrowed:
            self.wire.round(*self._own_transaction(), _SAVEPOINT)
            self._borrowed = True
        return self.wire.connection

    def _own_transaction(self) -> list[Command]:
        """A job that is held by the session is taken in a transaction, where there is none yet."""
        if not self.apart or self._current is None:
            return []
        flow, taken = self._current
        return [BEGIN, calls.take(flow, [taken.trname], 1, self.actor, [taken.job_id])]

    def extend(self, taken: Taken, duration: timedelta) -> datetime:
        """More time for a leased job."""
        answer = self.wire.round(calls.extend(taken, duration.total_seconds()))[0].get_value(0, 0) or b'""'
        until = time.monotonic() + duration.total_seconds()
        self.heart.prolong(taken, until)
        self.journal.prolong(until)
        self.alarm.postpone(duration.total_seconds())
        return datetime.fromisoformat(answer.decode().strip('"'))

    def perform(self, flow: str, jobs: Sequence[Taken]) -> list[Done]:
        """Run the handlers of jobs in hand, as many as there is time for."""
        begun = time.monotonic()
        known = [t.timeout for t in jobs if t.timeout is not None]
        allowed = min([BATCH_SECONDS, *(t / 2 for t in known)])
        # A lease outlives its process, so nobody takes such a job before its death is counted.
        fallen = self.neighbours.fallen({t.job_id for t in jobs if t.claim is None})
        done = [Done(taken, error=Lost()) for taken in jobs if taken.job_id in fallen]
        with self.alarm:
            for taken in [t for t in jobs if t.job_id not in fallen] if fallen else jobs:
                if done and (time.monotonic() - begun > allowed or self.stopping or not self._sound(taken)):
                    break  # the rest is given back with the commit, untouched
                done.append(self._run(flow, taken))
                if self._ending is not None:
                    break
        return done

    def _sound(self, taken: Taken) -> bool:
        between = TransactionStatus.IDLE if self.apart else TransactionStatus.INTRANS
        return taken.claim is not None or self.wire.status == between

    def _run(self, flow: str, taken: Taken) -> Done:
        """Call the handler of one job; whatever it raises is in the answer."""
        entry = self.registry.find(flow, taken.trname)
        if entry is None:
            return Done(taken, error=LookupError(f"No handler for {taken.trname!r} in this process."))
        until = None if taken.timeout is None else time.monotonic() + taken.timeout
        context = Context(flow, taken, self, until)
        self._borrowed = False
        self._current = flow, taken
        self.performed += 1
        self.journal.begin(flow.encode(), taken.job_id, taken.wid, taken.claim, until)
        begun = time.monotonic()
        done = Done(taken)
        try:
            self.alarm.begin(taken.timeout)
            try:
                result = entry.handler(taken.state(), context)
            finally:
                self.alarm.end()
            done.changes, done.sets = read_result(result)
        except KeyboardInterrupt as error:
            self._ending = error
            done.error = error
        except BaseException as error:  # noqa: BLE001  # a handler's failure is its job's, whatever it is
            done.error = error
            if kind_of(error) == "timeout" and not isinstance(error, HandlerTimeout):
                self._ending = error  # the cluster replaces this process
        finally:
            self.journal.end()
            self.times.add(flow, taken, begun, taken.attempts == 0)
        return self._return_loan(done) if self._borrowed else done

    def _return_loan(self, done: Done) -> Done:
        """Keep what the handler wrote, or undo it back to its savepoint."""
        if self.wire.broken and (done.error is None or isinstance(done.error, psycopg.OperationalError)):
            return self._broke(done)
        status = self.wire.status
        try:
            if done.error is None and status == TransactionStatus.INTRANS:
                self.wire.round(_KEEP)
                done.wrote = True
                return done
            if status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
                self.wire.round(_BACK)
            else:
                self.wire.close()
        except ConnectionLost:
            return self._broke(done) if done.error is None else done
        except psycopg.Error:
            self.wire.close()
        done.error = done.error or BrokenStep("The handler broke or ended the transaction that it was lent.")
        return done

    def _broke(self, done: Done) -> Done:
        """The server went away under the handler: nobody's fault, and to be done again."""
        self.wire.close()
        done.error, done.wrote, done.broke = None, True, True
        return done
