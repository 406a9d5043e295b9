"""The names of the attributes and transitions that a graph becomes, and their conditions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flows.languages.graph.model import Node


def counter(name: str, first: int, label: str) -> dict[str, Any]:
    """Return the attribute of a counter."""
    return {"name": name, "type": "integer", "default": str(first), "label": label}


def token(edge: str) -> str:
    """Return the counter of the tokens that arrived by an edge."""
    return f"t_{edge.lower()}"


def absorbed(edge: str) -> str:
    """Return the counter of the tokens of an edge that a complex gateway has consumed."""
    return f"w_{edge.lower()}"


def state(node: Node) -> str:
    """Return the counter that says whether a node is entered or activated."""
    return f"a_{node.name.lower()}"


def count(scope: str | None) -> str:
    """Return the counter of all tokens of a sub-process, of the whole graph for None."""
    return "tokens" if scope is None else f"n_{scope.lower()}"


def transition(name: str) -> str:
    """Return the name of the transition of a node."""
    name = name.lower()
    return name if name[0].isalpha() else f"n_{name}"


def holds(condition: str | None) -> str:
    """Return the condition of an edge, which does not hold where it is unknown."""
    return "true" if condition is None else f"coalesce(({condition}), false)"


def any_of(conditions: Iterable[str]) -> str:
    """Return the condition that one of several holds."""
    found = [*conditions]
    return found[0] if len(found) == 1 else f"({' or '.join(found)})"
