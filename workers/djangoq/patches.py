"""Patches of Django-Q2, so that a killed process does not stop the cluster.

PATCHES lists each function of Django-Q2 that was reviewed, its fault and the remedy. A test compares the
installed version and the source of each with what was reviewed: after a change of the pinned version,
review them again.
"""

from __future__ import annotations

import logging
import os
import signal
import time
from multiprocessing import Lock, Value, active_children, current_process, parent_process
from multiprocessing.reduction import ForkingPickler
from queue import Empty
from typing import Any, NamedTuple

from django.conf import settings
from django_q import cluster as q_cluster
from django_q import queues as q_queues
from django_q.pusher import pusher
from django_q.status import Stat

from workers.djangoq.fork_hooks import forget_connections
from workers.process.parent import die_with_parent, end_children_with_parent
from workers.process.pool import OVERDUE_GRACE
from workers.recovery.journal import Journal, journal_dir

log = logging.getLogger("workers.pool")

_LOCK_TIMEOUT = 5.0
_hardened_by: int | None = None


class RobustLock:
    """A recursive lock between single-threaded processes that survives the death of its holder."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._depth = 0

    def acquire(self, *_arguments: Any) -> bool:
        """Acquire the lock; take it from a holder that keeps it longer than a living process does."""
        while self._depth == 0 and not self._lock.acquire(timeout=_LOCK_TIMEOUT):
            _release(self._lock)
        self._depth += 1
        return True

    def release(self) -> None:
        """Release one acquisition."""
        self._depth -= 1
        if self._depth == 0:
            _release(self._lock)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_error: object) -> None:
        self.release()


def robust_value(kind: str, initial: float) -> Any:
    """Return a shared number as in Django-Q, whose lock survives the death of its holder."""
    return Value(kind, initial, lock=RobustLock())  # type: ignore[call-overload]


class RobustQueue(q_queues.Queue):
    """A queue whose reader holds the lock for the read alone, not while it waits."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.size.count = robust_value("i", 0)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Return the next item; hold no lock while waiting for it."""
        while True:
            if not self._poll(timeout if block else 0):
                raise Empty
            if not self._rlock.acquire(timeout=_LOCK_TIMEOUT):
                _release(self._rlock)  # its holder died during a read
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
    """Django-Q's status of a cluster; the sentinel creates one in each cycle of its loop."""

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
    """Kill what still runs when the grace period, which begins with the first call, is over."""
    if not hasattr(sentinel, "wed_stop_at"):
        sentinel.wed_stop_at = time.monotonic() + settings.STOP_GRACE
    if time.monotonic() > sentinel.wed_stop_at:
        for process in active_children():
            values = process.pid, settings.STOP_GRACE
            log.error("Process %d of the cluster did not end within %g s and is killed.", *values)
            process.kill()


def harden_sentinel() -> bool:
    """Apply the patches once, and only in the sentinel; return whether this call did.

    The sentinel creates a broker before its queues and its children, so brokers call this.
    """
    global _hardened_by
    target = getattr(current_process(), "_target", None)
    if target is not q_cluster.Sentinel or _hardened_by == os.getpid():
        return False
    _hardened_by = os.getpid()
    q_cluster.Queue = RobustQueue
    q_cluster.Value = robust_value
    q_cluster.Stat = WatchingStat
    main = parent_process()
    die_with_parent(main.pid if main is not None else None)
    # The main process stops the sentinel in order: a signal to the whole group reaches the main process
    # alone. A pusher or worker that it killed inside an event would leave the others waiting.
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    end_children_with_parent(_restore_sigterm)
    return True


def _restore_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # the sentinel ends a hanging worker by it


class Patch(NamedTuple):
    """A function of Django-Q2 with its fault and the remedy."""

    upstream: Any
    digest: str
    """The first digits of the SHA-256 of its source when it was reviewed."""
    fault: str
    remedy: Any


VERSION = "1.11.1"
PATCHES = (
    Patch(
        q_queues.Queue.get,
        "08978449700e",
        "a worker that is killed while it waits for a task keeps the lock of the queue for ever",
        RobustQueue.get,
    ),
    Patch(
        q_queues.SharedCounter.increment,
        "4b778ca5def6",
        "a process that is killed while it counts keeps the lock of the length of its queue for ever",
        robust_value,
    ),
    Patch(
        q_cluster.Sentinel.spawn_worker,
        "3c4764964efe",
        "a worker that is killed while it sets its timer keeps the lock that the guard then waits for",
        robust_value,
    ),
    Patch(
        q_cluster.Cluster.start,
        "70fbc24e3cd7",
        "sentinel, pusher, monitor and workers live on as orphans when the main process is killed",
        harden_sentinel,
    ),
    Patch(
        q_cluster.Sentinel.__init__,
        "6ddfa0bde90a",
        "a SIGTERM to the whole group kills the sentinel inside an event that the main process waits on",
        harden_sentinel,
    ),
    Patch(
        q_cluster.Sentinel.guard,
        "b48dce5446f6",
        "it knows the time of a task, which is many jobs: a handler that hangs keeps its worker so long;"
        " the journal of each worker knows the time of the job that runs now",
        WatchingStat,
    ),
    Patch(
        q_cluster.Sentinel.stop,
        "d858ef90cdaa",
        "it waits without limit for a worker whose handler never ends",
        WatchingStat,
    ),
    Patch(
        q_cluster.Sentinel.spawn_process,
        "0f72360b891e",
        "a child uses the connections and pools of its parent (django-q2 #209)",
        forget_connections,
    ),
    Patch(
        pusher,
        "6975acb3fb8d",
        "it sleeps for ten seconds and ends when its broker raises, as brokers here therefore never do",
        "workers.djangoq.broker.RobustBroker.dequeue",
    ),
)
