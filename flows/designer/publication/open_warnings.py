"""What publishing asks about once more: warnings that are not acknowledged, and persons who lose tasks."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows import api
from flows.api.checks import lint
from flows.definition.lint import Finding, open_warnings
from flows.designer.trial.path import limited
from flows.errors import Refused, TooSlow
from flows.users.people import people_of

SECONDS = 3.0


@dataclass
class Unanswered(Exception):
    """There are warnings, or persons who lose tasks, about which the user was not asked yet."""

    warnings: list[Finding]
    holders: Sequence[Any]

    @property
    def token(self) -> str:
        """Return the token that the form sends back when the user publishes in spite of this."""
        names = sorted(f"{one.id} {one.rule}" for one in self.warnings)
        names += sorted(f"{one.owner} {one.tasks} {one.since}" for one in self.holders)
        return hashlib.sha256("\n".join(names).encode()).hexdigest()


def ask(flow: str, definition: Mapping[str, Any], answer: str) -> None:
    """Check that the user has answered for what publishing a definition asks about. Raises Unanswered."""
    try:
        with limited():
            found = lint(flow, definition, seconds=SECONDS, people=people_of(definition))
            question = Unanswered(open_warnings(found), _losing(flow, definition))
    except (Refused, TooSlow):
        return  # publishing reports what is wrong
    if (question.warnings or question.holders) and question.token != answer:
        raise question


def _losing(flow: str, definition: Mapping[str, Any]) -> Sequence[Any]:
    """Return who holds tasks of rules that the definition has no more, or no more for persons."""
    if not api.running_definition(flow)[0]:
        return []  # it was never published
    kept = [
        each["id"] for each in definition["triggers"] if "id" in each and each.get("performer") == "person"
    ]
    return api.tasks_of_other_rules(flow, kept)
