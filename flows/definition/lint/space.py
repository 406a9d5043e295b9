"""All classes of states of a flow at once, and which states can follow from which.

A transition may change exactly the attributes that it declares (`writes`). What really happens is a part of
what may happen, so that a state which cannot be reached here is never reached.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from math import prod
from typing import Any

from flows.definition.lint.common import Common
from flows.definition.lint.findings import Rule
from flows.definition.lint.tables import Key, State, states

LIMIT = 20_000  # states
WORK = 1_000_000  # states times rules


@dataclass
class Space:
    """The states, by their places, with the rules that hold on each and what may follow.

    Built by `space`; `start` are the states in which an instance may be started: attributes that some
    transition writes have their defaults, others any value. Where no condition holds on such a state,
    every state may be a start.
    """

    common: Common
    attributes: Sequence[str]
    states: list[State]
    rules: Sequence[Rule]
    start: set[int]
    defaults: Mapping[str, str | None]

    @cached_property
    def working(self) -> list[Rule]:
        """Return the rules whose transitions change the state."""
        return [rule for rule in self.rules if not rule.final]

    @cached_property
    def holding(self) -> dict[int, set[int]]:
        """Return the states on which each rule holds, by the rule's place."""
        return {rule.place: set(self._holding(rule)) for rule in self.rules}

    def _holding(self, rule: Rule) -> Iterator[int]:
        if rule.table is None:
            return iter(())
        names = sorted(rule.table.reads)
        true = rule.table.parts("t", names)
        own = [self.common.places(rule.table, name) for name in names]
        columns = [[own[n][at] for at in self._column(name)] for n, name in enumerate(names)]
        return (at for at, each in enumerate(self._keys(columns)) if each in true)

    def _keys(self, columns: Sequence[Sequence[int]]) -> Iterable[Key]:
        return zip(*columns, strict=True) if columns else repeat((), len(self.states))

    def _column(self, name: str) -> list[int]:
        """Return for each state the place of its value among the classes of the attribute."""
        at = self.attributes.index(name)
        inner = prod(len(self.common.classes[each]) for each in self.attributes[at + 1 :])
        some = [place for place in range(len(self.common.classes[name])) for _n in range(inner)]
        return some * (len(self.states) // len(some))

    @cached_property
    def final(self) -> set[int]:
        """Return the states on which a final condition holds."""
        return {at for rule in self.rules if rule.final for at in self.holding[rule.place]}

    @cached_property
    def dead(self) -> set[int]:
        """Return the states on which nothing holds: an instance in one becomes an exception."""
        return set(range(len(self.states))) - {at for some in self.holding.values() for at in some}

    def groups(self, rule: Rule) -> dict[Key, list[int]]:
        """Return the states that differ only in what the rule's transition may write."""
        kept = sorted({*self.attributes} - (rule.writes or frozenset()))
        found: dict[Key, list[int]] = defaultdict(list)
        for at, each in enumerate(self._keys([self._column(name) for name in kept])):
            found[each].append(at)
        return found

    @cached_property
    def _groups(self) -> dict[int, list[list[int]]]:
        return {rule.place: list(self.groups(rule).values()) for rule in self.working}

    def moves(self, rule: Rule) -> Iterator[tuple[list[int], list[int]]]:
        """Return for each group of a rule the states that can be left, and those that can follow."""
        holding = self.holding[rule.place]
        for group in self._groups[rule.place]:
            left = [at for at in group if at in holding and at not in self.final]
            if left:
                yield left, group

    def reached(self, *, nulls: bool) -> set[int]:
        """Return the states that can follow a start; without `nulls` no result makes an attribute null."""
        found = set(self.start)
        while True:
            new = {
                at
                for rule in self.working
                for left, group in self.moves(rule)
                for before in found.intersection(left)
                for at in (group if nulls else self.without_new_nulls(before, group))
            } - found
            if not new:
                return found
            found |= new

    def without_new_nulls(self, before: int, group: Iterable[int]) -> Iterator[int]:
        """Return the states of a group that have no null where the state before had a value."""
        empty = {name for name in self.attributes if self.states[before][name] is None}
        return (at for at in group if all(v is not None or n in empty for n, v in self.states[at].items()))

    def ending(self) -> set[int]:
        """Return the states from which a final one can follow."""
        found = set(self.final)
        while True:
            new = {
                at
                for rule in self.working
                for left, group in self.moves(rule)
                if not found.isdisjoint(group)
                for at in left
            } - found
            if not new:
                return found
            found |= new


def space(attributes: Mapping[str, Mapping[str, Any]], rules: Sequence[Rule], common: Common) -> Space | None:
    """Return the states of a flow; None where there are too many, or a condition is not known on them."""
    if any(rule.table is None for rule in rules):
        return None
    names = sorted({name for rule in rules for name in rule.reads})
    found = states({name: common.classes[name] for name in names}, LIMIT)
    if found is None or len(found) * len(rules) > WORK:
        return None
    written = {name for rule in rules for name in rule.writes or ()} & {*names}
    defaults = {name: attributes[name].get("default") for name in names}
    start = {
        at for at, state in enumerate(found) if all(same(state[name], defaults[name]) for name in written)
    }
    made = Space(common, names, found, rules, start, defaults)
    made.start -= made.dead  # such a start is rejected
    made.start = made.start or set(range(len(found))) - made.dead
    return made


def same(value: Any, default: str | None) -> bool:
    """Return whether a value of a class is the default of its attribute."""
    return value is default if default is None or value is None else str(value).lower() == default.lower()
