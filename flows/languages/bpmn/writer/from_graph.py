"""A graph as a process, whose diagram can be drawn."""

from __future__ import annotations

from collections.abc import Mapping

from flows.languages.bpmn.model import Element, Flow, Process
from flows.languages.graph.model import Graph, Node

TAGS: Mapping[str, str] = {
    "begin": "startEvent",
    "end": "endEvent",
    "task": "task",
    "none": "intermediateThrowEvent",
    "exclusive": "exclusiveGateway",
    "parallel": "parallelGateway",
    "inclusive": "inclusiveGateway",
    "complex": "complexGateway",
    "event": "eventBasedGateway",
    "subprocess": "subProcess",
}


def tag_of(node: Node) -> str:
    """Return the element that a node is in BPMN."""
    return "userTask" if node.performer == "person" else TAGS[node.kind]


def as_process(graph: Graph) -> Process:
    """Return a process with the nodes and edges of a graph by their names, and without a layout."""
    elements = {
        node.name: Element(
            node.name, tag_of(node), str(node.options.get("label") or node.name), scope=node.within
        )
        for node in graph.nodes.values()
    }
    flows = {  # an edge and a node may have the same name, but no name has a space
        edge.name: Flow(f"edge {edge.name}", edge.source, edge.target, edge.condition or "")
        for edge in graph.edges.values()
    }
    drawn = {element.id: (element.tag, element.name) for element in elements.values()}
    drawn |= {flow.id: ("sequenceFlow", flow.name) for flow in flows.values()}
    return Process(graph.name, graph.name, elements, flows, drawn=drawn)
