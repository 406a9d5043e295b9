"""What is wrong with a graph, and where; for people the errors first, by kind, and equal warnings once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Generic, TypeVar

from flows.errors import BadDefinition


@dataclass(frozen=True)
class Problem:
    """One problem of a graph. Line and column count from 1; 0 where they are unknown."""

    code: str
    message: str
    line: int = 0
    column: int = 0
    severity: str = "error"

    @property
    def place(self) -> tuple[str | int, ...]:
        """Return the sort key of problems."""
        return (self.line, self.column)

    @property
    def sentence(self) -> str:
        """Return place, severity, message and code in one line."""
        place = f"line {self.line}, column {self.column}: " if self.line else ""
        return f"{place}{self.severity}: {self.message} [{self.code}]"


Found = TypeVar("Found", bound=Problem)
_NAMED = 5  # elements that the line of several equal warnings names


@dataclass(frozen=True)
class DeadEnd(Problem):
    """A node that can wait without end, and the choices that lead there: nodes with the edges they take."""

    node: str = ""
    choices: tuple[tuple[str, tuple[str, ...]], ...] = ()


def has_errors(problems: Iterable[Problem]) -> bool:
    """Return whether any of the problems prevents publishing."""
    return any(problem.severity == "error" for problem in problems)


@dataclass(frozen=True)
class Entry(Generic[Found]):
    """A problem, with all those that say the same of other places."""

    first: Found
    others: tuple[Found, ...] = ()

    @property
    def count(self) -> int:
        """Return how many places have the problem."""
        return 1 + len(self.others)

    @property
    def elements(self) -> list[str]:
        """Return the ids of the elements that have it, each once; none in languages without ids."""
        ids = (getattr(each, "element", "") for each in (self.first, *self.others))
        return [*dict.fromkeys(id_ for id_ in ids if id_)]

    @property
    def sentence(self) -> str:
        """Return it in one line, with the number of places."""
        if not self.others:
            return self.first.sentence
        listed = self.elements
        what = f"{len(listed)} elements" if len(listed) > 1 else f"{self.count} times"
        named = ", ".join(listed[:_NAMED]) + (", …" if len(listed) > _NAMED else "")
        counted = f" ({what}: {named})" if len(listed) > 1 else f" ({what})"
        message = self.first.message
        end = "." if message.endswith(".") else ""
        return replace(self.first, message=message.removesuffix(".") + counted + end).sentence


def summary(problems: Iterable[Found]) -> list[Entry[Found]]:
    """Return the errors, those of one kind after each other, then the warnings, equal ones as one entry."""
    ordered = sorted(problems, key=lambda problem: problem.place)
    kinds: dict[tuple[bool, str], dict[object, list[Found]]] = {}
    for number, each in enumerate(ordered):
        error = each.severity == "error"
        same = number if error else each.message
        kinds.setdefault((not error, each.code), {}).setdefault(same, []).append(each)
    found = sorted(kinds.items(), key=lambda kind: kind[0][0])
    return [Entry(same[0], tuple(same[1:])) for _kind, entries in found for same in entries.values()]


def sentences(problems: Sequence[Problem], most: int) -> list[str]:
    """Return at most so many lines for problems, and one more that says how many are left out."""
    entries = summary(problems)
    lines = [each.sentence for each in entries[:most]]
    if len(entries) > most:
        lines.append(f"{len(entries) - most} more problems were found.")
    return lines


class BadGraph(BadDefinition):
    """A graph cannot be read, or cannot be walked as asked for; `problems` says why."""

    most = 1_000  # lines of the sentence

    def __init__(self, problems: Sequence[Problem]) -> None:
        """Make one sentence of the problems, the errors first."""
        self.problems = tuple(sorted(problems, key=lambda problem: problem.place))
        facts = {"problems": [asdict(each.first) for each in summary(self.problems)[: self.most]]}
        super().__init__("\n".join(sentences(self.problems, self.most)), detail=json.dumps(facts))
