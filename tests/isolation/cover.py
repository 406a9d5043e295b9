"""Choose the orders that a short run has of a spec."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations, pairwise

from tests.isolation.runner import Spec


class Cover:
    """Orders of a spec that together have whatever two sessions can do to each other in two steps.

    That is: each step in each state of each two sessions, with each step that can follow; and each step
    directly after each of another session. Of the orders that do the same, the first one is taken.
    """

    def __init__(self, spec: Spec) -> None:
        self.owners = {step: session.name for session in spec.sessions for step in session.steps}
        self.sessions = list(combinations([session.name for session in spec.sessions], 2))
        self.turns = {tuple(order): self._turns(order) for order in spec.orders()}
        self.missing = set().union(*self.turns.values())

    def __iter__(self) -> Iterator[list[str]]:
        """Yield orders until none is left that adds something; call `has_run` with each."""
        while self.turns and self.missing:
            best = max(self.turns, key=lambda order: len(self.turns[order] & self.missing))
            if not self.turns[best] & self.missing:
                return
            yield list(best)

    def has_run(self, order: list[str], steps: int) -> None:
        """Note that so many steps were run: an order that begins as one that was impossible is so, too."""
        self.missing -= self._turns(order[:steps])
        begun = tuple(order[: steps + 1])
        self.turns = {other: turns for other, turns in self.turns.items() if other[: len(begun)] != begun}

    def _turns(self, order: Sequence[str]) -> set[Hashable]:
        found: set[Hashable] = set(pairwise(order))
        for two in self.sessions:
            steps = [step for step in order if self.owners[step] in two]
            for at, turn in enumerate(pairwise(steps)):
                found.add((two, frozenset(steps[:at]), turn))
        return found
