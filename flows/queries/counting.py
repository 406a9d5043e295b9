"""Counting that costs the same on the millionth row: stop at the cap and say so, unless asked for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

CAP = 10_000
STATUSES = ("R", "E", "F", "S", "X", "A", "C")
# Every list has a place for these; the others get theirs when there are any.
USUAL = ("R", "E", "F")
LIVING = ("R", "E", "S", "X")


@dataclass(frozen=True)
class Count:
    """A number of rows; `capped` means "at least `n`"."""

    n: int
    capped: bool = False

    def __bool__(self) -> bool:
        return self.n > 0


NONE = Count(0)


def count(found: int, cap: int | None = CAP) -> Count:
    """What a scan that stopped at cap + 1 rows has learnt."""
    return Count(found) if cap is None or found <= cap else Count(cap, capped=True)


def limit(cap: int | None) -> int | None:
    """The LIMIT for a capped count; None (SQL: limit null) reads all."""
    return None if cap is None else cap + 1


def places(found: Mapping[str, Count], *chosen: str) -> list[tuple[str, Count]]:
    """Each status that a page shows with its count: those that occur, the usual ones and the chosen one."""
    return [(s, found.get(s, NONE)) for s in STATUSES if s in USUAL or s in chosen or found.get(s)]
