"""The picture of a flow as the text of a Mermaid flowchart."""

from __future__ import annotations

from collections.abc import Callable

from flows.queries.graph import Edge, Graph, Node

_SHAPES = {"start": ("([", "])"), "final": ("([", "])"), "exception": ("{{", "}}"), "other": ("[/", "/]")}


def text(drawn: Graph, name: Callable[[Node], str]) -> str:
    """Return the flowchart; `name` gives the text of a node. Dotted edges are declared and never happened."""
    numbers = {node.id: f"n{i}" for i, node in enumerate(drawn.nodes)}
    lines = ["flowchart LR"]
    for node in drawn.nodes:
        left, right = _SHAPES.get(node.kind, ("[", "]"))
        lines.append(f'  {numbers[node.id]}{left}"{_escape(name(node))}"{right}')
    lines += [f"  {numbers[e.source]} {_arrow(e)} {numbers[e.target]}" for e in drawn.edges]
    return "\n".join(lines) + "\n"


def _arrow(edge: Edge) -> str:
    label = f"{edge.count}" if edge.count else _escape(", ".join(edge.attributes))
    return f'-->|"{label}"|' if edge.count else f'-.->|"{label}"|'


def _escape(label: str) -> str:
    """Return the label with the characters that end a quoted text or begin markup as entities."""
    flat = " ".join(label.split())
    return "".join(f"#{ord(c)};" if c in '#"<>`' else c for c in flat)
