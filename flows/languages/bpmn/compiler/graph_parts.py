"""The parts of the graph that a process becomes, while it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flows.definition import TRIGGER
from flows.definition.options import Options
from flows.languages.bpmn.compiler import transitions
from flows.languages.bpmn.document import options
from flows.languages.bpmn.expressions import NotUnderstood, sql
from flows.languages.bpmn.model import TASKS, Element, Expression, Process
from flows.languages.bpmn.names import slug, unique
from flows.languages.bpmn.problems import BpmnProblem
from flows.languages.bpmn.process_index import IndexedProcess
from flows.languages.bpmn.titles import titles
from flows.languages.graph.model import Edge, Node, Rule

WAITING = frozenset({"message", "timer", "conditional", "person", "signal"})
_MADE = {"transition", "predicate", "performer", "sets", "final", "integrity", "enabled", "signal"}
OPTIONS = Options({name: option for name, option in TRIGGER.items() if name not in _MADE})


@dataclass
class Made:
    """A node while the graph is made; `signal` is what it brings to events of the same instance."""

    kind: str
    origin: str
    within: str | None
    options: Mapping[str, Any] = field(default_factory=dict)
    rule: Rule = field(default_factory=Rule)
    need: int | None = None
    title: str = ""
    signal: str = ""

    @property
    def all_options(self) -> Mapping[str, Any]:
        """Return the options, without a role where no worker or person performs the job."""
        by_itself = self.rule.options.get("performer") == "database" or "child" in self.rule.options
        return {key: value for key, value in self.options.items() if key != "role" or not by_itself}


@dataclass
class Building:
    """Collects nodes, edges and attributes of the graph, and the problems of the process.

    `own` is the name of the flow that is made; `parts` name the elements of the file of which others are
    made.
    """

    process: Process
    own: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(init=False)
    chosen: dict[str, str] = field(init=False)
    heard: frozenset[str] = field(init=False)
    titles: dict[str, str] = field(init=False)
    nodes: dict[str, Made] = field(default_factory=dict)
    edges: dict[str, Edge] = field(default_factory=dict)
    entry: dict[str, str] = field(default_factory=dict)
    exit: dict[str, str] = field(default_factory=dict)
    extra: dict[str, dict[str, Any]] = field(default_factory=dict)
    start_by: list[str] = field(default_factory=list)
    start_at: list[str] = field(default_factory=list)
    caught: dict[str, str] = field(default_factory=dict)
    required: dict[str, dict[str, str]] = field(default_factory=dict)
    problems: list[BpmnProblem] = field(default_factory=list)
    warnings: list[BpmnProblem] = field(default_factory=list)
    heeded: set[str] = field(default_factory=set)
    withdraws: bool = False

    def __post_init__(self) -> None:
        self.process = IndexedProcess.of(self.process)
        elements = self.process.elements.values()
        self.chosen = {each.id: _chosen(each) for each in elements}
        chosen = [(each.id, each.name, self.chosen[each.id]) for each in elements]
        flows = ((flow.id, "", "") for flow in self.process.flows.values())
        self.names = transitions.apart(elements, unique(chosen), self.chosen) | unique(flows)
        self.heard = transitions.awaited(elements)
        self.titles = titles(elements)
        self.own = self.own or slug(self.process.id)
        for element in elements:
            wanted = element.options.get("transition") if TASKS.get(element.tag) != "worker" else None
            if wanted and wanted != self.names[element.id]:
                self.note("name_collides", "Another element has the same transition.", element)
        self.check_mixed()
        self.withdraws = any(takes_tokens(each, self.process) for each in elements)

    def check_mixed(self) -> None:
        """Note tasks of persons that have the transition of a task of workers."""
        tasks = [each for each in self.process.elements.values() if TASKS.get(each.tag) == "worker"]
        of_workers = {self.chosen[each.id] for each in tasks if not each.person} - {""}
        for each in tasks:
            if each.person and self.chosen[each.id] in of_workers:
                self.note("bad_option", "A task of workers has the same transition.", each)

    def note(self, code: str, message: str, element: Element) -> None:
        """Add a problem of an element."""
        origin = self.origin(element.id)
        self.problems.append(BpmnProblem(code, message, element.line, element.column, "error", origin))

    def origin(self, id_: str) -> str:
        """Return the id in the file of what an element or a flow is made of."""
        return self.parts.get(id_, id_)

    def titled(self, element: Element, what: str = "") -> str:
        """Return the title of an element, or of a part that is made of it: "Examine the claim: waiting"."""
        return f"{self.titles[element.id]}: {what}" if what else self.titles[element.id]

    def add(
        self, name: str, kind: str, element: Element, *, scope: str | None = "", title: str = "", **made: Any
    ) -> str:  # fmt: skip
        """Add a node that is made of an element, in the sub-process of the element unless one is given.

        `title` is which part of the element it is.
        """
        outer = element.scope if scope == "" else scope
        within = self.names[outer] if outer else None
        origin, shown = self.origin(element.id), self.titled(element, title)
        self.nodes[name] = Made(kind, origin, within, title=shown, **made)
        return name

    def link(
        self, name: str, source: str, target: str, origin: str, condition: str | None = None, *,
        default: bool = False, title: str = "",
    ) -> None:  # fmt: skip
        """Add an edge that is made of an element or a flow; `title` is which part of the element it is."""
        element = self.process.elements.get(origin)
        shown = self.titled(element, title) if element is not None and title else ""
        self.edges[name] = Edge(name, source, target, condition, default, (self.origin(origin),), shown)

    def attribute(self, name: str, type_: str, default: str | None, label: str) -> str:
        """Add an attribute that the rules need."""
        given = {"name": name, "type": type_, "label": label}
        self.extra[name] = given | ({} if default is None else {"default": default})
        return name

    def require(self, name: str, label: str, condition: str) -> None:
        """Add a condition that every state must satisfy; a violation names its label."""
        self.required[name] = {"name": name, "label": label, "integrity": "always", "predicate": condition}

    def is_apart(self, element: Element) -> bool:
        """Return whether children of the flow itself perform an activity: many of them at the same time."""
        parallel = element.loop is not None and element.loop.parallel
        return parallel and element.tag != "callActivity"

    def main(self, element: Element) -> str:
        """Return the node at which the token of an activity waits until it has been performed."""
        name = self.names[element.id]
        return f"{name}__all" if self.is_apart(element) else name

    def type_of(self, name: str) -> str:
        """Return the type of an attribute that the process declares; empty for none."""
        found = (each.options for each in self.process.data if each.options["name"] == name)
        return next((str(options.get("type", "text")) for options in found), "")

    @property
    def types(self) -> dict[str, str]:
        """Return the types of the attributes that the process declares, and of those that are added."""
        given = [*(each.options for each in self.process.data), *self.extra.values()]
        return {str(each["name"]): str(each.get("type", "text")) for each in given}

    def sql(self, expression: Expression, element: str) -> str:
        try:
            return sql(expression, self.process.language, element, self.types)
        except NotUnderstood as error:
            if error.problem not in self.problems:
                self.problems.append(error.problem)
            return "true"

    def place(self, path: tuple[str | int, ...]) -> tuple[int, int]:
        """Return line and column of what a path of the graph is made of."""
        found: Any = None
        if path[:1] == ("attributes",) and len(path) > 1 and int(path[1]) < len(self.process.data):
            found = self.process.data[int(path[1])]
        elif path:
            found = self.process.elements.get(str(path[0])) or self.process.flows.get(str(path[0]))
        found = found or self.process
        return found.line, found.column

    def graph_nodes(self) -> dict[str, Node]:
        """Return the nodes of the graph with their edges."""
        inward: dict[str, list[str]] = {name: [] for name in self.nodes}
        outward: dict[str, list[str]] = {name: [] for name in self.nodes}
        for edge in self.edges.values():
            inward.setdefault(edge.target, []).append(edge.name)
            outward.setdefault(edge.source, []).append(edge.name)
        return {name: self.node(name, tuple(inward[name]), tuple(outward[name])) for name in self.nodes}

    def node(self, name: str, inward: tuple[str, ...], outward: tuple[str, ...]) -> Node:
        made = self.nodes[name]
        return Node(
            name, made.kind, inward, outward, made.within, made.need, (made.origin,), made.all_options,
            made.rule, made.title,
        )  # fmt: skip

    def options(self, element: Element) -> dict[str, Any]:
        """Return the options of the rule of an element, with its name for people and its role."""
        self.heeded.add(element.id)
        try:
            known = ("transition", "flow") if element.tag == "callActivity" else ("transition",)
            found = options.converted(element.options, OPTIONS, known)
        except ValueError as error:
            self.note("bad_option", str(error), element)
            found = {}
        found.pop("role", None)  # part of what the process says about the element
        role = self.process.role(element.id)
        shown = {"label": element.name, "description": element.description, "role": role}
        return {key: value for key, value in shown.items() if value} | found

    def compensation(self, element: Element) -> dict[str, Any]:
        """Return the options of what undoes an activity."""
        events = [e for e in self.process.boundary(element.id) if e.trigger.kind == "compensate"]
        for event in events:
            linked = self.undoing(event)
            if len(linked) != 1 or not self.process.elements[linked[0]].compensates:
                self.note("unknown_reference", "The event is connected with no activity that undoes.", event)
                continue
            undoing = self.chosen[linked[0]] or self.names[linked[0]]
            return {"compensation": "transition", "compensated_by": undoing, "class": "compensatable"}
        return {}

    def undoing(self, event: Element) -> list[str]:
        """Return the activities that an event for compensation is connected with."""
        links = self.process.links
        return [target for source, target in links if source == event.id and target in self.process.elements]


def _chosen(element: Element) -> str:
    """Return the name of the transition that the file chooses; several tasks may have one type of job."""
    return element.options.get("transition") or (slug(element.job_type) if element.job_type else "")


def takes_tokens(element: Element, process: Process) -> bool:
    """Return whether an event removes tokens before tasks that are being performed."""
    if element.tag == "endEvent":
        return element.trigger.kind in ("terminate", "error")
    if element.tag == "subProcess":
        return element.by_event
    return element.tag == "boundaryEvent" and process.elements[element.attached].tag == "subProcess"


def joined(*parts: str) -> str:
    """Return assignments or conditions of a SET string as one."""
    return ", ".join(filter(None, parts))


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
