"""The picture of a flow as the text of a Mermaid flowchart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

from flows.queries.graph import Edge, Graph, Node
from flows.queries.rule_groups import RuleGroup

_SHAPES = {"start": ("([", "])"), "final": ("([", "])"), "exception": ("{{", "}}"), "other": ("[/", "/]")}
# Mermaid rejects a text with more, and a text cannot raise this limit.
MOST_EDGES = 500


def text(drawn: Graph, name: Callable[[Node], str], groups: Sequence[RuleGroup] = ()) -> str:
    """Return the flowchart; `name` gives the text of a node. Dotted edges are declared and never happened.

    Groups become subgraphs. The edges that happened come first, the most frequent ones before others.
    """
    numbers = {node.id: f"n{i}" for i, node in enumerate(drawn.nodes)}
    lines = ["flowchart LR", *_nodes(drawn, numbers, name, groups)]
    often = sorted(drawn.observed, key=lambda edge: -edge.count) if groups else drawn.observed
    never = (edge for node in drawn.nodes for edge in drawn.never(node.id))
    edges = [*often, *islice(never, max(0, MOST_EDGES + 1 - len(often)))]
    if len(edges) > MOST_EDGES:
        lines.append(f"  %% Further edges are left out: Mermaid draws at most {MOST_EDGES}.")
    lines += [f"  {numbers[e.source]} {_arrow(e)} {numbers[e.target]}" for e in edges[:MOST_EDGES]]
    return "\n".join(lines) + "\n"


def _nodes(
    drawn: Graph, numbers: dict[str, str], name: Callable[[Node], str], groups: Sequence[RuleGroup]
) -> list[str]:
    """Return the lines of the nodes: those of groups in subgraphs, then the others."""
    lines = {node.id: f"{numbers[node.id]}{_shape(node, name)}" for node in drawn.nodes}
    found = []
    for group in groups:
        found.append(f'  subgraph {group.id}["{_escape(group.title)}"]')
        found += [f"    {lines.pop(rule.id)}" for rule in group.rules]
        found.append("  end")
    return found + [f"  {line}" for line in lines.values()]


def _shape(node: Node, name: Callable[[Node], str]) -> str:
    left, right = _SHAPES.get(node.kind, ("[", "]"))
    return f'{left}"{_escape(name(node))}"{right}'


def _arrow(edge: Edge) -> str:
    label = f"{edge.count}" if edge.count else _escape(", ".join(edge.attributes))
    return f'-->|"{label}"|' if edge.count else f'-.->|"{label}"|'


def _escape(label: str) -> str:
    """Return the label with the characters that end a quoted text or begin markup as entities."""
    flat = " ".join(label.split())
    return "".join(f"#{ord(c)};" if c in '#"<>`' else c for c in flat)
