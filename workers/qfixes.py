"""What Django-Q2 needs so that a killed process never takes the cluster with it.

Three weaknesses, each seen: a worker killed while it waits for work keeps the queue's lock for ever; the
sentinel, the pusher and the workers live on as orphans when the main process is killed; and a SIGTERM to
the whole process group kills the sentinel inside an event the main process then waits on for ever.
"""

from __future__ import annotations

import os
import signal
from multiprocessing import current_process
from multiprocessing.reduction import ForkingPickler
from queue import Empty
from typing import Any

from django_q import cluster as q_cluster
from django_q import queues as q_queues

from workers.parent import die_with_parent

_LOCK_PATIENCE = 5.0
_hardened_by: int | None = None


class PatientQueue(q_queues.Queue):
    """A queue whose reader holds the lock for the read alone, never while it waits."""

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


def harden_sentinel() -> None:
    """Apply the three remedies once; does nothing in any process but the sentinel.

    A broker is the first thing the sentinel makes, before its queues and its children: brokers call this.
    """
    global _hardened_by
    target = getattr(current_process(), "_target", None)
    if target is not q_cluster.Sentinel or _hardened_by == os.getpid():
        return
    _hardened_by = os.getpid()
    q_cluster.Queue = PatientQueue
    die_with_parent()
    # The main process tells the sentinel to stop, in order: what is sent to the whole group reaches the main
    # process alone. A pusher or worker that died of it inside an event would leave the others waiting.
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.register_at_fork(after_in_child=_in_child)


def _in_child() -> None:
    if os.getppid() != _hardened_by:
        return  # a process that a handler forked: none of ours
    die_with_parent(_hardened_by)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # how the sentinel ends a worker that hangs
