"""Telling the kernel that somebody looks: only then do commits announce themselves."""

from __future__ import annotations

from flows.queries.base import scalar


def watch(number: int, name: str) -> int:
    """Enter or renew (within a minute) the entry `number`; 0 makes a new one. Answers the entry's number."""
    return int(scalar("select wedsql.watch(%s, %s)", [number, name]))


def unwatch(number: int) -> None:
    """Take the entry back."""
    scalar("select wedsql.unwatch(%s)", [number])
