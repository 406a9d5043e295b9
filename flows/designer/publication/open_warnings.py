"""What publishing asks about once more: warnings that are not acknowledged, and persons who lose tasks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.http import HttpRequest

from flows.definition.lint import Finding, open_warnings
from flows.designer.trial.path import limited
from flows.engine.checks import lint
from flows.errors import HeldByOthers, Refused, TooSlow
from flows.users.holdings import confirmed
from flows.users.people import people_of

SECONDS = 3.0
_T = TypeVar("_T")


@dataclass(frozen=True)
class Holder:
    """A person from whom a publication takes tasks and cases, how many, and since when the last is held."""

    owner: str
    tasks: int
    since: datetime | None


@dataclass
class Unanswered(Exception):
    """There are warnings, or persons who lose tasks, about which the user was not asked yet.

    `publication` is the one that the user approves.
    """

    warnings: Sequence[Finding] = ()
    holders: Sequence[Holder] = ()
    publication: int | None = None

    @property
    def token(self) -> str:
        """Return the token that the form sends back when the user publishes in spite of the warnings."""
        return _digest(f"{one.id} {one.rule}" for one in self.warnings)

    @property
    def seen(self) -> str:
        """Return the token that the form sends back when the user takes what these persons hold."""
        return _digest(f"{one.owner} {one.tasks} {one.since}" for one in self.holders)


def ask(flow: str, definition: Mapping[str, Any], answer: str) -> Sequence[Finding]:
    """Return the open warnings of a definition, for which the user has answered. Raises Unanswered."""
    try:
        with limited():
            found = lint(flow, definition, seconds=SECONDS, people=people_of(definition))
    except (Refused, TooSlow):
        return ()  # publishing reports what is wrong
    question = Unanswered(open_warnings(found))
    if question.warnings and question.token != answer:
        raise question
    return question.warnings


def confirm(
    request: HttpRequest,
    act: Callable[[], _T],
    warnings: Sequence[Finding] = (),
    publication: int | None = None,
) -> _T:
    """Do what may take tasks and cases from others if the form showed who they are. Raises Unanswered."""
    try:
        return act()
    except HeldByOthers as error:
        question = Unanswered(warnings, _holders(error), publication)
        if request.POST.get("seen") != question.seen:
            raise question from error
        count = error.count
    try:
        with confirmed(count):
            return act()
    except HeldByOthers as error:  # others have taken some meanwhile
        raise Unanswered(warnings, _holders(error), publication) from error


def held_by_others(error: Refused) -> int:
    """Return how many tasks and cases others lose by what was refused because of them; else 0."""
    return error.count if isinstance(error, HeldByOthers) else 0


def _holders(error: HeldByOthers) -> Sequence[Holder]:
    return [
        Holder(one["owner"], one["tasks"], datetime.fromisoformat(one["since"]) if one["since"] else None)
        for one in error.where["holders"]
    ]


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()
