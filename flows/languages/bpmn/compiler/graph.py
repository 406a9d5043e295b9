"""A process of BPMN as a graph, whose compiler makes the flow.

An activity becomes a task with a gateway before it where boundary events can take its token, and one after it
where errors or conditions choose the way on. A sub-process that is interrupted loses its tokens, and a
number says which of its boundary events did it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from flows.languages.bpmn.additions.completion import completed
from flows.languages.bpmn.additions.envelopes import wrapped
from flows.languages.bpmn.compiler.activities import ERROR, Activities
from flows.languages.bpmn.compiler.events import ENDED_BY
from flows.languages.bpmn.compiler.graph_parts import WAITING, Made
from flows.languages.bpmn.compiler.unused_options import unread
from flows.languages.bpmn.model import ACTIVITIES, CHOOSING, GATEWAYS, Element, Expression, Flow, Process
from flows.languages.bpmn.problems import BadBpmn, BpmnProblem
from flows.languages.bpmn.titles import shortened
from flows.languages.graph.model import Graph, Rule

_NEED = re.compile(r"(?:\w+\s*>=\s*)?(\d{1,3})")


@dataclass(frozen=True)
class Lowered:
    """The graph of a process, whose paths are the ids of elements and flows, and other parts of its flow.

    `starts` are the options of the flow that name what starts an instance. `integrity` are conditions that
    always have to hold, `final` one that the final condition has besides. `problems` are those of
    expressions, for which the graph has others, and warnings. `process` has what the drawing leaves out.
    """

    graph: Graph
    process: Process
    starts: Mapping[str, list[str]]
    integrity: tuple[Mapping[str, str], ...] = ()
    final: str = ""
    problems: tuple[BpmnProblem, ...] = ()


class _Lowering(Activities):
    def lowered(self) -> Lowered:
        for element in self.process.elements.values():
            self.element(element)
        for flow in self.process.flows.values():
            self.flow(flow)
        wrong = {each.element for each in self.problems if each.code != "bad_expression"}
        for element, reason in unread(self):
            if self.origin(element.id) in wrong:
                continue  # what the element becomes is not complete
            self.note("bad_option", reason, element)
        if any(problem.code != "bad_expression" for problem in self.problems):
            raise BadBpmn(self.problems, self.process)
        self.share_transitions()
        self.share_signals()
        self.part_rounds()
        begins = {name for name, node in self.nodes.items() if self.begins(node)}
        start = tuple(edge.name for edge in self.edges.values() if edge.source in begins)
        self.set_first_values(start)
        attributes = (*(each.options for each in self.process.data), *self.extra.values())
        nodes = self.graph_nodes()
        graph = Graph(self.process.id, nodes, self.edges, start, attributes, self.place)
        final = f"{ENDED_BY} is null" if ENDED_BY in self.extra else ""
        starts = {"start_by": self.start_by, "start_at": self.start_at}
        starts = {name: what for name, what in starts.items() if what}
        return Lowered(
            graph, self.process, starts, self.conditions(), final, (*self.problems, *self.warnings)
        )

    def part_rounds(self) -> None:
        """Let what leads back to itself, or the wait that it ended, take its token away before it waits.

        Else the token would stay where it is: jobs would go on, and timers would not begin again.
        """
        follow = {(edge.source, edge.target) for edge in self.edges.values()}
        for edge in [*self.edges.values()]:
            waits = self.nodes[edge.target].kind == "event" and (edge.target, edge.source) in follow
            if waits or edge.source == edge.target:
                of, again = self.nodes[edge.source], f"{edge.name}__again"
                self.nodes[again] = Made("none", of.origin, of.within, title=f"{of.title}: again")
                self.edges[f"{edge.name}__to"] = replace(edge, name=f"{edge.name}__to", target=again)
                self.edges[edge.name] = replace(edge, source=again, condition=None, default=False)

    def share_transitions(self) -> None:
        """Let jobs of several tasks with one transition be performed in parallel."""
        named = {
            name: node.rule.options.get("transition", name)
            for name, node in self.nodes.items()
            if node.kind == "task" and node.rule.options.get("performer", "worker") == "worker"
        }
        tasks = Counter(named.values())
        for name, transition in named.items():
            if tasks[transition] > 1:
                self.nodes[name].options = {"concurrent": True, **self.nodes[name].options}

    def begins(self, node: Made) -> bool:
        return node.kind == "begin" and node.within is None and not node.rule.later

    def conditions(self) -> tuple[Mapping[str, str], ...]:
        """Return the conditions that every state must satisfy, that on errors included."""
        if self.caught:
            ended = " or ".join(f"{token} > 0" for token in self.caught)
            said = shortened(f"only these end with an error: {', '.join(self.caught.values())}")
            self.require("errors that are caught", said, f"{ERROR} is null or {ended}")
        return tuple(self.required.values())

    def element(self, element: Element) -> None:
        """Add the nodes of an element."""
        name = self.names[element.id]
        if element.compensates:
            self.check_undoing(element)
        elif element.tag == "startEvent":
            self.start(name, element)
        elif element.tag == "endEvent":
            self.end(name, element)
        elif element.tag in GATEWAYS:
            self.gateway(name, element)
        elif element.tag == "subProcess":
            self.subprocess(name, element)
        elif element.tag in ACTIVITIES:
            self.activity(name, element)
        elif element.tag == "boundaryEvent":
            self.boundary(name, element)
        else:
            self.intermediate(name, element)

    def flow(self, flow: Flow) -> None:
        source, target = self.process.elements[flow.source], self.process.elements[flow.target]
        if flow.source not in self.exit or flow.target not in self.entry:
            if not self.problems:
                wrong = source if flow.source not in self.exit else target
                self.note("unsupported", f"An element {wrong.tag} has no such sequence flow.", wrong)
            return
        several = len(self.process.leaving(flow.source)) > 1
        decisive = self.decisive(source, flow)
        condition = self.sql(decisive, flow.id) if decisive is not None else None
        default = source.default == flow.id and several
        if source.tag == "eventBasedGateway" and not _is_awaited(target):
            self.note("no_event", "An event-based gateway leads to events and receive tasks only.", target)
        self.link(
            self.names[flow.id], self.exit[flow.source], self.entry[flow.target], flow.id, condition,
            default=default,
        )  # fmt: skip
        if flow.name:
            self.name_edge(flow)

    def decisive(self, source: Element, flow: Flow) -> Expression | None:
        """Return the condition of a flow; warn of one that has no effect, as BPMN says."""
        if flow.condition is None or source.tag in CHOOSING:
            return flow.condition
        message = (
            f"The condition of the flow has no effect: {source.tag} “{self.titles[source.id]}” does not "
            "choose. Flows of activities and of exclusive, inclusive and complex gateways have conditions."
        )
        self.warnings.append(BpmnProblem("not_used", message, flow.line, flow.column, "warning", flow.id))
        return None

    def name_edge(self, flow: Flow) -> None:
        """Name an edge as the diagram does, between the names of its ends."""
        edge = self.edges[self.names[flow.id]]
        ends = " → ".join(self.nodes[end].title for end in (edge.source, edge.target))
        self.edges[edge.name] = replace(edge, title=f"{ends} ({shortened(flow.name)})")

    def gateway(self, name: str, element: Element) -> None:
        kind, need = GATEWAYS[element.tag], None
        if kind == "complex" and element.expression is not None:
            number = _NEED.fullmatch(element.expression.text.lstrip("=").strip("${} "))
            need = int(number[1]) if number is not None else 0
            if not 1 <= need <= len(self.process.entering(element.id)):
                message = "The activation of the gateway is not a number of its incoming flows."
                self.note("bad_need", message, element)
        options = self.options(element) if kind != "event" else {}
        rule = Rule(sets=f"{element.resets} = null") if element.resets else Rule()
        self.add(name, kind, element, need=need, options=options, rule=rule)
        self.entry[element.id] = self.exit[element.id] = name


def _is_awaited(element: Element) -> bool:
    return element.tag == "receiveTask" or (
        element.tag == "intermediateCatchEvent" and element.trigger.kind in WAITING
    )


def lower(process: Process, flow: str = "") -> Lowered:
    """Return the graph of a process that becomes a flow. Raises BadBpmn with the problems that prevent it."""
    sketch = completed(process)
    made, parts = wrapped(sketch.process)
    made_of = {**sketch.parts, **{part: sketch.parts.get(of, of) for part, of in parts.items()}}
    try:
        lowered = _Lowering(made, flow, made_of).lowered()
    except BadBpmn as error:
        raise BadBpmn([*error.problems, *sketch.problems], process) from error
    return replace(lowered, problems=(*lowered.problems, *sketch.problems))
