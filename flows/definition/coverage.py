"""What the scenarios of a flow exercise: which rules fired, which parts of conditions were true and false."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PartCovered:
    """One comparison of a condition, and the values that it had in the states of scenarios (t f u e)."""

    text: str
    values: str

    @property
    def covered(self) -> bool:
        """Return whether it was true in one state and not true in another."""
        return "t" in self.values and len(self.values) > 1


@dataclass(frozen=True, slots=True)
class RuleCovered:
    """One rule: how often it fired, its condition's values, and its condition's parts."""

    place: int
    title: str
    final: bool
    fired: int
    values: str
    parts: Sequence[PartCovered]

    @property
    def exercised(self) -> bool:
        """Return whether it fired; of a final condition, whether it held."""
        return "t" in self.values if self.final else self.fired > 0

    @property
    def missing(self) -> Sequence[PartCovered]:
        return [part for part in self.parts if not part.covered]


@dataclass(frozen=True, slots=True)
class Coverage:
    """What scenarios exercise; `states` is the number of different states that they reached."""

    states: int
    rules: Sequence[RuleCovered]

    @property
    def exercised(self) -> int:
        return sum(rule.exercised for rule in self.rules)

    @property
    def parts(self) -> int:
        return sum(len(rule.parts) for rule in self.rules)

    @property
    def covered(self) -> int:
        """Return the number of parts that were true in one state and not true in another."""
        return sum(part.covered for rule in self.rules for part in rule.parts)
