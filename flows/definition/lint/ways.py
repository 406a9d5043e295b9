"""How a state can come about: the rules whose results lead to it from a start, by what they declare."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import combinations

from flows.definition.lint.findings import Rule
from flows.definition.lint.grid import Grid, Places

MOST = 10  # attributes that differ from their defaults


class Ways:
    """Finds ways to states. A rule may write what it declares, or everything where it declares nothing."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._working = [rule for rule in grid.rules if not rule.final]
        self._final = [rule for rule in grid.rules if rule.final]
        declared = [rule.writes for rule in self._working]
        self._written = {
            name for name in grid.names if any(writes is None or name in writes for writes in declared)
        }
        self._inputs = {name for name in grid.names if all(w is not None and name not in w for w in declared)}

    def way(self, state: Mapping[str, int]) -> list[Rule] | None:
        """Return the rules that lead to a state from a start, none for a start; None where none is found.

        On the way each attribute has its default or its value in the state, so that a way that is found is
        one, and one that needs other values in between is not found.
        """
        grid = self._grid
        changed = [name for name in grid.names if state[name] != grid.defaults[name]]
        given = [name for name in changed if name in self._inputs]
        later = [name for name in changed if name not in given]
        if len(later) > MOST:
            return None
        first = {name: grid.defaults[name] for name in grid.names} | {name: state[name] for name in given}
        return self._search([first], {name: state[name] for name in later}, dict(state))

    def _search(self, starts: list[Places], target: Places, goal: Places) -> list[Rule] | None:
        waiting: deque[tuple[Places, list[Rule]]] = deque((start, []) for start in starts)
        seen = {tuple(start.items()) for start in starts}
        while waiting:
            state, way = waiting.popleft()
            if state == goal:
                return way
            if any(self._grid.holds(rule, state) for rule in self._final):
                continue
            for rule, after in self._moves(state, target):
                key = tuple(after.items())
                if key not in seen and (after == goal or self._grid.allowed(after)):
                    seen.add(key)
                    waiting.append((after, [*way, rule]))
        return None

    def _moves(self, state: Places, target: Places) -> Iterator[tuple[Rule, Places]]:
        """Return the next states: a rule that holds gives some of its attributes their value in the goal."""
        left = [name for name in target if state[name] != target[name]]
        for rule in self._working:
            mine = [name for name in left if rule.writes is None or name in rule.writes]
            if not mine or not self._grid.holds(rule, state):
                continue
            for count in range(len(mine), 0, -1):
                for some in combinations(mine, count):
                    yield rule, {**state, **{name: target[name] for name in some}}
