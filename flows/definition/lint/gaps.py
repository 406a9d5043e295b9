"""Gaps and overlaps between limits: ranges of a number or time in which no rule holds, or two at once.

A gap lies between two rules that hold below and above it, with the same values of all other attributes. A
state in it is one on which no rule of the flow holds, so that an instance in it becomes an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from flows.definition.lint.budget import Budget
from flows.definition.lint.findings import Rule
from flows.definition.lint.grid import Grid, Places
from flows.definition.lint.ways import Ways

ORDERED = ("integer", "numeric", "date", "timestamptz")
BASES = 2_000  # states of the other attributes, of two rules
COMPLETED = 20  # states of the rest, of each gap
Verify = Callable[[Mapping[str, Any], str, Sequence[Any]], Sequence[bool]]
"""Return on which of these values of an attribute no rule holds, with these values of the others."""


@dataclass(frozen=True)
class Gap:
    """A range of an attribute in which no rule holds, between two rules, in one state of the others.

    low and high are the same where one rule holds below and above.
    way: the rules that lead to the state; none for a start; None where no way to it was found.
    """

    name: str
    low: Rule
    high: Rule
    state: Places
    first: int
    last: int
    way: list[Rule] | None


@dataclass(frozen=True)
class Overlap:
    """A range of an attribute in which two rules hold that hold alone below and above it."""

    name: str
    low: Rule
    high: Rule
    state: Places
    first: int
    last: int


def bounded(grid: Grid) -> Iterator[tuple[str, Rule, Rule]]:
    """Return each two rules, in both orders, that compare an attribute of an ordered type, and each alone."""
    for name in grid.names:
        if grid.attributes[name].get("type") in ORDERED:
            readers = [rule for rule in grid.rules if name in rule.reads]
            yield from ((name, low, high) for low, high in product(readers, repeat=2))


def _bases(grid: Grid, name: str, low: Rule, high: Rule) -> Iterator[Places]:
    """Return the classes of the other attributes of two rules with which both can hold."""
    names = [each for each in grid.names if each != name and each in low.reads | high.reads]
    domains = [grid.domain(each, (low, high)) for each in names]
    for places in islice(product(*domains), BASES):
        yield dict(zip(names, places, strict=True))


def gaps(grid: Grid, verify: Verify, budget: Budget) -> Iterator[Gap]:
    """Return one gap of each two rules, one that can come about rather than another."""
    ways = Ways(grid)
    seen: set[tuple[str, frozenset[int], int, int]] = set()
    for name, low, high in bounded(grid):
        if budget.spent:
            return
        best: Gap | None = None
        for gap in _between(grid, ways, verify, name, low, high):
            best = gap if best is None or gap.way is not None else best
            if best.way is not None or budget.spent:
                break
        if best is None:
            continue
        key = (name, frozenset((low.place, high.place)), best.first, best.last)
        if key not in seen:
            seen.add(key)
            yield best


def _between(grid: Grid, ways: Ways, verify: Verify, name: str, low: Rule, high: Rule) -> Iterator[Gap]:
    for base in _bases(grid, name, low, high):
        for first, last in _runs(grid, name, low, high, base):
            for at in range(first, last + 1):
                for state in islice(grid.without({**base, name: at}), COMPLETED):
                    found = _range(grid, verify, name, state, first, last)
                    if found:
                        way = _way(ways, state, name, found)
                        yield Gap(name, low, high, {**state, name: found[0]}, *found, way)


def _way(ways: Ways, state: Places, name: str, found: tuple[int, int]) -> list[Rule] | None:
    tried = (ways.way({**state, name: at}) for at in range(found[0], found[1] + 1))
    return next((way for way in tried if way is not None), None)


def _runs(grid: Grid, name: str, low: Rule, high: Rule, base: Places) -> Iterator[tuple[int, int]]:
    """Return the ranges in which neither rule holds, where the first holds below and the second above."""
    count = len(grid.common.classes[name])
    lows, highs = ([grid.holds(rule, {**base, name: at}) for at in range(1, count)] for rule in (low, high))
    start = None
    for at, (one, other) in enumerate(zip(lows, highs, strict=True), 1):
        if one or other:
            if start is not None and start < at and other:
                yield start, at - 1
            start = at + 1 if one else None
    return


def _range(
    grid: Grid, verify: Verify, name: str, state: Places, first: int, last: int
) -> tuple[int, int] | None:
    """Return the classes around that of a state on which nothing holds, also of the rules not in the grid."""
    places = range(first, last + 1)
    dead = [not grid.holding({**state, name: at}) and grid.allowed({**state, name: at}) for at in places]
    others = {each: value for each, value in grid.values(state).items() if each != name}
    nothing = verify(others, name, [grid.common.classes[name][at] for at in places])
    empty = {at: one and other for at, one, other in zip(places, dead, nothing, strict=True)}
    low = high = state[name]
    if not empty[low]:
        return None
    while empty.get(low - 1):
        low -= 1
    while empty.get(high + 1):
        high += 1
    return low, high


def overlaps(grid: Grid, alternatives: Callable[[Rule, Rule], bool], budget: Budget) -> Iterator[Overlap]:
    """Return one overlap of each two rules that are alternatives."""
    for name, low, high in bounded(grid):
        if budget.spent:
            return
        if low is high or not alternatives(low, high):
            continue
        for base in _bases(grid, name, low, high):
            found = _both(grid, name, low, high, base)
            if found and grid.allowed({**grid.defaults, **base, name: found[0]}):
                yield Overlap(name, low, high, {**base, name: found[0]}, *found)
                break


def _both(grid: Grid, name: str, low: Rule, high: Rule, base: Places) -> tuple[int, int] | None:
    """Return the range in which both hold, if the first holds alone below it and the second above it."""
    count = len(grid.common.classes[name])
    letters = "".join(
        " lhb"[grid.holds(low, {**base, name: at}) + 2 * grid.holds(high, {**base, name: at})]
        for at in range(1, count)
    )
    first, last = letters.find("b"), letters.rfind("b")
    if first < 1 or letters[first - 1] != "l" or letters[last + 1 : last + 2] != "h":
        return None
    return (first + 1, last + 1) if set(letters[first : last + 1]) == {"b"} else None
