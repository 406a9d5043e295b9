"""One process that serves transitions: wakes when there is work, sleeps without cost when there is none."""

from __future__ import annotations

import logging
import math
import os
import socket
import time
from collections.abc import Collection
from pathlib import Path

import psycopg

from workers.catalog import Plan, known, plans, serves
from workers.lost import report_lost
from workers.registry import Registry
from workers.runner import Runner
from workers.wire import ConnectionLost, Statement, Wire, pause, texts

log = logging.getLogger("workers.service")

SWEEP = 1.0  # notifications are hints: whoever sleeps looks again after this long
BEAT = 10.0  # the kernel counts a worker as dead after 30 s of silence
BUSY = 0.1  # who has worked this long without a pause need not be woken
SLICE = 0.5  # one flow's share before the next one's turn

_REGISTER = Statement(
    "wed_register", "select wedsql.register_worker($1::text, $2::text, $3::text, $4::int, $5::text[])"
)
_BEAT = Statement("wed_beat", "select wedsql.heartbeat($1::bigint, $2::boolean)")
_LEAVE = Statement("wed_unregister", "select wedsql.unregister_worker($1::bigint)")
_LOOK = Statement("wed_look", "select 1 from wedsql.offer($1::text, $2::text[], 1)")
_NAME = Statement("wed_name", "select set_config('application_name', $1::text, false)")


class Service:
    """Registers itself, takes what its plans allow, and sleeps on its own channel between."""

    def __init__(
        self,
        runner: Runner,
        registry: Registry,
        *,
        kind: str = "process",
        size: int = 1,
        flows: Collection[str] | None = None,
        journals: Path | None = None,
    ) -> None:
        self.runner = runner
        self.wire: Wire = runner.wire
        self.registry = registry
        self.kind = kind
        self.size = size
        self.flows = flows
        self.journals = journals
        self.plans: list[Plan] = []
        self.worker: int | None = None
        self.waiting = False
        self._generation = -1
        self._beaten = 0.0
        self._worked_since: float | None = None

    def run(self, *, once: bool = False, wake: int | None = None) -> int:
        """Serve until told to stop (`once`: until nothing is ready); how many handlers were run.

        wake: a descriptor that becomes readable when the process is told to stop.
        """
        failures = 0
        while not self.runner.stopping:
            try:
                if self._turn(once, wake):
                    break
                failures = 0
            except ConnectionLost as error:
                log.warning("No database: %s", error)
                pause(failures, least=0.1)
                failures += 1
            except psycopg.Error as error:
                log.warning("The database refused: %s", error)
                self.wire.close()
                pause(failures, least=0.1)
                failures += 1
        self._sign_off()
        return self.runner.performed

    def _turn(self, once: bool, wake: int | None) -> bool:
        """One look at the work; True when `once` is over."""
        self._attend()
        if self.sweep():
            self._note_work()
            return False
        self._worked_since = None
        if once:
            return True
        if not self.waiting:
            self._beat(waiting=True)  # before the last look, so that no wake-up is lost
            return False
        self.wire.wait(self._nap(), *([] if wake is None else [wake]))
        return False

    def sweep(self) -> int:
        """Perform what is ready in every plan, a slice each; how many handlers were run."""
        before = self.runner.performed
        for plan in self._ready():
            names = list(plan.names)
            if plan.lease is None:
                self.runner.work(plan.flow, names, plan.size, seconds=SLICE)
            else:
                self.runner.work_leased(plan.flow, names, plan.size, plan.lease)
            if self.runner.stopping:
                break
        return self.runner.performed - before

    def _ready(self) -> list[Plan]:
        if len(self.plans) < 2:
            return self.plans
        looks = self.wire.round(*[(_LOOK, (p.flow.encode(), texts(p.names))) for p in self.plans])
        return [plan for plan, look in zip(self.plans, looks, strict=True) if look.ntuples]

    def _nap(self) -> float:
        left = self.runner.retry_at - time.monotonic()
        if left <= 0:
            self.runner.retry_at = math.inf
        return max(0.0, min(SWEEP, left))

    def _note_work(self) -> None:
        now = time.monotonic()
        if self._worked_since is None:
            self._worked_since = now
        elif self.waiting and now - self._worked_since > BUSY:
            self._beat(waiting=False)

    # Who this is.

    def _attend(self) -> None:
        """Be registered, listen, and know the flows as they are now."""
        fresh = self._generation != self.wire.generation or self.wire.closed
        if fresh or b"wedsql_flow" in self.wire.heard:
            self._learn()
        elif time.monotonic() - self._beaten > BEAT:
            self._learn()
            self._beat(self.waiting)
            if self.journals is not None:
                report_lost(self.wire, self.journals, self.runner.actor)
        self.wire.heard.clear()

    def _learn(self) -> None:
        found = plans(known(self.wire), self.registry, self.size, self.flows)
        if self._generation == self.wire.generation and found == self.plans:
            return
        self.plans = found
        self._generation = self.wire.generation
        if self.worker is not None:
            self.wire.round((_LEAVE, (str(self.worker).encode(),)))
        self._register()
        log.info("%s serves %s", self.runner.actor, ", ".join(serves(found)) or "nothing yet")

    def _register(self) -> None:
        flows = sorted({plan.flow for plan in self.plans})
        title = f"{self.runner.actor} {','.join(flows)}"[:63]
        who = (self.kind, title, socket.gethostname())
        self.wire.round((_NAME, (title.encode(),)))
        answer = self.wire.round(
            (_REGISTER, (*(w.encode() for w in who), str(os.getpid()).encode(), texts(serves(self.plans))))
        )
        self.worker = int(answer[0].get_value(0, 0) or 0)
        self.waiting = False
        self._beaten = time.monotonic()
        self.wire.connection.execute(f"listen wedsql_w{self.worker:d}")  # a number, checked as one
        self.wire.connection.execute("listen wedsql_flow")

    def _beat(self, waiting: bool) -> None:
        answer = self.wire.round((_BEAT, (str(self.worker).encode(), b"t" if waiting else b"f")))[0]
        self.waiting = waiting
        self._beaten = time.monotonic()
        if answer.get_value(0, 0) != b"t":
            self._register()

    def _sign_off(self) -> None:
        try:
            if self.worker is not None and not self.wire.closed:
                self.wire.round((_LEAVE, (str(self.worker).encode(),)))
        except (ConnectionLost, psycopg.Error) as error:
            log.info("Could not sign off: %s", error)
        self.wire.close()
