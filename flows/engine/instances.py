"""Operations on instances: start, re-match, cancel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from flows import json_text
from flows.engine.connection import State, rows, to_json, typed_error, value
from flows.types import StartResult


def start(
    flow: str, state: State | None = None, *, actor: str = "", key: str | None = None, conn: Any = None
) -> int:
    """Start an instance and return its number. A key that was used before returns the same number.

    Raises UnknownFlow, UnknownAttribute, WrongType, NoMatch, ConditionError.
    """
    result = start_many(flow, [state or {}], actor=actor, keys=[key], conn=conn)[0]
    if result.error is not None:
        raise result.error
    assert result.wid is not None  # noqa: S101 - the kernel answers with a number or an error
    return result.wid


def start_many(
    flow: str,
    states: Iterable[State],
    *,
    actor: str = "",
    keys: Sequence[str | None] | None = None,
    conn: Any = None,
) -> list[StartResult]:
    """Start many instances in one call; return one result per state, in their order. Raises UnknownFlow."""
    texts = [to_json(state) for state in states]
    found = rows(
        conn,
        "select ord, wid, status, sqlstate, message, hint, detail"
        " from wedsql.start_many(%s, %s::jsonb[], %s, %s::text[])",
        # An empty key is none; where array_nulls is off, nulls of an array are read as texts.
        (flow, texts, actor, [key or "" for key in keys] if keys else None),
    )
    return [
        _started(ord, wid, status, *why) for ord, wid, status, *why in sorted(found, key=lambda row: row[0])
    ]


def _started(ord: int, wid: int | None, status: str | None, *why: Any) -> StartResult:
    """Return the result of one start; its detail says whether its key named the instance already."""
    detail = json_text.decode(why[-1]) if why[0] is None and why[-1] else {}
    differs = tuple(detail.get("differs", ()))
    return StartResult(ord, wid, status, typed_error(*why), known=bool(detail), differs=differs)


def rematch(
    flow: str,
    wids: Sequence[int] | None = None,
    *,
    reopen_final: bool = False,
    actor: str = "",
    reason: str = "",
    conn: Any = None,
) -> dict[str, Any]:
    """Re-match living instances and return counts of the effects. Raises UnknownFlow, LockBusy."""
    numbers = None if wids is None else list(wids)
    return value(
        conn,
        "select wedsql.rematch(%s, %s::integer[], %s, %s, %s)",
        (flow, numbers, reopen_final, actor, reason),
    )


def cancel(wid: int, reason: str, *, actor: str = "", conn: Any = None) -> None:
    """Cancel an instance without compensation; a reason is required. Raises UnknownInstance, NotRunning."""
    value(conn, "select wedsql.cancel(%s::integer, %s, %s)", (wid, reason, actor))
