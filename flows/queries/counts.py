"""Counts with a cap, so that their cost does not grow with the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

CAP = 10_000
STATUSES = ("R", "E", "F", "S", "X", "M", "A", "C")
# Shown even if no instance has them; the others are shown only if there are any.
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
    """Return the count for a scan that stopped at cap + 1 rows."""
    return Count(found) if cap is None or found <= cap else Count(cap, capped=True)


def limit(cap: int | None) -> int | None:
    """Return the LIMIT for a capped count; None (SQL: limit null) reads all rows."""
    return None if cap is None else cap + 1


def statuses_to_show(found: Mapping[str, Count], *chosen: str) -> list[tuple[str, Count]]:
    """Return the statuses that a page shows: the usual and chosen ones and those that occur, with counts."""
    return [(s, found.get(s, NONE)) for s in STATUSES if s in USUAL or s in chosen or found.get(s)]


def total(found: Mapping[str, Count], status: str = "") -> Count:
    """Return the sum of counts by status, or the count of one status."""
    chosen = [count for name, count in found.items() if status in ("", name)]
    return Count(sum(count.n for count in chosen), any(count.capped for count in chosen))
