"""Signals: events from outside that give a waiting instance a result, or start one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.statements import JSON, rows


@dataclass(frozen=True, slots=True)
class SentSignal:
    """What became of a signal.

    `outcome`: delivered (by step `seq`), started (instance `wid`), kept (until an instance waits for it),
    expired, ignored (nothing waited for it). `repeated`: the token was sent before, and this is the answer
    to the first call.
    """

    id: int
    outcome: str
    wid: int | None
    seq: int | None
    repeated: bool


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal as it was sent, and what became of it.

    `problem`: why a kept one could not be delivered although an instance waits for it.
    """

    id: int
    name: str
    wid: int | None
    key: str | None
    data: Mapping[str, Any]
    actor: str
    sent_at: datetime
    outcome: str
    keep_until: datetime | None
    settled_at: datetime | None
    seq: int | None
    problem: str | None = None


def signal(
    flow: str,
    name: str,
    data: Mapping[str, Any] | None = None,
    *,
    to: int | str | None = None,
    token: str | None = None,
    actor: str = "",
    conn: Any = None,
) -> SentSignal:
    """Send a signal to an instance and return what became of it.

    Args:
        flow: the flow, which must have a rule that waits for the signal or be started by it.
        name: the name of the signal: that of the transition that waits for it.
        data: attributes with the values that the instance gets.
        to: the number of the instance; or a text: the key with which it was started, or a value of its
            business key. None for a signal that starts an instance without a key.
        token: the sender's own name of the signal; sending it again has no further effect.
        actor: who sends it, for the history.
        conn: a connection; the site's by default.

    Raises:
        UnknownFlow, UnknownSignal, UnknownAttribute, UnknownInstance, NotRunning, OtherSignal, AmbiguousKey,
        SignalLimit, and what a worker's result raises.
    """
    wid, key = (to, None) if isinstance(to, int) else (None, to)
    given = (flow, name, JSON(data or {}), wid, key, token, actor)
    found = rows(conn, "select * from wedsql.signal(%s, %s, %s, %s::integer, %s, %s, %s)", given)
    return SentSignal(*found[0])


def signals(
    flow: str, *, wid: int | None = None, before: int | None = None, limit: int = 50, conn: Any = None
) -> list[Signal]:
    """Return signals of a flow, or of one instance of it, the newest first, at most 500, before a number."""
    found = rows(
        conn, "select * from wedsql.signals(%s, %s::integer, %s::bigint, %s)", (flow, wid, before, limit)
    )
    return [Signal(*each) for each in found]
