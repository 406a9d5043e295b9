"""What the HTTP API returns of moves."""

from __future__ import annotations

from datetime import datetime

from ninja import Schema


class MoveOut(Schema):
    """A move of an instance; `problem` says why it was refused, `last_error` why its message was not sent."""

    id: str
    direction: str
    flow: str
    wid: int | None
    peer: str
    peer_id: str
    origin: str
    origin_wid: int
    counter: int
    state: str
    actor: str
    reason: str
    begun_at: datetime
    expires_at: datetime
    settled_at: datetime | None
    problem: str | None
    last_error: str | None
    expired: bool


class MovesOut(Schema):
    items: list[MoveOut]
    next: str | None
