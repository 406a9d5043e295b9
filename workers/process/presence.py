"""Registration of a process with the kernel: transitions, heartbeat, notification channel."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Collection
from pathlib import Path

import psycopg

from workers.client import jobs as taking
from workers.client import registration, results
from workers.client.statement import Statement
from workers.client.wire import ConnectionLost, Wire
from workers.jobs.plans import Plan, known, plans, serves
from workers.logs import summarize
from workers.process.idle_handlers import UnmatchedHandlers
from workers.recovery.lost_jobs import report_lost
from workers.registry import Registry

log = logging.getLogger("workers.presence")

HEARTBEAT_SECONDS = 10.0  # the kernel counts a worker as dead after 30 s without one
SWEEP = 1.0  # a sleeping worker looks again after this long, as notifications may be lost

_NAME = Statement("wed_name", "select set_config('application_name', $1::text, false)")
_LOCAL_WORKERS = Statement("wed_local_workers", "select id, pid from wedsql.worker where host = $1::text")


class Presence:
    """Keeps the row of one process in the worker table up to date; `plans` is what it may take now."""

    def __init__(
        self,
        wire: Wire,
        registry: Registry,
        *,
        kind: str,
        actor: str,
        size: int = 1,
        flows: Collection[str] | None = None,
        journals: Path | None = None,
    ) -> None:
        self.wire = wire
        self.registry = registry
        self.kind = kind
        self.actor = actor
        self.size = size
        self.flows = flows
        self.journals = journals
        self.plans: list[Plan] = []
        self._unmatched = UnmatchedHandlers(registry, flows, actor)
        self.waiting = False
        self._worker: int | None = None
        self._generation = -1
        self._last_heartbeat = 0.0
        self._looked = 0.0

    def update(self) -> None:
        """Register, listen and read the flows where necessary; costs nothing most of the time."""
        now = time.monotonic()
        if (
            self.wire.closed
            or self._generation != self.wire.generation
            or b"wedsql_flow" in self.wire.notified
        ):
            self._load_plans(published=b"wedsql_flow" in self.wire.notified)
        elif now - self._last_heartbeat > HEARTBEAT_SECONDS:
            self._load_plans()
            self.heartbeat(self.waiting)
        if self.journals is not None and now - self._looked > SWEEP:
            self._looked = now
            report_lost(self.wire, self.journals, self.actor)
        self.wire.notified.clear()

    def heartbeat(self, waiting: bool) -> None:
        """Send a heartbeat; waiting: whether notifications of new jobs are wanted."""
        answer = self.wire.round(registration.heartbeat(self._worker, waiting))[0]
        self.waiting = waiting
        self._last_heartbeat = time.monotonic()
        if answer.get_value(0, 0) != b"t":
            self._register()

    def unregister(self) -> None:
        """Unregister the worker and disconnect."""
        try:
            if self._worker is not None and not self.wire.closed:
                self.wire.round(registration.unregister_worker(self._worker))
        except (ConnectionLost, psycopg.Error) as error:
            log.info("Could not sign off: %s", summarize(error), extra={"worker": self.actor})
        self.wire.close()

    def _load_plans(self, *, published: bool = False) -> None:
        found = plans(known(self.wire), self.registry, self.size, self.flows)
        if self._generation == self.wire.generation and found == self.plans and not published:
            return
        self.plans = found
        self._unmatched.ask(self.wire, serves(found))
        self._register()
        self._generation = self.wire.generation
        served = ", ".join(serves(found)) or "nothing yet"
        log.info("%s serves %s", self.actor, served, extra={"worker": self.actor})
        self._unmatched.log(again=published)

    def _register(self) -> None:
        self._delete_dead_workers()
        title = f"{self.actor} {','.join(sorted({plan.flow for plan in self.plans}))}"[:63]
        serves_now = [*serves(self.plans), *self._unmatched.names()]
        register = registration.register_worker(
            self.kind, title, socket.gethostname(), os.getpid(), serves_now
        )
        self.wire.round((_NAME, (title.encode(),)))
        answer = self.wire.round(register)
        self._worker = int(answer[0].get_value(0, 0) or 0)
        self.waiting = False
        self._last_heartbeat = time.monotonic()
        self.wire.connection.execute(f"listen wedsql_w{self._worker:d}")  # :d accepts a number only
        self.wire.connection.execute("listen wedsql_flow")
        self._report_problems()
        if self.size == 1 and self.kind == "process":
            for plan in [plan for plan in self.plans if plan.lease is None]:
                self.wire.round(*taking.warm(plan.flow, plan.names), *results.warm(plan.flow))

    def _report_problems(self) -> None:
        """Report which handlers this process cannot serve, and why, for the workers page."""
        if not self.registry.problems:
            return
        text = "\n\n".join(map(str, self.registry.problems)).replace("\0", "")
        try:
            self.wire.round(registration.report_problems(self._worker, text))
        except psycopg.Error as error:  # an older kernel without the function: not fatal
            log.info("Problems are not shown: %s", summarize(error), extra={"worker": self.actor})

    def _delete_dead_workers(self) -> None:
        """Delete this machine's rows of dead processes, which would get this one's notifications for 30 s."""
        rows = self.wire.round((_LOCAL_WORKERS, (socket.gethostname().encode(),)))[0]
        for row in range(rows.ntuples):
            number, pid = int(rows.get_value(row, 0) or 0), int(rows.get_value(row, 1) or 0)
            if number == self._worker or not Path(f"/proc/{pid}").exists():
                self.wire.round(registration.unregister_worker(number))
