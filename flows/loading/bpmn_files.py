"""Checking every process of a BPMN file, as if each became a flow of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flows.errors import WedError
from flows.languages.bpmn import BadBpmn, BpmnProblem
from flows.languages.bpmn.names import slug
from flows.languages.bpmn.processes import ListedProcess, processes
from flows.loading.bpmn import prepare_bpmn
from flows.loading.processes import try_file

_LONGEST_FLOW = 63


@dataclass(frozen=True)
class CheckedProcess:
    """A process of a file with its problems, the errors first."""

    process: ListedProcess
    problems: tuple[BpmnProblem, ...]

    @property
    def accepted(self) -> bool:
        """Return whether the process can become a flow."""
        return not any(each.severity == "error" for each in self.problems)


def check_processes(content: bytes, *, declare: bool = False) -> Iterator[CheckedProcess]:
    """Yield each process of a file with what its checks and the trial of its publication found.

    Raises BadBpmn where the file cannot be read, or has no process.
    """
    listed = processes(content)
    if not listed:
        raise BadBpmn([BpmnProblem("no_process", "The file has no process with elements.", 1, 1)])
    for each in listed:
        found = sorted(_problems(each, content, declare=declare), key=lambda p: (p.severity, *p.place))
        yield CheckedProcess(each, tuple(found))


def _problems(process: ListedProcess, content: bytes, *, declare: bool) -> tuple[BpmnProblem, ...]:
    """Return what is wrong with a process."""
    flow = slug(process.name or process.id, longest=_LONGEST_FLOW)
    try:
        made = prepare_bpmn(flow, content, process.id, declare=declare)
        try_file(flow, made)
    except BadBpmn as error:
        return error.problems
    except WedError as error:
        return (BpmnProblem("refused", error.sentence, 0, 0, "error", process.id),)
    return made.warnings
