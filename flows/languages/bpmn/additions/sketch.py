"""A process while what its drawing leaves out is added to it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from flows.languages.bpmn.model import Datum, Element, Expression, Flow, Process
from flows.languages.bpmn.names import LONGEST, slug
from flows.languages.bpmn.problems import BpmnProblem
from flows.languages.bpmn.titles import titles


@dataclass
class Sketch:
    """A copy of a process that can be changed; `parts` name the elements of which others are made."""

    read: Process
    elements: dict[str, Element] = field(init=False)
    flows: dict[str, Flow] = field(init=False)
    lanes: dict[str, str] = field(init=False)
    titles: dict[str, str] = field(init=False)
    data: list[Datum] = field(init=False)
    taken: set[str] = field(init=False)
    parts: dict[str, str] = field(default_factory=dict)
    problems: list[BpmnProblem] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.elements, self.flows = {**self.read.elements}, {**self.read.flows}
        self.lanes, self.titles = {**self.read.lanes}, titles(self.elements.values())
        self.data = [*self.read.data]
        self.taken = {str(each.options["name"]) for each in self.data}
        self.taken |= {each.loop.item for each in self.elements.values() if each.loop is not None}

    @property
    def process(self) -> Process:
        """Return the process as it is now."""
        data = tuple(self.data)
        return replace(self.read, elements=self.elements, flows=self.flows, lanes=self.lanes, data=data)

    def attribute(self, wanted: str) -> str:
        """Return a name for an attribute that no other one has."""
        first, number = slug(wanted), 1
        name = first
        while name in self.taken:
            number += 1
            name = f"{first[: LONGEST - 4]}_{number}"
        self.taken.add(name)
        return name

    def warn(self, message: str, owner: Element | Flow, code: str = "completed") -> None:
        """Note what was added to the process, or has no effect in it."""
        place = (owner.line, owner.column, "warning", self.parts.get(owner.id, owner.id))
        self.problems.append(BpmnProblem(code, message, *place))

    def refuse(self, message: str, owner: Element) -> None:
        """Note why an element cannot become a part of a flow."""
        place = (owner.line, owner.column, "error", self.parts.get(owner.id, owner.id))
        self.problems.append(BpmnProblem("unsupported", message, *place))

    def add(self, element: Element, of: Element) -> Element:
        """Add an element that is made of another one, in the same lane."""
        role = {"role": of.options["role"]} if "role" in of.options and element.person else {}
        element = replace(element, line=of.line, column=of.column, options=role | dict(element.options))
        self.elements[element.id] = element
        self.titles[element.id] = element.name or self.titles.get(of.id, "")
        self.parts[element.id] = self.parts.get(of.id, of.id)
        if of.id in self.lanes:
            self.lanes[element.id] = self.lanes[of.id]
        return element

    def change(self, element: Element) -> None:
        """Replace an element by one with the same id."""
        self.elements[element.id] = element

    def connect(
        self, id_: str, source: str, target: str, of: Element, condition: Expression | None = None
    ) -> None:  # fmt: skip
        """Add a flow that is made of an element."""
        self.flows[id_] = Flow(id_, source, target, "", condition, of.line, of.column)
        self.parts[id_] = self.parts.get(of.id, of.id)

    def entering(self, element: str) -> list[Flow]:
        """Return the flows that lead to an element."""
        return [flow for flow in self.flows.values() if flow.target == element]

    def leaving(self, element: str) -> list[Flow]:
        """Return the flows that leave an element."""
        return [flow for flow in self.flows.values() if flow.source == element]

    def redirect(self, flow: Flow, *, source: str = "", target: str = "") -> None:
        """Let a flow begin or end elsewhere."""
        self.flows[flow.id] = replace(flow, source=source or flow.source, target=target or flow.target)
