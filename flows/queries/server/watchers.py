"""Registers pages that watch the history: commits send notifications only while there are any."""

from __future__ import annotations

from flows.queries.base import scalar


def watch(number: int, name: str) -> int:
    """Create (0) or renew the entry `number` and return its number; it must be renewed within a minute."""
    return int(scalar("select wedsql.watch(%s, %s)", [number, name]))


def unwatch(number: int) -> None:
    """Delete the entry."""
    scalar("select wedsql.unwatch(%s)", [number])
