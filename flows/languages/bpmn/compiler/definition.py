"""A process of BPMN as the definition of a flow, with the map from its parts to the elements of the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from flows.languages.bpmn.compiler.graph import Lowered, lower
from flows.languages.bpmn.compiler.soundness import tolerated
from flows.languages.bpmn.model import Process
from flows.languages.bpmn.problems import BadBpmn, BpmnProblem
from flows.languages.bpmn_words import in_bpmn_words
from flows.languages.graph import BadGraph, Compiled, Graph, Problem, check, compile_graph
from flows.languages.graph.model import Node, may_stay
from flows.languages.graph.positions import positions


@dataclass(frozen=True)
class CompiledProcess:
    """A process, the graph that it becomes, the definition of its flow, and what to look at again."""

    process: Process
    graph: Graph
    compiled: Compiled
    warnings: tuple[BpmnProblem, ...]

    @property
    def source_map(self) -> Mapping[str, Mapping[str, str]]:
        """Return the flows of attributes with tokens, and elements of transitions and rules, by their ids."""
        found = self.compiled.source_map
        edges, nodes = self.graph.edges, self.graph.nodes
        return {
            "attributes": {name: str(edges[edge].path[0]) for name, edge in found["attributes"].items()},
            **{
                part: {name: str(nodes[node].path[0]) for name, node in found[part].items()}
                for part in ("transitions", "rules")
            },
        }

    @property
    def internal(self) -> list[str]:
        """Return the attributes that only the database writes: tokens, numbers, times and lists."""
        public = {each.options["name"] for each in self.process.data if not each.internal}
        elements = self.process.elements.values()
        public |= {each.loop.item for each in elements if each.loop is not None}
        public |= {each.choice.attribute for each in elements if each.choice is not None and not each.person}
        made = (each for each in self.compiled.definition["attributes"] if each["name"] not in public)
        return [each["name"] for each in made if each["type"] != "text"]

    @property
    def positions(self) -> Mapping[str, Any]:
        """Return where tokens are, and how an element gets one."""
        edges = [name for name, edge in self.graph.edges.items() if edge.path[0] in self.process.flows]
        return positions(self.graph, self.compiled.source_map["attributes"], edges, self._parts)

    def _parts(self, node: Node) -> list[str]:
        """Return the ids of the element that a node is made of, and of those around it, which come first."""
        element = self.process.elements.get(str(node.path[0]))
        around = self.process.around(element.scope) if element is not None else []
        return [*reversed(around), str(node.path[0])]

    @property
    def choosing(self) -> dict[str, str]:
        """Return the elements at which no way on may be open, by the attributes with the tokens there.

        They are gateways, and activities that have been performed and whose flows have conditions.
        """
        edges = self.graph.edges
        found = {}
        for name, edge in self.compiled.source_map["attributes"].items():
            node = self.graph.nodes.get(edges[edge].target) if edge in edges else None
            if node is not None and may_stay(node, [edges[each] for each in node.outward]):
                element = self.process.elements.get(str(node.path[0]))
                found[name] = element.name or element.id if element is not None else node.name
        return found


def compile_process(process: Process, flow: str = "") -> CompiledProcess:
    """Return the flow of a process, whose name is by default that of the process.

    Raises BadBpmn with all problems, also in the order of steps.
    """
    lowered = lower(process, flow)
    process = lowered.process
    problems = tolerated(process, lowered.graph, check(lowered.graph))
    found = [*lowered.problems, *located(process, lowered.graph, problems)]
    if any(problem.severity == "error" for problem in found):
        raise BadBpmn(found, process)
    try:
        compiled = _completed(compile_graph(lowered.graph), process, lowered)
    except BadGraph as error:
        raise BadBpmn(located(process, lowered.graph, error.problems), process) from error
    return CompiledProcess(process, lowered.graph, compiled, tuple(found))


def _completed(compiled: Compiled, process: Process, lowered: Lowered) -> Compiled:
    """Return the definition with what is said about the flow itself."""
    definition: dict[str, Any] = {**compiled.definition, **lowered.starts}
    if process.name:
        definition["label"] = process.name
    triggers = compiled.triggers
    if lowered.final:
        definition["triggers"] = [_also(trigger, lowered.final) for trigger in definition["triggers"]]
    if lowered.integrity:
        definition["triggers"] = [*definition["triggers"], *map(dict, lowered.integrity)]
        triggers = (*triggers, *(None for _each in lowered.integrity))
    return replace(compiled, definition=definition, triggers=triggers)


def _also(trigger: Mapping[str, Any], condition: str) -> Mapping[str, Any]:
    """Return a trigger; the final one with a further condition."""
    return (
        {**trigger, "predicate": f"{trigger['predicate']} and {condition}"}
        if trigger.get("final")
        else trigger
    )


def located(process: Process, graph: Graph, problems: Iterable[Problem]) -> list[BpmnProblem]:
    """Return problems of the graph as problems of the elements that it is made of."""
    ids = {(each.line, each.column): each.id for each in process.data}
    ids |= {(each.line, each.column): each.id for each in process.flows.values()}
    ids |= {(each.line, each.column): each.id for each in reversed([*process.elements.values()])}
    found = []
    for each in problems:
        message = in_bpmn_words(each.message)
        for name in {*graph.nodes, *graph.edges}:
            if f"“{name}”" in message:
                part = graph.nodes.get(name) or graph.edges[name]
                message = message.replace(f"“{name}”", f"“{part.path[0]}”")
        element = ids.get((each.line, each.column), "")
        found.append(BpmnProblem(each.code, message, each.line, each.column, each.severity, element))
    return found
