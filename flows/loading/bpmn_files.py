"""The processes of a BPMN file, each as a flow of its own: checked, and published together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from django.db import transaction
from django.utils.translation import gettext as _

from flows import json_text
from flows.errors import HeldByOthers, WedError
from flows.languages.bpmn import BadBpmn, BpmnProblem, Process
from flows.languages.bpmn.document.processes import ListedProcess, processes
from flows.languages.bpmn.names import slug
from flows.languages.graph.problems import summary
from flows.loading.bpmn import ImportedProcess, attributes_of, prepare_bpmn
from flows.loading.calls import Callees
from flows.loading.processes import publish_file, try_file
from flows.types import Publication, PublishReport
from flows.users.holdings import confirmed, held

LONGEST_FLOW = 63


@dataclass(frozen=True)
class CheckedProcess:
    """A process of a file, the flow that it becomes, and its problems, the errors first.

    `drawn` is the process as far as it could be read.
    """

    process: ListedProcess
    flow: str
    problems: tuple[BpmnProblem, ...]
    made: ImportedProcess | None = None
    report: PublishReport | None = None
    drawn: Process | None = None

    @property
    def accepted(self) -> bool:
        """Return whether the process can become a flow."""
        return self.made is not None and self.report is not None

    @property
    def errors(self) -> int:
        """Return how many problems prevent it."""
        return sum(each.severity == "error" for each in self.problems)


@dataclass
class _File(Callees):
    """The flows that processes of a file may call: first those that become flows with them."""

    content: bytes = b""
    declare: bool = False
    ids: dict[str, str] = field(default_factory=dict)

    def attributes(self, flow: str) -> frozenset[str] | None:
        if flow in self.ids and flow not in self.known:
            self.known[flow] = attributes_of(self.content, self.ids[flow], declare=self.declare)
        return super().attributes(flow)


def check_processes(content: bytes, *, declare: bool = False) -> Iterator[CheckedProcess]:
    """Yield each process of a file with what its checks and the trial of its publication found.

    Calls between them are those of the flows that they become together. Raises BadBpmn where the file cannot
    be read, or has no process.
    """
    listed = processes(content)
    if not listed:
        raise BadBpmn([BpmnProblem("no_process", "The file has no process with elements.", 1, 1)])
    flows = _flows(listed)
    called = {slug(id_, longest=LONGEST_FLOW): flow for id_, flow in flows.items()}
    ids = {flow: id_ for id_, flow in flows.items()}
    callees = _File(called, content=content, declare=declare, ids=ids)
    for each in listed:
        yield _checked(each, flows[each.id], callees)


def _flows(listed: Sequence[ListedProcess]) -> dict[str, str]:
    """Return the name of the flow that each process becomes, by its id; no two have the same."""
    found: dict[str, str] = {}
    for each in listed:
        name = wanted = slug(each.name or each.id, longest=LONGEST_FLOW)
        number = 1
        while name in found.values():
            number += 1
            name = f"{wanted[: LONGEST_FLOW - 4]}_{number}"
        found[each.id] = name
    return found


def _checked(process: ListedProcess, flow: str, callees: _File) -> CheckedProcess:
    try:
        made = prepare_bpmn(flow, callees.content, process.id, declare=callees.declare, callees=callees)
    except BadBpmn as error:
        return CheckedProcess(process, flow, _ordered(error.problems), drawn=error.process)
    try:
        report = try_file(flow, made)
    except WedError as error:
        refused = BpmnProblem("refused", error.sentence, 0, 0, "error", process.id)
        return CheckedProcess(process, flow, _ordered([refused, *made.warnings]), drawn=made.made.process)
    return CheckedProcess(process, flow, _ordered(made.warnings), made, report, made.made.process)


def _ordered(problems: Sequence[BpmnProblem]) -> tuple[BpmnProblem, ...]:
    """Return the errors first, those of one kind after each other."""
    return tuple(each for entry in summary(problems) for each in (entry.first, *entry.others))


def publish_processes(found: Sequence[CheckedProcess], actor: str, reason: str) -> dict[str, Publication]:
    """Submit all processes of a file for publication, each as its flow, or none. Raises WedError."""
    published: dict[str, Publication] = {}
    taken: list[HeldByOthers] = []
    with transaction.atomic():
        for each in found:
            if each.made is not None:
                published[each.flow] = _published(each.flow, each.made, actor, reason, taken)
        _confirm(taken)
    return published


def _published(
    flow: str, made: ImportedProcess, actor: str, reason: str, taken: list[HeldByOthers]
) -> Publication:
    """Publish a process, and note what that takes from other persons."""
    try:
        with confirmed(0):
            return publish_file(flow, made, actor, reason)
    except HeldByOthers as error:
        taken.append(error)
        with confirmed(error.count):
            return publish_file(flow, made, actor, reason)


def _confirm(taken: Sequence[HeldByOthers]) -> None:
    """Raise HeldByOthers if another number was confirmed than what all together take."""
    count = sum(each.count for each in taken)
    if count == held():
        return
    holders = [one for each in taken for one in each.where["holders"]]
    raise HeldByOthers(
        " ".join(each.message for each in taken) or _("Other persons lose no tasks or cases by this."),
        hint=_("Do it again with held = %(count)s; who loses one gets a message.") % {"count": count},
        detail=json_text.encode({"count": count, "holders": holders}),
    )
