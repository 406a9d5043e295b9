"""The processes of a BPMN file that has several: which of them are imported, one or all, each as a flow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flows.access import AnyUser
from flows.designer.imports.problem_rows import Row, rows
from flows.designer.picture.diagram import Diagram, diagrams
from flows.designer.publication.publication_rights import is_hidden, may_publish, taken
from flows.languages.bpmn import BadBpmn, BpmnProblem
from flows.languages.bpmn.document.processes import processes
from flows.loading.bpmn_files import CheckedProcess, check_processes, publish_processes
from flows.loading.processes import is_bpmn
from flows.queries.definitions import flow_by_name
from flows.types import Publication

ALL = "*"


@dataclass(frozen=True)
class Choice:
    """One process as the page offers it, and the flow that it becomes if all are imported."""

    checked: CheckedProcess
    exists: bool

    @property
    def id(self) -> str:
        """Return the id of the process."""
        return self.checked.process.id


@dataclass(frozen=True)
class Listing:
    """The problems of one of several processes."""

    title: str
    problems: Sequence[Row]


@dataclass(frozen=True)
class ProcessChoice:
    """The processes of a file that has several; `wanted` is the id of one, "*" for all, or empty."""

    found: tuple[CheckedProcess, ...]
    wanted: str

    @property
    def all(self) -> bool:
        """Return whether all processes are imported."""
        return self.wanted == ALL

    @property
    def flows(self) -> list[str]:
        """Return the names of the flows that the processes become together."""
        return [each.flow for each in self.found]

    def shown(self) -> dict[str, Any]:
        """Return the context of the page on which a process is chosen."""
        choices = [Choice(each, flow_by_name(each.flow) is not None) for each in self.found]
        return {"choices": choices, "wanted": self.wanted}

    def all_shown(self, user: AnyUser) -> dict[str, Any]:
        """Return the context of the page for all processes together."""
        drawn = [each.drawn for each in self.found if each.drawn is not None]
        shown: list[Diagram] = diagrams(drawn[0]) if drawn else []
        listings = [Listing(each.process.title, rows(each.problems, shown)) for each in self.found]
        codes = {problem.code for each in self.found for problem in each.problems}
        return {
            "all_flows": ", ".join(self.flows),
            "ready": all(each.accepted for each in self.found),
            "publishes": all(may_publish(user, flow) for flow in self.flows),
            "listings": [each for each in listings if each.problems],
            "undeclared": "unknown_names" in codes,
            "shown": shown,
        }

    def publish(self, actor: str, reason: str) -> dict[str, Publication]:
        """Submit all processes for publication, or none, by the names of their flows. Raises WedError."""
        return publish_processes(self.found, actor, reason)


def choice(
    user: AnyUser, name: str, content: bytes, wanted: str, *, declare: bool
) -> ProcessChoice | None:  # fmt: skip
    """Return the processes of a file that are to be chosen from; None where there is no choice.

    wanted: the id of one of them, or "*"; else the only one that is executable.
    """
    try:
        listed = processes(content) if is_bpmn(name) else []
    except BadBpmn:  # the check of the file says why
        return None
    if len(listed) < 2:
        return None
    meant = next((each.id for each in listed if each.meant), "")
    known = {ALL, *(each.id for each in listed)}
    found = tuple(_shown_to(user, each) for each in check_processes(content, declare=declare))
    return ProcessChoice(found, wanted if wanted in known else meant)


def _shown_to(user: AnyUser, checked: CheckedProcess) -> CheckedProcess:
    """Return a process without what the checks found in a flow that the user may not see."""
    if not is_hidden(user, checked.flow):
        return checked
    refused = BpmnProblem("refused", taken(checked.flow), 0, 0, "error", checked.process.id)
    return CheckedProcess(checked.process, checked.flow, (refused,), drawn=checked.drawn)
