"""The load: clients that start instances, work at the desk, and change the definition.

Each records what the database acknowledged. A call with an unknown outcome is repeated, as the product's
documentation requires, until the answer is definite; the record is compared with the history.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import psycopg

from chaos.client import Client
from flows import api
from flows.definition import Definition
from flows.errors import LockBusy, WedError
from flows.types import ClaimedJob

FLOW = "chaos"
Connect = Callable[[], psycopg.Connection[Any]]


@dataclass
class Record:
    """What callers were answered; `unknown` counts lost answers, `resolved` those found by repeating."""

    started: dict[str, int] = field(default_factory=dict)
    completed: list[tuple[int, int, int, int]] = field(default_factory=list)  # wid, job, claim, seq
    refused: list[tuple[int, int, int]] = field(default_factory=list)  # wid, job, claim
    published: list[int] = field(default_factory=list)
    unknown: int = 0
    resolved: int = 0
    unexpected: list[str] = field(default_factory=list)


class Actor(Client):
    """A client with one connection that is reopened when it breaks."""

    ignored = (psycopg.Error, WedError)

    def __init__(self, name: str, connect: Connect, record: Record, pause: float) -> None:
        super().__init__(name, pause)
        self._connect = connect
        self._conn: psycopg.Connection[Any] | None = None
        self.record = record

    def run(self) -> None:
        super().run()
        self.drop()

    def conn(self) -> psycopg.Connection[Any]:
        """Return the connection; raises psycopg.OperationalError while there is none."""
        if self._conn is None or self._conn.closed:
            self._conn = self._connect()
        return self._conn

    def drop(self) -> None:
        """Close the connection."""
        if self._conn is not None:
            with suppress(psycopg.Error):
                self._conn.close()
        self._conn = None

    def until_known(self, call: Callable[[psycopg.Connection[Any]], Any]) -> Any:
        """Repeat a call until it succeeds or is rejected; return None if stopped before.

        Raises WedError for an error that a retry does not solve.
        """
        sent = lost = False
        while True:
            try:
                conn, sent = self.conn(), True
                answer = call(conn)
                self.record.resolved += lost
                return answer
            except (WedError, psycopg.Error) as error:
                if isinstance(error, WedError) and error.code.startswith("WD"):
                    self.record.resolved += lost
                    raise
                self.record.unknown += sent and not lost
                sent, lost = False, lost or sent
                self.drop()
                if self.ended.wait(0.05) and self.resolving_timed_out():
                    return None

    def resolving_timed_out(self) -> bool:
        """Return whether it was stopped over 30 seconds ago; until then unknown outcomes are resolved."""
        self._late = getattr(self, "_late", time.monotonic())
        return time.monotonic() - self._late > 30


class Starter(Actor):
    """Starts instances under a key per start, so that a repeated call is the same start."""

    count = 0

    def act(self) -> None:
        self.count += 1
        key = f"{self.name}-{self.count}"
        state = {"goal": self.rng.randint(1, 3)}
        wid = self.until_known(
            lambda conn: api.instances.start(FLOW, state, actor=self.name, key=key, conn=conn)
        )
        if wid is not None:
            self.record.started[key] = wid


class Clerk(Actor):
    """Leases jobs of the desk and completes each with its claim."""

    def act(self) -> None:
        holding = timedelta(seconds=10)
        jobs = api.jobs.lease_many(FLOW, ["tr_desk"], 5, self.name, duration=holding, conn=self.conn())
        for job in jobs:
            self._finish(job)

    def _finish(self, job: ClaimedJob) -> None:
        try:
            done = self.until_known(
                lambda conn: api.jobs.complete(job, {"desk": "1"}, actor=self.name, conn=conn)
            )
        except WedError as error:
            self.record.refused.append((job.wid, job.id, job.claim or 0))
            if error.code not in ("WD203", "WD204", "WD205"):
                self.record.unexpected.append(f"desk: {error.code} {error.message}")
            return
        if done is not None:
            self.record.completed.append((job.wid, job.id, job.claim or 0, done.seq))


class Designer(Actor):
    """Changes the running flow: labels, equivalent conditions, an attribute more, an attribute less."""

    turn = 0

    def act(self) -> None:
        found = api.flows.definition(FLOW, conn=self.conn())
        self.turn += 1
        self._change(found)
        found.pop("version", None)
        try:
            report = self.until_known(
                lambda conn: api.flows.publish(
                    FLOW, found, actor=self.name, reason=f"turn {self.turn}", conn=conn
                )
            )
        except LockBusy:
            return
        except WedError as error:
            self.record.unexpected.append(f"publish: {error.code} {error.message}")
            return
        if report is not None:
            self.record.published.append(report.version)

    def _change(self, found: Definition) -> None:
        loop = next(t for t in found["triggers"] if t.get("transition") == "tr_turn")
        loop["label"] = f"turn {self.turn}"
        if self.turn % 2:
            loop["predicate"] = "goal > turn and right_done = '1' and left_done = '1'"
        else:
            loop["predicate"] = "left_done = '1' and right_done = '1' and turn < goal"
        kept = [a for a in found["attributes"] if a["name"] != "extra"]
        found["attributes"] = [*kept, {"name": "extra", "default": str(self.turn)}] if self.turn % 3 else kept


class Load:
    """All clients together."""

    def __init__(self, connect: Connect, *, rate: float = 5.0, designer: float = 3.0) -> None:
        self.record = Record()
        starters = [Starter(f"starter{n}", connect, self.record, 2 / rate) for n in range(2)]
        clerk = Clerk("clerk", connect, self.record, 0.2)
        self.clients: list[Actor] = [*starters, clerk]
        if designer:
            self.clients.append(Designer("designer", connect, self.record, designer))

    def start(self) -> None:
        for client in self.clients:
            client.start()

    def stop_starting(self) -> None:
        """Stop starts and new definitions; the clerk goes on."""
        for client in self.clients:
            if not isinstance(client, Clerk):
                client.ended.set()
        for client in self.clients:
            if not isinstance(client, Clerk):
                client.stop()

    def stop(self) -> None:
        for client in self.clients:
            client.stop()
