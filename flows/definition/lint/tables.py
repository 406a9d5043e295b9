"""The values of a condition on a state of each class of the attributes that it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

State = dict[str, Any]
Key = tuple[int, ...]
"""A class of each of some attributes, by its place among the classes of the attribute."""
Classes = Mapping[str, Sequence[Any]]
LIMIT = 4096  # states of one table


def states(classes: Classes, limit: int) -> list[State] | None:
    """Return the product of the classes; None where it has more states than the limit."""
    if size(classes) > limit:
        return None
    return [dict(zip(classes, values, strict=True)) for values in product(*classes.values())]


def size(classes: Classes) -> int:
    """Return the number of states of the product of the classes."""
    return prod(map(len, classes.values()))


@dataclass(frozen=True, slots=True)
class Table:
    """A condition's value, as a letter, on each state of the product of its classes, in their order.

    The classes are those that this condition distinguishes; another one may distinguish others.
    """

    classes: Classes
    held: str
    _parts: dict[tuple[str, tuple[str, ...]], dict[Key, int]] = field(
        default_factory=dict, compare=False, repr=False
    )

    @property
    def reads(self) -> set[str]:
        return set(self.classes)

    def state(self, at: int) -> State:
        """Return the state with this place in the product."""
        return {name: self.classes[name][part] for name, part in self._places(at).items()}

    def where(self, letters: str) -> Iterator[State]:
        """Return the states on which the condition has one of these values."""
        return (self.state(at) for at, value in enumerate(self.held) if value in letters)

    def first(self, letters: str) -> State | None:
        return next(self.where(letters), None)

    def parts(self, letters: str, names: Sequence[str]) -> dict[Key, int]:
        """Return the places of states with these values by their classes of some attributes."""
        some = letters, tuple(names)
        if some not in self._parts:  # a rule is compared with many others by the same attributes
            found: dict[Key, int] = {}
            for at in (at for at, value in enumerate(self.held) if value in letters):
                places = self._places(at)
                found.setdefault(tuple(places[name] for name in names), at)
            self._parts[some] = found
        return self._parts[some]

    def _places(self, at: int) -> dict[str, int]:
        """Return which class of each attribute a state has."""
        found: dict[str, int] = {}
        for name in reversed(list(self.classes)):
            at, found[name] = divmod(at, len(self.classes[name]))
        return found
