"""What is wrong with a BPMN file, and where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from flows.languages.bpmn.model import Process
from flows.languages.graph.problems import BadGraph, Problem


@dataclass(frozen=True)
class BpmnProblem(Problem):
    """One problem of a file; `element` is the id of the element that has it, `name` its name for people."""

    element: str = ""
    name: str = ""

    @property
    def sentence(self) -> str:
        """Return place, element, severity, message and code in one line."""
        place = f"line {self.line}, column {self.column}: " if self.line else ""
        name = f" “{self.name}”" if self.name and self.name != self.element else ""
        element = f"{self.element}{name}: " if self.element else ""
        return f"{place}{element}{self.severity}: {self.message} [{self.code}]"


class BadBpmn(BadGraph):
    """A file cannot be read or cannot become a flow; `problems` says why, `process` is what could be read."""

    problems: tuple[BpmnProblem, ...]

    def __init__(self, problems: Sequence[BpmnProblem], process: Process | None = None) -> None:
        """Make one sentence of the problems."""
        super().__init__(with_names(problems, process))
        self.process = process


def with_names(problems: Iterable[BpmnProblem], process: Process | None) -> list[BpmnProblem]:
    """Return problems with the names of their elements."""
    drawn = process.drawn if process is not None else {}
    names = {id_: " ".join(name.split())[:80] for id_, (_tag, name) in drawn.items()}
    return [replace(each, name=each.name or names.get(each.element, "")) for each in problems]
