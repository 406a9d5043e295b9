"""A pool of worker processes: starts them, replaces dead ones, kills those that hang, stops in order."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing import connection, get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType

from workers.process.parent import die_with_parent
from workers.recovery.journal import Journal

log = logging.getLogger("workers.pool")

# Seconds beyond its limit after which a handler that is stuck outside Python is killed.
OVERDUE_GRACE = 3.0
_CHECK_INTERVAL = 1.0
_QUICK_EXIT = 5.0
_LONGEST_DELAY = 5.0


@dataclass
class Slot:
    """A slot of the pool and its process."""

    number: int
    process: BaseProcess | None = None
    started: float = 0.0
    quick_exits: int = 0
    not_before: float = 0.0


@dataclass
class Pool:
    """Runs `target(number)` in `size` forked processes; create it before any connection is opened.

    grace: seconds for a process to finish its handler when the pool stops.
    """

    target: Callable[[int], None]
    size: int
    journals: Path
    grace: float = 30.0
    once: bool = False
    slots: list[Slot] = field(default_factory=list)
    stopping: bool = False

    def run(self) -> None:
        """Run until SIGTERM or SIGINT; with `once`, until every process has ended."""
        wake_read, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        self.slots = [Slot(n + 1) for n in range(self.size)]
        while not self.stopping and self._fill():
            sentinels = [s.process.sentinel for s in self.slots if s.process is not None]
            connection.wait([*sentinels, wake_read], timeout=_CHECK_INTERVAL)
            self._collect_exited()
            self._end_overdue()
        self._end()

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self.stopping = True

    def _fill(self) -> bool:
        """Start missing processes; return False when none runs and none is to be started."""
        now = time.monotonic()
        for slot in self.slots:
            if slot.process is None and now >= slot.not_before and not (self.once and slot.started):
                args = (slot.number, os.getpid())
                slot.process = get_context("fork").Process(target=self._child, args=args)
                slot.process.start()
                slot.started = now
        return not self.once or any(slot.process for slot in self.slots)

    def _child(self, number: int, parent: int) -> None:
        signal.set_wakeup_fd(-1)
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, signal.SIG_IGN)  # until the target sets its own
        die_with_parent(parent)
        self.target(number)

    def _collect_exited(self) -> None:
        for slot in self.slots:
            process = slot.process
            if process is None or process.is_alive():
                continue
            process.join()
            slot.process = None
            if not self.once:
                self._schedule_restart(slot, process.exitcode)

    def _schedule_restart(self, slot: Slot, code: int | None) -> None:
        now = time.monotonic()
        slot.quick_exits = slot.quick_exits + 1 if now - slot.started < _QUICK_EXIT else 0
        slot.not_before = now + (min(_LONGEST_DELAY, 0.1 * 2**slot.quick_exits) if slot.quick_exits else 0)
        log.warning("Worker %d ended (%s); a new one takes its place.", slot.number, code)

    def _end_overdue(self) -> None:
        for slot in self.slots:
            pid = slot.process.pid if slot.process is not None else None
            if pid is not None and Journal.overdue(self.journals, pid, OVERDUE_GRACE):
                log.error("Worker %d hangs in a handler beyond its time and is killed.", slot.number)
                os.kill(pid, signal.SIGKILL)

    def _end(self) -> None:
        """Send SIGTERM to every process, and kill those that do not end within the grace period."""
        living = [slot.process for slot in self.slots if slot.process is not None]
        for process in living:
            process.terminate()
        until = time.monotonic() + self.grace
        for process in living:
            process.join(max(0.0, until - time.monotonic()))
            if process.is_alive():
                log.error("Worker %s did not end within %.0f s and is killed.", process.pid, self.grace)
                process.kill()
                process.join()
