"""What a check of a definition finds, and the rules that it looks at."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from flows.definition.lint.classes import Leaf
from flows.definition.lint.tables import State, Table
from flows.labels import rule_in_sentence

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """Who acknowledged a finding, when and why; `rule` is 0 for one that was not published then."""

    flow: str
    finding: str
    rule: int
    reason: str
    acknowledged_at: datetime
    acknowledged_by: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a definition that is allowed and probably not meant.

    `how`: proved for all states, declared (it follows from what the definition says of its transitions), or
    observed in the history or at present. `state` or `instances` show it. `id` stays the same until the texts
    concerned change, so that an acknowledgement can be kept by it. `rule` is the number of the rule, once it
    was published, else 0.
    """

    id: str
    check: str
    severity: str
    how: str
    path: Path
    message: str
    hint: str = ""
    position: int | None = None
    length: int | None = None
    state: State | None = None
    instances: list[int] = field(default_factory=list)
    rule: int = 0
    acknowledged: Acknowledgement | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A trigger of the definition with its comparisons and its table; without one where nothing is proved."""

    place: int
    trigger: Mapping[str, Any]
    leaves: Sequence[Leaf]
    table: Table | None
    reads: frozenset[str]

    @property
    def title(self) -> str:
        return rule_in_sentence(self.trigger)

    @property
    def path(self) -> Path:
        return "triggers", self.place, "predicate"

    @property
    def number(self) -> int:
        """Return its number in the published flow; 0 for a new one."""
        number = self.trigger.get("id")
        return number if isinstance(number, int) else 0

    @property
    def enabled(self) -> bool:
        return bool(self.trigger.get("enabled", True))

    @property
    def final(self) -> bool:
        return bool(self.trigger.get("final"))

    @property
    def integrity(self) -> bool:
        """Return whether it is an integrity condition, which fires nothing."""
        return bool(self.trigger.get("integrity"))

    @property
    def writes(self) -> frozenset[str] | None:
        """Return the attributes that its transition may write; None without a declaration."""
        declared = self.trigger.get("writes")
        return None if declared is None or self.final else frozenset(declared)

    @property
    def sign(self) -> str:
        """Return a digest that identifies the rule with its current content."""
        return f"{self.trigger.get('transition')}|{self.trigger['predicate']}"

    def found(
        self, check: str, severity: str, how: str, message: str, *, others: Sequence[str] = (), **more: Any
    ) -> Finding:
        """Return a finding at this rule's condition."""
        return Finding(
            identity(check, self.sign, *others),
            check,
            severity,
            how,
            more.pop("path", self.path),
            message,
            rule=self.number,
            **more,
        )


def identity(*parts: str) -> str:
    """Return the stable name of a finding."""
    return f"{parts[0]}-{hashlib.sha256(repr(parts).encode()).hexdigest()[:12]}"
