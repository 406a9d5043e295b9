"""What is wrong with a BPMN file, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.languages.bpmn.model import Process
from flows.languages.graph.problems import BadGraph, Problem


@dataclass(frozen=True)
class BpmnProblem(Problem):
    """One problem of a file; `element` is the id of the element that has it."""

    element: str = ""

    @property
    def sentence(self) -> str:
        """Return place, element, severity, message and code in one line."""
        place = f"line {self.line}, column {self.column}: " if self.line else ""
        element = f"{self.element}: " if self.element else ""
        return f"{place}{element}{self.severity}: {self.message} [{self.code}]"


class BadBpmn(BadGraph):
    """A file cannot be read or cannot become a flow; `problems` says why, `process` is what could be read."""

    problems: tuple[BpmnProblem, ...]

    def __init__(self, problems: Sequence[BpmnProblem], process: Process | None = None) -> None:
        """Make one sentence of the problems."""
        super().__init__(problems)
        self.process = process
