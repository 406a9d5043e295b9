"""The values of a condition on all classes of states, and what two such tables say about each other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

State = dict[str, Any]
LIMIT = 4096  # states of one table


def states(classes: Mapping[str, Sequence[Any]]) -> list[State] | None:
    """Return the product of the classes; None where it has more than LIMIT states."""
    total = 1
    for values in classes.values():
        total *= len(values)
    if total > LIMIT:
        return None
    return [dict(zip(classes, values, strict=True)) for values in product(*classes.values())]


@dataclass(frozen=True, slots=True)
class Table:
    """A condition's value, as a letter, on a state of each class of the attributes that it reads."""

    states: list[State]
    held: str

    @property
    def reads(self) -> set[str]:
        return set(self.states[0])

    def where(self, letters: str) -> Iterator[State]:
        """Return the states on which the condition has one of these values."""
        return (state for state, value in zip(self.states, self.held, strict=True) if value in letters)

    def first(self, letters: str) -> State | None:
        return next(self.where(letters), None)

    def _parts(self, letters: str, names: Sequence[str]) -> dict[str, State]:
        """Return the states with these values by their values of some attributes."""
        return {json.dumps([state[name] for name in names]): state for state in self.where(letters)}

    def together(self, other: Table) -> State | None:
        """Return a state on which both hold; None where there is none."""
        names = sorted(self.reads & other.reads)
        mine, theirs = self._parts("t", names), other._parts("t", names)
        part = next((part for part in mine if part in theirs), None)
        return None if part is None else mine[part] | theirs[part]

    def implies(self, other: Table) -> bool:
        """Return whether the other one holds wherever this one does."""
        names = sorted(self.reads & other.reads)
        return not self._parts("t", names).keys() & other._parts("fue", names).keys()
