"""What Django-Q2's sentinel does besides: it ends handlers that hang, and a stop that takes too long.

Django-Q knows the time of a task, which is many jobs; the journal of each worker knows that of the job that
runs now. The sentinel takes stock of itself at every turn of its loop, also while it stops, and looks then.
"""

from __future__ import annotations

import logging
import time
from multiprocessing import active_children
from typing import Any

from django.conf import settings
from django_q.status import Stat

from workers.connect import journal_dir
from workers.journal import Journal
from workers.pool import OVERDUE_GRACE

log = logging.getLogger("workers.qwatch")


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
