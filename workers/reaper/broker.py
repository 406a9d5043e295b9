"""The reaper's broker: one task whenever something is due, and at least one per second."""

from __future__ import annotations

import os
import time

from workers.client import maintenance
from workers.client.connect import opener
from workers.client.wire import Wire
from workers.djangoq.broker import RobustBroker
from workers.djangoq.packages import REAP, Task, package

PERIOD = 1.0
_SHORTEST = 0.05


class ReaperBroker(RobustBroker):
    """Sleeps until the next due time, a second at most, and then returns a task for the reaper."""

    _wire: Wire | None = None
    _pid = 0

    def info(self) -> str:
        """Return the text for the monitor of Django-Q."""
        return "WED-SQL reaper"

    def next_tasks(self) -> list[Task]:
        """Return one task, after a sleep that ends with the next due time."""
        if self._wire is None or self._pid != os.getpid():
            self._wire, self._pid = Wire(opener("wedsql-reaper-clock")), os.getpid()
        due = self._wire.round(maintenance.next_due())[0].get_value(0, 0)
        time.sleep(PERIOD if due is None else min(PERIOD, max(_SHORTEST, float(due) + 0.005)))
        return [package(REAP)]

    def reset(self) -> None:
        """Close the connection; the next look opens one."""
        if self._wire is not None:
            self._wire.close()
