"""Installations for tests of moves: a database each, with the same flow and each other's keys."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from datetime import timedelta
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row

from flows import api
from flows.capabilities.moves.api import Move, Peer

ORDERS: dict[str, Any] = {
    "attributes": [
        {"name": "number", "business_key": True},
        {"name": "amount", "type": "numeric"},
        {"name": "picked"},
        {"name": "packed"},
        {"name": "sent"},
    ],
    "triggers": [
        {"transition": "pick", "predicate": "picked is null", "max_attempts": 3, "backoff": "0"},
        {"transition": "pack", "predicate": "picked is not null and packed is null"},
        {"transition": "send", "predicate": "packed is not null and sent is null"},
        {"final": True, "predicate": "sent is not null"},
    ],
}
LIVING = ("R", "E", "S", "X")


class Site:
    """One installation, on a connection of its superuser."""

    def __init__(self, uri: str, name: str, definition: Mapping[str, Any] = ORDERS) -> None:
        self.conn: psycopg.Connection[Any] = psycopg.connect(uri, autocommit=True)
        self.uri = uri
        self.name = name
        if not self.one("select 1 from wedsql.flow where name = 'orders'"):
            self.one("select wedsql.create_flow('orders')")
            self.publish(definition)
        self.identity = api.moves.create_identity(name, conn=self.conn)

    # -- SQL
    def rows(self, text: str, params: Any = ()) -> list[Any]:
        with self.conn.cursor(row_factory=namedtuple_row) as cursor:
            cursor.execute(text, params or None)
            return cursor.fetchall() if cursor.description else []

    def one(self, text: str, params: Any = ()) -> Any:
        found = self.rows(text, params)
        return found[0][0] if found else None

    def clock(self, offset: str) -> None:
        self.one("select set_config('wedsql.test_offset', %s, false)", [offset])

    def publish(self, definition: Mapping[str, Any]) -> None:
        api.flows.publish("orders", definition, conn=self.conn)

    def on(self, conn: psycopg.Connection[Any]) -> Site:
        """Return the same installation on another connection."""
        found = copy(self)
        found.conn = conn
        return found

    # -- moves
    def knows(self, other: Site, flows: tuple[str, ...] = ("*",)) -> None:
        known = other.identity
        api.moves.save_peer(Peer(known.id, other.name, known.public_key, None, flows), "op", conn=self.conn)

    def hand_over(self, wid: int, other: Site, **options: Any) -> Move:
        options.setdefault("valid", timedelta(hours=1))
        return api.moves.hand_over(wid, other.name, "holidays", actor="ana", conn=self.conn, **options)

    def message(self, move: str) -> bytes:
        found = api.moves.message(move, conn=self.conn)
        assert found is not None
        return found

    def receive(self, message: bytes) -> bytes | None:
        return api.moves.receive(message, conn=self.conn)

    def move(self, move: str) -> Move:
        return api.moves.read(move, conn=self.conn)

    # -- work
    def start(self, number: str = "", **state: Any) -> int:
        return api.instances.start("orders", {"number": number or "1", **state}, conn=self.conn)

    def step(self, transition: str, wid: int, actor: str = "", **changes: Any) -> None:
        with self.conn.transaction():
            found = api.jobs.take_many("orders", [transition], 50, conn=self.conn)
            job = next(each for each in found if each.wid == wid)
            api.jobs.complete(job, changes, actor=actor or f"worker of {self.name}", conn=self.conn)

    def offered(self, transition: str) -> list[int]:
        with self.conn.transaction(force_rollback=True):
            return [j.wid for j in api.jobs.take_many("orders", [transition], 50, conn=self.conn)]

    def status(self, wid: int) -> str:
        return str(self.one("select status from wedsql.instance where wid = %s", [wid]))

    def state(self, wid: int) -> dict[str, Any]:
        return dict(self.one("select to_jsonb(w.*) - 'wid' from orders.wed_flow w where wid = %s", [wid]))

    def trace(self, wid: int) -> list[Any]:
        return self.rows("select * from wedsql.wed_trace where wid = %s order by seq", [wid])

    def story(self, wid: int) -> list[str]:
        return [each.trw for each in self.trace(wid)]

    def broken(self) -> list[Any]:
        """Return the invariants that are violated, I8 aside, which is about sessions."""
        return self.rows("select name, examples from wedsql.violations() where found > 0 and name <> 'I8'")


def delivered(sender: Site, receiver: Site, move: str) -> Move:
    """Exchange the messages of a move until its sender has none; return the move at the receiver."""
    for _ in range(5):
        message = api.moves.message(move, conn=sender.conn)
        if message is None:
            break
        answer = receiver.receive(message)
        assert answer is not None
        sender.receive(answer)
        if sender.move(move).next_at is None:
            break
    return receiver.move(move)
