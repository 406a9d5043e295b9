"""Rules on single states, each of which is given by a class of every attribute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from flows.definition.lint.common import Common
from flows.definition.lint.findings import Rule
from flows.definition.lint.space import same
from flows.definition.lint.tables import State

Places = dict[str, int]
"""A state: the place of its class among the common classes, by attribute."""
NODES = 2_000  # of a search


class Grid:
    """The enabled rules with known conditions, and the states on which they are looked at.

    rules: those that fire or are final. integrity: the conditions that no state violates.
    """

    def __init__(
        self, attributes: Mapping[str, Mapping[str, Any]], rules: Iterable[Rule], common: Common
    ) -> None:
        known = [rule for rule in rules if rule.table and rule.enabled]
        self.rules = [rule for rule in known if not rule.integrity]
        self.integrity = [rule for rule in known if rule.integrity]
        self.common = common
        self.attributes = attributes
        used = {name for rule in known for name in rule.reads}
        self.names = [name for name in attributes if name in used]
        self.defaults = {name: self._default(name) for name in self.names}
        self._columns = {rule.place: self._column(rule) for rule in known}

    def _default(self, name: str) -> int:
        default = self.attributes[name].get("default")
        classes = self.common.classes[name]
        return next((at for at, value in enumerate(classes) if same(value, default)), 0)

    def _column(self, rule: Rule) -> list[tuple[str, list[int], int]]:
        """Return for each attribute of a rule its classes by the common ones, and its stride in the table."""
        assert rule.table is not None  # noqa: S101 - only known rules are in a grid
        found, stride = [], 1
        for name in reversed(list(rule.table.classes)):
            found.append((name, self.common.places(rule.table, name), stride))
            stride *= len(rule.table.classes[name])
        return found

    def letter(self, rule: Rule, state: Mapping[str, int]) -> str:
        """Return the value of a rule's condition on a state that has a class of each attribute it reads."""
        at = sum(own[state[name]] * stride for name, own, stride in self._columns[rule.place])
        assert rule.table is not None  # noqa: S101 - only known rules are in a grid
        return rule.table.held[at]

    def holds(self, rule: Rule, state: Mapping[str, int]) -> bool:
        return self.letter(rule, state) == "t"

    def holding(self, state: Mapping[str, int]) -> list[Rule]:
        """Return the rules that hold on a whole state."""
        return [rule for rule in self.rules if self.holds(rule, state)]

    def allowed(self, state: Mapping[str, int]) -> bool:
        """Return whether no integrity condition is false on a whole state."""
        return all(self.letter(rule, state) != "f" for rule in self.integrity)

    def values(self, state: Mapping[str, int]) -> State:
        """Return a value of each class of a state."""
        return {name: self.common.classes[name][state[name]] for name in self.names if name in state}

    def domain(self, name: str, rules: Sequence[Rule]) -> list[int]:
        """Return the classes of an attribute with which all of these rules that read it can hold."""
        count = len(self.common.classes[name])
        mask = (1 << count) - 1
        for rule in rules:
            if name in rule.reads and rule.table:
                mask &= self.common.possible(rule.table, name)
        found = [at for at in range(count) if mask >> (count - 1 - at) & 1]
        return sorted(found, key=lambda at: at != self.defaults[name])

    def without(self, fixed: Places) -> Iterator[Places]:
        """Return states with these classes on which no rule holds, those with defaults first."""
        others = [rule for rule in (*self.rules, *self.integrity) if not rule.reads <= fixed.keys()]
        names = sorted(
            {name for rule in others for name in rule.reads} - fixed.keys(),
            key=lambda name: -sum(name in rule.reads for rule in others),
        )
        done = [rule for rule in (*self.rules, *self.integrity) if rule.reads <= fixed.keys()]
        if all(self._fits(rule, fixed) for rule in done):
            self._nodes = NODES
            yield from self._completed(dict(fixed), names)

    def _fits(self, rule: Rule, state: Mapping[str, int]) -> bool:
        letter = self.letter(rule, state)
        return letter != "f" if rule.integrity else letter != "t"

    def _completed(self, state: Places, names: Sequence[str]) -> Iterator[Places]:
        if not names:
            yield {name: self.defaults[name] for name in self.names} | state
            return
        name, rest = names[0], names[1:]
        ready = [
            rule
            for rule in (*self.rules, *self.integrity)
            if name in rule.reads and rule.reads <= {*state, name}
        ]
        for at in self.domain(name, ()):
            self._nodes -= 1
            if self._nodes < 0:
                return
            state[name] = at
            if all(self._fits(rule, state) for rule in ready):
                yield from self._completed(state, rest)
            del state[name]
