"""What is wrong with a text in PDL, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.languages.graph.problems import BadGraph, Problem
from flows.languages.pdl.model import Library, Place


@dataclass(frozen=True)
class PdlProblem(Problem):
    """One problem of a text; `element` is the id of the block that has it, `file` one of several files."""

    element: str = ""
    file: str = ""

    @property
    def place(self) -> tuple[str | int, ...]:
        """Return the sort key of problems."""
        return (self.file, self.line, self.column)

    @property
    def sentence(self) -> str:
        """Return file, place, element, severity, message and code in one line."""
        file = f"{self.file}: " if self.file else ""
        place = f"line {self.line}, column {self.column}: " if self.line else ""
        element = f"{self.element}: " if self.element else ""
        return f"{file}{place}{element}{self.severity}: {self.message} [{self.code}]"


class BadPdl(BadGraph):
    """Texts cannot be read or cannot become a flow; `problems` says why, `library` is what could be read."""

    problems: tuple[PdlProblem, ...]

    def __init__(self, problems: Sequence[PdlProblem], library: Library | None = None) -> None:
        """Make one sentence of the problems."""
        super().__init__(problems)
        self.library = library


def problem(code: str, message: str, place: Place, element: str, severity: str = "error") -> PdlProblem:
    """Return a problem at a place."""
    return PdlProblem(code, message, place.line, place.column, severity, element, place.file)
