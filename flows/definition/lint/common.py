"""Classes that all conditions of a definition share, and the comparison of two conditions by them.

Each condition has classes of its own, so that its table is small. Every class that all conditions together
distinguish lies in one class of each of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise, product
from math import prod
from typing import Any

from flows.definition.lint.classes import moment
from flows.definition.lint.tables import Classes, Key, State, Table

LIMIT = 20_000  # classes of two conditions together

# The types of which a class is a range of values.
_ORDER: Mapping[str, Callable[[Any], Any]] = {
    "integer": int,
    "numeric": Decimal,
    "date": date.fromisoformat,
    "timestamptz": moment,
}


class TooManyClasses(Exception):
    """Two conditions distinguish too many states together to be compared."""


class Common:
    """The classes of all conditions together, by attribute, with the attributes' types.

    The tables must live as long as it does: what is computed of them is kept by their identity.
    """

    def __init__(self, classes: Classes, types: Mapping[str, str]) -> None:
        self.classes = classes
        self._types = types
        self._places: dict[tuple[str, int], list[int]] = {}
        self._masks: dict[tuple[str, int], int] = {}
        self._ordered: dict[str, list[Any]] = {}

    def places(self, table: Table, name: str) -> list[int]:
        """Return for each common class of an attribute the class of the table in which it lies."""
        key = (name, id(table))
        if key not in self._places:
            self._places[key] = self._computed(name, table.classes[name])
        return self._places[key]

    def _computed(self, name: str, own: Sequence[Any]) -> list[int]:
        kind, common = self._types[name], self.classes[name]
        if list(own) == list(common):
            return list(range(len(own)))
        if kind in _ORDER:  # null is the first class
            if name not in self._ordered:
                self._ordered[name] = [_ORDER[kind](value) for value in common[1:]]
            return [0, *_ranges(kind, own, self._ordered[name])]
        known = {value: at for at, value in enumerate(own)}
        return [known.get(value, len(own) - 1) for value in common]

    def possible(self, table: Table, name: str) -> int:
        """Return the common classes of an attribute with which the condition can be true, as bits."""
        key = (name, id(table))
        if key not in self._masks:
            own = {part for (part,) in table.parts("t", (name,))}
            bits = "".join("1" if part in own else "0" for part in self.places(table, name))
            self._masks[key] = int(bits, 2)
        return self._masks[key]

    def together(self, one: Table, other: Table) -> State | None:
        """Return a state on which both hold; None where there is none. Raises TooManyClasses."""
        pair = _Pair(self, one, other)
        mine, theirs = pair.keys(0, "t"), pair.keys(1, "t")
        part = next((part for part in mine if part in theirs), None)
        if part is None:
            return None
        return one.state(mine[part]) | other.state(theirs[part]) | pair.values(part)

    def implies(self, one: Table, other: Table) -> bool:
        """Return whether the second holds wherever the first does. Raises TooManyClasses."""
        pair = _Pair(self, one, other)
        return not pair.keys(0, "t").keys() & pair.keys(1, "fue").keys()


class _Pair:
    """Two conditions with the classes that they distinguish together, of the attributes that both read."""

    def __init__(self, common: Common, one: Table, other: Table) -> None:
        self._tables = one, other
        self._names = sorted(one.reads & other.reads)
        self._classes = common.classes
        self._joint = [_joint(*(common.places(each, name) for each in self._tables)) for name in self._names]
        if prod(map(len, self._joint)) > LIMIT:
            raise TooManyClasses

    def keys(self, which: int, letters: str) -> dict[Key, int]:
        """Return the joint classes on which one of the conditions can have these values."""
        inside: list[dict[int, list[int]]] = []
        for joint in self._joint:
            found: dict[int, list[int]] = {}
            for pair, at in joint.items():
                found.setdefault(pair[which], []).append(at)
            inside.append(found)
        return {
            key: at
            for part, at in self._tables[which].parts(letters, self._names).items()
            for key in product(*(found.get(each, []) for found, each in zip(inside, part, strict=True)))
        }

    def values(self, key: Key) -> State:
        """Return a value of each class of a key."""
        return {name: self._classes[name][at] for name, at in zip(self._names, key, strict=True)}


def _joint(one: Sequence[int], other: Sequence[int]) -> dict[tuple[int, int], int]:
    """Return for each two classes that have a value in common the last common class in both."""
    return {pair: at for at, pair in enumerate(zip(one, other, strict=True))}


def _ranges(kind: str, own: Sequence[Any], ordered: Sequence[Any]) -> list[int]:
    """Return for each of the ordered common values the place of its class, if classes are ranges."""
    order = _ORDER[kind]
    starts = [(bisect_left(ordered, order(own[at])), at) for at in range(1, len(own))]
    if kind == "numeric":  # every second class is a constant, the others lie between them
        starts = [(at + after, place + after) for at, place in starts[1::2] for after in (0, 1)]
    starts = [(0, 1), *(start for start in starts if start[1] > 1), (len(ordered), 0)]
    return [place for (first, place), (end, _next) in pairwise(starts) for _n in range(first, end)]


def compatible(tables: Sequence[Table], common: Common) -> Iterator[tuple[int, int]]:
    """Return the pairs of conditions, by their places, that no attribute by itself excludes.

    Works on sets of conditions as bits: in a large flow one attribute excludes most pairs.
    """
    readers: dict[str, int] = {}
    groups: dict[str, dict[int, int]] = {}  # by attribute: the conditions with the same possible classes
    for place, table in enumerate(tables):
        for name in table.reads:
            mask = common.possible(table, name)
            readers[name] = readers.get(name, 0) | 1 << place
            group = groups.setdefault(name, {})
            group[mask] = group.get(mask, 0) | 1 << place
    excluded = {
        (name, mask): _union(some for other, some in group.items() if not mask & other)
        for name, group in groups.items()
        for mask in group
    }
    for place, table in enumerate(tables):
        later = (1 << len(tables)) - (2 << place)
        for name in table.reads:
            later &= ~excluded[name, common.possible(table, name)]
        yield from ((place, other) for other in _bits(later))


def _union(sets: Iterable[int]) -> int:
    found = 0
    for each in sets:
        found |= each
    return found


def _bits(number: int) -> Iterator[int]:
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
