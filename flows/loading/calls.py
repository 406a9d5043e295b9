"""The flows that a process calls: what they get and return is checked against their attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _

from flows import api
from flows.languages.bpmn import BpmnProblem, Process
from flows.languages.bpmn.expressions import name_of
from flows.languages.bpmn.model import Assignment, Element, Expression
from flows.models import Flow


@dataclass
class Callees:
    """The flows that there are, and those that other processes of the same file become with this one.

    `flows` has the names of the flows of these processes, by the names that calls of them have; `known` has
    the attributes of flows, and is filled as they are looked up.
    """

    flows: Mapping[str, str] = field(default_factory=dict)
    known: dict[str, frozenset[str] | None] = field(default_factory=dict)

    def bound(self, process: Process) -> Process:
        """Return a process whose calls name the flows that the processes of its file become."""
        elements = {
            id_: replace(each, calls=self.flows.get(each.calls, each.calls))
            for id_, each in process.elements.items()
        }
        return replace(process, elements=elements)

    def attributes(self, flow: str) -> frozenset[str] | None:
        """Return the attributes of a flow; None if there is no such flow."""
        if flow not in self.known:
            exists = Flow.objects.filter(name=flow).exists()
            found = api.drafts.running_definition(flow)[1]["attributes"] if exists else None
            self.known[flow] = None if found is None else frozenset(each["name"] for each in found)
        return self.known[flow]

    def checked(self, flow: str, process: Process) -> tuple[Process, list[BpmnProblem]]:
        """Return a process that passes what the called flows have, and what is wrong with its calls.

        flow: the flow that the process becomes, which it may call itself.
        """
        own = frozenset(str(each.options["name"]) for each in process.data)
        elements, problems = dict(process.elements), list[BpmnProblem]()
        for id_, element in process.elements.items():
            if element.calls and not element.person:
                known = own if element.calls == flow else self.attributes(element.calls)
                element = _with_all(element, own, known or frozenset())
                problems += _problems(element, known)
                elements[id_] = _without_item(element, known)
        return replace(process, elements=elements), problems


def _with_all(element: Element, own: frozenset[str], known: frozenset[str]) -> Element:
    """Return a call that passes all values at once, or gets them back, with each that both flows have."""
    inputs, outputs = element.inputs, element.outputs
    given = {each.target for each in inputs}
    taken = {each.target for each in outputs}
    both = [
        Assignment(name, Expression(name, "sql", element.line, element.column))
        for name in sorted(own & known)
    ]
    if element.passes_all:
        inputs = (*inputs, *(each for each in both if each.target not in given))
    if element.returns_all:
        outputs = (*outputs, *(each for each in both if each.target not in taken))
    return replace(element, inputs=inputs, outputs=outputs)


def _problems(element: Element, known: frozenset[str] | None) -> Iterator[BpmnProblem]:
    facts = {"flow": element.calls}
    if known is None:
        message = _("There is no flow “%(flow)s” yet; without it, an instance here is an exception.")
        yield _problem("no_flow", message % facts, element, "warning")
        return
    for each in element.inputs:
        if each.target not in known:
            message = _("The called flow “%(flow)s” has no attribute “%(name)s”, which it would get.")
            yield _problem("unknown_input", message % (facts | {"name": each.target}), element)
    for each in element.outputs:
        name = name_of(each.source)
        if name and name not in known:
            message = _("The called flow “%(flow)s” has no attribute “%(name)s”, which it would return.")
            yield _problem("unknown_output", message % (facts | {"name": name}), element)
    item = _item(element)
    if item and item not in known:
        message = _("Items are not passed: the called flow “%(flow)s” has no attribute “%(name)s”.")
        yield _problem("no_item", message % (facts | {"name": item}), element, "warning")


def _item(element: Element) -> str:
    """Return the attribute of the called flow that gets an item of a collection; empty if none does."""
    loop = element.loop
    if loop is None or not loop.parallel or loop.items is None:
        return ""
    return "" if any(name_of(each.source) == loop.item for each in element.inputs) else loop.item


def _without_item(element: Element, known: frozenset[str] | None) -> Element:
    """Return a call that passes no item if the called flow has no attribute for it."""
    item = _item(element)
    if element.loop is None or not item or known is None or item in known:
        return element
    return replace(element, loop=replace(element.loop, item=""))


def _problem(code: str, message: str, element: Element, severity: str = "error") -> BpmnProblem:
    return BpmnProblem(code, message, element.line, element.column, severity, element.id)
