"""Deliveries: the messages of alerts and of other capabilities that are sent, for the reaper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flows.statements import value


@dataclass(frozen=True)
class Delivery:
    """What is sent to one receiver by mail or webhook; `channel` says by which."""

    id: int
    channel: str
    target: str
    attempt: int
    secret: str
    message: dict[str, Any]


def take_delivery(hold: float = 60, *, conn: Any = None) -> Delivery | None:
    """Return the delivery that is due first; unless it is settled, it is due again after `hold` seconds."""
    found = value(conn, "select wedsql.take_delivery(make_interval(secs => %s))", (hold,))
    return Delivery(**found) if found else None


def settle_delivery(
    delivery: Delivery, error: str | None = None, *, final: bool = False, conn: Any = None
) -> None:
    """Note that a delivery succeeded, or why it failed; it is tried again unless that is `final`."""
    call = "select wedsql.settle_delivery(%s, %s, %s, %s)"
    value(conn, call, (delivery.id, delivery.attempt, error, final))
