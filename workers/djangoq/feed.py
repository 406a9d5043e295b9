"""Tasks that a Django-Q pusher creates for its workers from the ready jobs of job_pool.

Nothing is claimed and nothing is stored here. A task may be out of date or name a job that another task
named; its worker takes the jobs that are still free, in its own transaction.
"""

from __future__ import annotations

import math
import os
import socket
import time
from collections import deque
from dataclasses import dataclass

from workers.client import jobs as taking
from workers.client.statement import Command
from workers.client.wire import Wire
from workers.djangoq.packages import RUN_JOBS, Task, package
from workers.jobs.plans import Plan
from workers.process.presence import SWEEP, Presence
from workers.registry import Registry

# How long a job that a task named is not named again, unless the task has certainly ended before.
IN_FLIGHT = 3.0
BUSY = 0.1  # seconds without work after which a busy period is over
BUSY_WAIT = 0.02


@dataclass(frozen=True)
class Sizes:
    """How much the pusher hands out: workers, jobs per task, jobs per commit, tasks in the queue."""

    workers: int
    task: int
    commit: int
    queue: int


class Feed:
    """The tasks of one pusher process."""

    def __init__(self, wire: Wire, registry: Registry, sizes: Sizes, presence: Presence) -> None:
        self.wire = wire
        self.registry = registry
        self.sizes = sizes
        self.presence = presence
        self._found_at = self._busy_since = -math.inf
        # A task has ended when the queue has accepted so many later ones.
        self._in_flight: deque[tuple[float, list[int]]] = deque(maxlen=sizes.queue + 2 * sizes.workers + 1)

    def next(self) -> list[Task]:
        """Return tasks for the workers; none after at most a second without work. Raises as `Wire.round`."""
        self.presence.update()
        found = self._look()
        if not found and not self.presence.waiting:
            if time.monotonic() - self._found_at < BUSY:
                self.wire.wait(BUSY_WAIT)  # the workers are busy: what they fire is handed out together
                return []
            self.presence.heartbeat(waiting=True)  # before the last look, so that no wake-up is lost
            found = self._look()
        if found:
            self._note_work()
        else:
            self.wire.wait(SWEEP)
        return found

    def _note_work(self) -> None:
        """Turn wake-ups off while the workers are busy, so that commits send no notifications."""
        now = time.monotonic()
        if now - self._found_at > BUSY:
            self._busy_since = now
        self._found_at = now
        if self.presence.waiting and now - self._busy_since > BUSY:
            self.presence.heartbeat(waiting=False)

    def _look(self) -> list[Task]:
        plans = self.presence.plans
        if not plans:
            return []
        busy = self._busy()
        looks = self.wire.round(*[self._offer(plan, busy) for plan in plans])
        return [
            task for plan, look in zip(plans, looks, strict=True) for task in self._tasks(plan, _ids(look))
        ]

    def _offer(self, plan: Plan, busy: list[int]) -> Command:
        most = self.sizes.task * self.sizes.workers
        return taking.offer(plan.flow, plan.names, most, busy, actor=self.presence.actor)

    def _busy(self) -> list[int]:
        now = time.monotonic()
        while self._in_flight and self._in_flight[0][0] < now:
            self._in_flight.popleft()
        return [job for _, jobs in self._in_flight for job in jobs]

    def _tasks(self, plan: Plan, ids: list[int]) -> list[Task]:
        """Return tasks with an equal share for each worker, so that slow handlers run in parallel."""
        share = max(1, min(self.sizes.task, math.ceil(len(ids) / self.sizes.workers)))
        return [self._task(plan, ids[at : at + share]) for at in range(0, len(ids), share)]

    def _task(self, plan: Plan, ids: list[int]) -> Task:
        self._in_flight.append((time.monotonic() + IN_FLIGHT, ids))
        return package(RUN_JOBS, plan.flow, ids, list(plan.names), plan.size, plan.lease)


def pusher_name() -> str:
    """Return the name of this process among the workers."""
    return f"qcluster@{socket.gethostname()}:{os.getpid()}"


def _ids(look: object) -> list[int]:
    value = look.get_value  # type: ignore[attr-defined]
    return [int(value(row, 0)) for row in range(look.ntuples)]  # type: ignore[attr-defined]
