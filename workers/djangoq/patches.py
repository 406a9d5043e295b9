"""What Django-Q2 needs so that a killed process never takes the cluster with it.

Weaknesses, each seen: a worker killed while it waits for work keeps the queue's lock for ever, one killed
while it counts keeps that of its timer or of the queue's length; the sentinel, the pusher and the workers
live on as orphans when the main process is killed; a SIGTERM to the whole process group kills the sentinel
inside an event the main process then waits on for ever; and a handler that never ends keeps its worker for
the time of a task, and the cluster from stopping: Django-Q knows the time of a task, which is many jobs; the
journal of each worker knows that of the job that runs now.
"""

from __future__ import annotations

import logging
import os
import signal
import time
from multiprocessing import Lock, Value, active_children, current_process, parent_process
from multiprocessing.reduction import ForkingPickler
from queue import Empty
from typing import Any

from django.conf import settings
from django_q import cluster as q_cluster
from django_q import queues as q_queues
from django_q.status import Stat

from workers.process.parent import die_with_parent, tie_children
from workers.process.pool import OVERDUE_GRACE
from workers.recovery.journal import Journal, journal_dir

log = logging.getLogger("workers.pool")

_LOCK_PATIENCE = 5.0
_hardened_by: int | None = None


class PatientLock:
    """A recursive lock between processes, each with one thread, that outlives a holder that was killed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._depth = 0

    def acquire(self, *_arguments: Any) -> bool:
        """Wait for the lock, and take it from a holder that keeps it longer than anybody does in life."""
        while self._depth == 0 and not self._lock.acquire(timeout=_LOCK_PATIENCE):
            _release(self._lock)
        self._depth += 1
        return True

    def release(self) -> None:
        """Give back one acquisition."""
        self._depth -= 1
        if self._depth == 0:
            _release(self._lock)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_error: object) -> None:
        self.release()


def patient_value(kind: str, initial: float) -> Any:
    """Django-Q's shared numbers, with a lock that no death can keep."""
    return Value(kind, initial, lock=PatientLock())  # type: ignore[call-overload]


class PatientQueue(q_queues.Queue):
    """A queue whose reader holds the lock for the read alone, never while it waits."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.size.count = patient_value("i", 0)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """The next item; waits for it without holding anything another process needs."""
        while True:
            if not self._poll(timeout if block else 0):
                raise Empty
            if not self._rlock.acquire(timeout=_LOCK_PATIENCE):
                _release(self._rlock)  # its holder died inside a read
                continue
            try:
                if self._poll(0):
                    item = self._recv_bytes()
                    self._sem.release()
                    break
            finally:
                _release(self._rlock)
        self.size.increment(-1)
        return ForkingPickler.loads(item)


def _release(lock: Any) -> None:
    try:
        lock.release()
    except ValueError:
        return  # another waiter released it at the same moment


class WatchingStat(Stat):
    """Django-Q's own status of a cluster; made at every turn of the sentinel's loop."""

    def __init__(self, sentinel: Any) -> None:
        super().__init__(sentinel)
        _end_overdue()
        if sentinel.stop_event.is_set():
            _end_late(sentinel)


def _end_overdue() -> None:
    for process in active_children():
        if process.pid is not None and Journal.overdue(journal_dir(), process.pid, OVERDUE_GRACE):
            log.error("Worker process %d hangs in a handler beyond its time and is killed.", process.pid)
            process.kill()


def _end_late(sentinel: Any) -> None:
    """Kill what still runs when the time to stop is over; the grace begins with the first call."""
    if not hasattr(sentinel, "wed_stop_at"):
        sentinel.wed_stop_at = time.monotonic() + settings.STOP_GRACE
    if time.monotonic() > sentinel.wed_stop_at:
        for process in active_children():
            words = process.pid, settings.STOP_GRACE
            log.error("Process %d of the cluster did not end within %g s and is killed.", *words)
            process.kill()


def harden_sentinel() -> bool:
    """Apply the remedies once; whether it did, for it does nothing in any process but the sentinel.

    A broker is the first thing the sentinel makes, before its queues and its children: brokers call this.
    """
    global _hardened_by
    target = getattr(current_process(), "_target", None)
    if target is not q_cluster.Sentinel or _hardened_by == os.getpid():
        return False
    _hardened_by = os.getpid()
    q_cluster.Queue = PatientQueue
    q_cluster.Value = patient_value
    q_cluster.Stat = WatchingStat
    main = parent_process()
    die_with_parent(main.pid if main is not None else None)
    # The main process tells the sentinel to stop, in order: what is sent to the whole group reaches the main
    # process alone. A pusher or worker that died of it inside an event would leave the others waiting.
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    tie_children(_hear_sigterm)
    return True


def _hear_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # how the sentinel ends a worker that hangs
