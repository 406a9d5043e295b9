"""Writing a graph as BPMN 2.0, which becomes the same flow when it is read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from flows.definition import ATTRIBUTE, TRIGGER
from flows.definition.options import Options
from flows.languages.bpmn.diagram.arrangement import arranged
from flows.languages.bpmn.document.options import texts
from flows.languages.bpmn.document.vocabulary import BOUNDS, DIAGRAM, LINES, MODEL, OWN, SCHEMA
from flows.languages.bpmn.model import Plane
from flows.languages.bpmn.problems import BadBpmn, BpmnProblem
from flows.languages.bpmn.reader.process import read
from flows.languages.bpmn.writer.from_graph import tag_of
from flows.languages.bpmn.writer.lanes import lane_set
from flows.languages.graph.model import Edge, Graph, Node

_NAME = re.compile(r"[A-Za-z_]")


def write(graph: Graph, name: str) -> str:
    """Return a graph as a file with a layout. Raises BadBpmn for what BPMN cannot say."""
    problems = [*_problems(graph)]
    if problems:
        raise BadBpmn(problems)
    ids = Ids.of(graph, f"Process_{name}")
    process = f'  <process id="Process_{name}" name={quoteattr(graph.name)} isExecutable="true">\n'
    body = "".join(f"    {line}\n" for line in (*_attributes(graph), *_scope(graph, ids, None)))
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<definitions xmlns="{MODEL}" xmlns:bpmndi="{DIAGRAM}" xmlns:dc="{BOUNDS}" xmlns:di="{LINES}"\n'
        f'             xmlns:xsi="{SCHEMA}" xmlns:wedsql="{OWN}" targetNamespace="{OWN}">\n'
    )
    text = f"{head}{process}{body}  </process>\n"
    plane = arranged(read(f"{text}</definitions>".encode())[0])
    return text + "".join(f"  {line}\n" for line in _diagram(plane)) + "</definitions>\n"


def _problems(graph: Graph) -> Iterator[BpmnProblem]:
    for node in graph.nodes.values():
        if node.kind == "event":
            message = f"Node “{node.name}” waits for tasks of workers; in BPMN such a gateway awaits events."
            yield BpmnProblem("unsupported", message)
        if isinstance(node.need, tuple):
            message = f"Node “{node.name}” needs certain edges; in BPMN it needs a number of them."
            yield BpmnProblem("unsupported", message)


def _attributes(graph: Graph) -> Iterator[str]:
    if graph.attributes:
        yield "<extensionElements>"
        for attribute in graph.attributes:
            yield f"  <wedsql:attribute{_options(attribute, ATTRIBUTE)}/>"
        yield "</extensionElements>"


def _options(options: Mapping[str, Any], known: Options, prefix: str = "") -> str:
    found = texts(options, known)
    return "".join(f" {prefix}{name}={quoteattr(value)}" for name, value in found.items())


def _scope(graph: Graph, ids: Ids, scope: str | None) -> Iterator[str]:
    """Return the nodes of a sub-process, or of the graph itself, and their edges.

    A graph can begin at several nodes, a process in BPMN only at one.
    """
    nodes = [node for node in graph.nodes.values() if node.within == scope]
    begins = [node.name for node in nodes if node.kind == "begin"]
    yield from lane_set(nodes, ids.nodes.__getitem__, scope or "")
    edges = [*_edges(graph, scope, begins)]
    references = _references(ids, edges)
    for node in nodes:
        if node.name not in begins[1:]:
            yield from _node(graph, ids, node, [*references[node.name], *_inner(graph, ids, node)])
    for edge in edges:
        between = f'sourceRef="{ids.nodes[edge.source]}" targetRef="{ids.nodes[edge.target]}"'
        ends = f'id="{ids.edges[edge.name]}" {between}'
        if edge.condition is None:
            yield f"<sequenceFlow {ends}/>"
        else:
            opened = '<conditionExpression xsi:type="tFormalExpression" language="sql">'
            condition = f"{opened}{escape(edge.condition)}</conditionExpression>"
            yield f"<sequenceFlow {ends}>{condition}</sequenceFlow>"


def _edges(graph: Graph, scope: str | None, begins: list[str]) -> Iterator[Edge]:
    """Return the edges of a scope; those of its several beginnings that start it leave the first of them."""
    first = {*(graph.entry(scope) if scope is not None else graph.start)}
    for edge in graph.edges.values():
        if graph.scope(edge.name) != scope or (edge.source in begins and edge.name not in first):
            continue
        yield replace(edge, source=begins[0]) if edge.source in begins else edge


def _references(ids: Ids, edges: Iterable[Edge]) -> dict[str, list[str]]:
    """Return the sequence flows of each node; some readers, as bpmn-auto-layout, know them only so."""
    found: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        found[edge.target].append(f"<incoming>{ids.edges[edge.name]}</incoming>")
    for edge in edges:
        found[edge.source].append(f"<outgoing>{ids.edges[edge.name]}</outgoing>")
    return found


def _node(graph: Graph, ids: Ids, node: Node, inner: list[str]) -> Iterator[str]:
    tag = tag_of(node)
    default = next((edge for edge in node.outward if graph.edges[edge].default), None)
    options = {key: value for key, value in node.options.items() if key not in ("label", "role", "performer")}
    named = f" name={quoteattr(str(node.options['label']))}" if node.options.get("label") else ""
    given = _options(options | {"transition": _transition(node.name)}, TRIGGER, "wedsql:")
    chosen = f' default="{ids.edges[default]}"' if default is not None else ""
    start = f'<{tag} id="{ids.nodes[node.name]}"{named}{chosen}{given}'
    if not inner:
        yield f"{start}/>"
        return
    yield f"{start}>"
    yield from (f"  {line}" for line in inner)
    yield f"</{tag}>"


def _inner(graph: Graph, ids: Ids, node: Node) -> list[str]:
    if node.kind == "subprocess":
        return [*_scope(graph, ids, node.name)]
    if node.need is not None:
        return [f"<activationCondition>{node.need}</activationCondition>"]
    return []


def _transition(name: str) -> str:
    return name.lower() if name[0].isalpha() else f"n_{name.lower()}"


@dataclass(frozen=True)
class Ids:
    """The ids of nodes and edges: their names as far as these are ids of XML, and no two parts have the same.

    Other ids of the file have a dot, which no name has.
    """

    nodes: Mapping[str, str]
    edges: Mapping[str, str]

    @classmethod
    def of(cls, graph: Graph, process: str) -> Ids:
        """Return the ids of the parts of a graph."""
        used = {process}
        nodes = {name: _unused(name, "n", used) for name in graph.nodes}
        return cls(nodes, {name: _unused(name, "flow", used) for name in graph.edges})


def _unused(name: str, first: str, used: set[str]) -> str:
    """Return an id that is not used yet, and note it."""
    found = name if _NAME.match(name) and name not in used else f"{first}_{name}"
    number = 1
    while found in used:
        number += 1
        found = f"{first}_{name}_{number}"
    used.add(found)
    return found


def _diagram(plane: Plane) -> Iterable[str]:
    """Return the layout of a drawing."""
    yield '<bpmndi:BPMNDiagram id="diagram.1">'
    yield f'  <bpmndi:BPMNPlane id="plane.1" bpmnElement="{plane.element}">'
    for shape in plane.shapes:
        bounds = f'x="{shape.x:g}" y="{shape.y:g}" width="{shape.width:g}" height="{shape.height:g}"'
        opened = f'<bpmndi:BPMNShape id="{shape.element}.shape" bpmnElement="{shape.element}">'
        yield f"    {opened}<dc:Bounds {bounds}/></bpmndi:BPMNShape>"
    for line in plane.lines:
        points = "".join(f'<di:waypoint x="{x:g}" y="{y:g}"/>' for x, y in line.points)
        opened = f'<bpmndi:BPMNEdge id="{line.element}.edge" bpmnElement="{line.element}">'
        yield f"    {opened}{points}</bpmndi:BPMNEdge>"
    yield "  </bpmndi:BPMNPlane>"
    yield "</bpmndi:BPMNDiagram>"
