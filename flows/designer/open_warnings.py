"""Warnings that are not acknowledged: publishing asks about them once more."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flows.api.linting import lint
from flows.definition.lint import Finding, open_warnings
from flows.designer.trying import limited
from flows.errors import Refused, TooSlow
from flows.people import people_of

SECONDS = 3.0


@dataclass
class Unanswered(Exception):
    """There are warnings about which the user was not asked yet."""

    warnings: list[Finding]

    @property
    def token(self) -> str:
        """Return the token that the form sends back when the user publishes in spite of these warnings."""
        names = sorted(f"{one.id} {one.rule}" for one in self.warnings)
        return hashlib.sha256("\n".join(names).encode()).hexdigest()


def ask(flow: str, definition: Mapping[str, Any], answer: str) -> None:
    """Check that the user has answered for the open warnings of a definition. Raises Unanswered."""
    try:
        with limited():
            found = lint(flow, definition, seconds=SECONDS, people=people_of(definition))
    except (Refused, TooSlow):
        return  # publishing reports what is wrong
    question = Unanswered(open_warnings(found))
    if question.warnings and question.token != answer:
        raise question
