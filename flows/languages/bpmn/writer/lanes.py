"""Writing the roles of tasks as lanes, without a layout."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from xml.sax.saxutils import quoteattr

from flows.languages.graph.model import Node


def _role(node: Node) -> str:
    """Return the role of a task, which is a lane in BPMN; empty for none, and for what no worker performs."""
    return str(node.options.get("role") or "") if node.kind == "task" else ""


def lane_set(nodes: Iterable[Node], id_of: Callable[[str], str], scope: str = "") -> Iterator[str]:
    """Return a lane for each role of the nodes; no id of a node has a dot."""
    roles: dict[str, list[str]] = {}
    for node in nodes:
        if _role(node):
            roles.setdefault(_role(node), []).append(id_of(node.name))
    if not roles:
        return
    yield f'<laneSet id="lanes.{scope}">'
    for number, (role, ids) in enumerate(roles.items(), 1):
        yield f'  <lane id="lane.{scope}.{number}" name={quoteattr(role)}>'
        yield from (f"    <flowNodeRef>{id_}</flowNodeRef>" for id_ in ids)
        yield "  </lane>"
    yield "</laneSet>"
