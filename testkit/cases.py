"""Which of many cases a run has: all of them in a long run, some of them in a short one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import product
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


def long() -> bool:
    """Return whether this run has all cases: `make test-long` sets WEDSQL_LONG."""
    return bool(os.environ.get("WEDSQL_LONG"))


def some(cases: Iterable[A], one_in: int, first: int = 0) -> list[A]:
    """Return all cases in a long run, and in a short one each `one_in`-th of them, from the `first` on."""
    return [*cases] if long() else [*cases][first % one_in :: one_in]


def turn(ways: Sequence[A], number: int) -> list[A]:
    """Return all ways in a long run; in a short one that of the case with this number: they take turns."""
    return [*ways] if long() else [ways[number % len(ways)]]


def examples(number: int) -> int:
    """Return how many random examples a test has: so many in a long run, a quarter of them in a short one."""
    return number if long() else max(1, number // 4)


def pairs(ones: Iterable[A], others: Iterable[B], one_in: int) -> list[tuple[A, B]]:
    """Return all pairs in a long run; in a short one 1/one_in of them, which have each member of both sides.

    The pairs of a short run are the diagonals of the table of all pairs.
    """
    rows, columns = [*ones], [*others]
    every = 1 if long() else max(1, min(one_in, len(rows), len(columns)))
    return [
        (one, other)
        for (i, one), (j, other) in product(enumerate(rows), enumerate(columns))
        if (i - j) % every == 0
    ]
