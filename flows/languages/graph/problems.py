"""What is wrong with a graph, and where."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TypeVar

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
        """Return what problems are ordered by."""
        return (self.line, self.column)

    @property
    def sentence(self) -> str:
        """Return place, severity, message and code in one line."""
        place = f"line {self.line}, column {self.column}: " if self.line else ""
        return f"{place}{self.severity}: {self.message} [{self.code}]"


Found = TypeVar("Found", bound=Problem)


@dataclass(frozen=True)
class DeadEnd(Problem):
    """A node that can wait without end, and the choices that lead there: nodes with the edges they take."""

    node: str = ""
    choices: tuple[tuple[str, tuple[str, ...]], ...] = ()


def most_severe(problems: Sequence[Found], most: int) -> Sequence[Found]:
    """Return at most so many problems, in their order; where not all fit, errors rather than warnings."""
    if len(problems) <= most:
        return problems
    by_severity = sorted(range(len(problems)), key=lambda n: problems[n].severity != "error")
    return [problems[n] for n in sorted(by_severity[:most])]


class BadGraph(BadDefinition):
    """A graph cannot be read, or cannot be walked as asked for; `problems` says why."""

    shown = 20  # problems in the sentence

    def __init__(self, problems: Sequence[Problem]) -> None:
        """Make one sentence of the problems, in the order of their places."""
        self.problems = tuple(sorted(problems, key=lambda problem: problem.place))
        listed = most_severe(self.problems, self.shown)
        lines = [problem.sentence for problem in listed]
        if len(self.problems) > self.shown:
            lines.append(f"{len(self.problems) - self.shown} more problems were found.")
        facts = {"problems": [asdict(problem) for problem in listed]}
        super().__init__("\n".join(lines), detail=json.dumps(facts))
