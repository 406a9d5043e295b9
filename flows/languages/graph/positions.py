"""Where tokens of a graph are, so that another version of it finds a place for each.

A place is a node, or what it is made of, in the sub-processes around it. Children of a flow itself, which
perform a task many times at once, have places of their own: their tokens are none of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from flows.languages.graph.counters import count, state, token
from flows.languages.graph.model import Graph, Node

_JOINS = ("parallel", "inclusive", "complex")


def positions(
    graph: Graph,
    attributes: Mapping[str, str],
    edges: Iterable[str],
    parts: Callable[[Node], Iterable[str]] | None = None,
) -> Mapping[str, Any]:
    """Return the places of a graph by attribute, and how each is entered.

    attributes: the edges of the attributes with tokens; edges: those that lead from one place to another;
    parts: what names the place of a node, from outside inwards. `tokens` are the places at which these wait,
    `entered` those of sub-processes by the attributes that say so, `counted` by the numbers of their tokens;
    `entries` has, by place, the attribute of an edge that leads there.
    """
    apart, named = _apart(graph), parts or (lambda node: _parts(graph, node))
    places = {name: "/".join([*apart.get(name, ()), *named(node)]) for name, node in graph.nodes.items()}
    inside = [node for node in graph.nodes.values() if node.kind == "subprocess"]
    entries: dict[str, str] = {}
    begun = [name for name, edge in graph.edges.items() if graph.nodes[edge.source].kind == "begin"]
    for edge in (*edges, *begun):
        node = graph.target(edge)
        if token(edge) in attributes and (node.kind not in _JOINS or len(node.inward) == 1):
            entries.setdefault(places[node.name], token(edge))
    return {
        "tokens": {name: places[graph.edges[edge].target] for name, edge in attributes.items()},
        "entered": {state(node): places[node.name] for node in inside},
        "counted": {count(node.name): places[node.name] for node in inside},
        "entries": entries,
    }


def _parts(graph: Graph, node: Node) -> list[str]:
    return [*reversed([*graph.around(node.name)]), node.name]


def _apart(graph: Graph) -> Mapping[str, tuple[str]]:
    """Return the nodes that children of the flow itself perform, with what these begin at."""
    found: dict[str, tuple[str]] = {}
    for begin in graph.nodes.values():
        if begin.kind == "begin" and begin.within is None and begin.rule.later:
            todo = [begin.name]
            while todo:
                node = graph.nodes[todo.pop()]
                if node.name not in found:
                    found[node.name] = (f"{begin.name}*",)
                    todo += [graph.edges[edge].target for edge in node.outward]
                    todo += [each.name for each in graph.nodes.values() if each.within == node.name]
    return found
