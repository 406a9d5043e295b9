"""The loop of a process that performs transitions: wakes up for jobs, sleeps otherwise."""

from __future__ import annotations

import logging
import math
import time
from contextlib import suppress

import psycopg

from workers.client import jobs as taking
from workers.client.wire import ConnectionLost, Wire, pause
from workers.jobs.plans import Plan
from workers.jobs.runner import Runner
from workers.logs import summarize
from workers.process.presence import SWEEP, Presence

log = logging.getLogger("workers.service")

BUSY = 0.1  # seconds of work without a pause after which no notifications are needed
SLICE = 0.5  # seconds for one flow before the next one


class Service:
    """Takes jobs by the plans of its presence, and sleeps on its own channel in between."""

    def __init__(self, runner: Runner, presence: Presence) -> None:
        self.runner = runner
        self.presence = presence
        self.wire: Wire = runner.wire
        self._worked_since: float | None = None

    def run(self, *, once: bool = False, wake: int | None = None) -> int:
        """Serve until stopped (`once`: until nothing is ready); return how many handlers ran.

        wake: a descriptor that becomes readable when the process is to stop.
        """
        failures = 0
        while not self.runner.stopping:
            try:
                if self._run_once(once, wake):
                    break
                failures = 0
            except (ConnectionLost, psycopg.Error) as error:
                who = {"worker": self.runner.actor}
                log.warning("The database does not serve: %s", summarize(error), extra=who)
                self.wire.close()
                pause(failures, least=0.1)
                failures = min(failures + 1, 10)
        self._report_times()
        self.presence.unregister()
        return self.runner.performed

    def _report_times(self) -> None:
        if not self.wire.closed:
            with suppress(ConnectionLost):
                self.runner.times.report(self.wire, now=True)

    def _run_once(self, once: bool, wake: int | None) -> bool:
        """Look for jobs once and perform them; True when `once` is over."""
        self.presence.update()
        self.runner.times.report(self.wire)
        begun = time.monotonic()
        if self.sweep():
            self._note_work(begun)
            return False
        self._worked_since = None
        if once:
            return True
        if not self.presence.waiting:
            self.presence.heartbeat(waiting=True)  # before the last look, so that no notification is lost
            return False
        self.wire.wait(self._sleep_seconds(), *([] if wake is None else [wake]))
        return False

    def sweep(self) -> int:
        """Perform what is ready in every plan, for a slice each; return how many handlers ran."""
        before = self.runner.performed
        for plan in self._ready():
            # A worker marked as waiting is notified of every new job, so its first slice is short.
            perform(self.runner, plan, None, seconds=BUSY if self.presence.waiting else SLICE)
            if self.runner.stopping:
                break
        return self.runner.performed - before

    def _ready(self) -> list[Plan]:
        plans = self.presence.plans
        if len(plans) < 2:
            return plans
        actor = self.runner.actor
        looks = self.wire.round(*[taking.offer(plan.flow, plan.names, 1, actor=actor) for plan in plans])
        return [plan for plan, look in zip(plans, looks, strict=True) if look.ntuples]

    def _sleep_seconds(self) -> float:
        left = self.runner.retry_at - time.monotonic()
        if left <= 0:
            self.runner.retry_at = math.inf
        return max(0.0, min(SWEEP, left))

    def _note_work(self, begun: float) -> None:
        if self._worked_since is None:
            self._worked_since = begun
        if self.presence.waiting and time.monotonic() - self._worked_since >= BUSY:
            self.presence.heartbeat(waiting=False)


def perform(runner: Runner, plan: Plan, ids: list[int] | None, seconds: float = SLICE) -> int:
    """Perform ready jobs of the plan (`ids`: of these only); return how many handlers ran."""
    if plan.lease is None:
        return runner.work(plan.flow, plan.names, plan.size, ids, seconds=seconds)
    # Leased jobs are slow ones: those that wait for their turn are left to other workers.
    size = 1 if runner.adaptive else plan.size
    return runner.work_leased(plan.flow, plan.names, size, plan.lease, ids)
