"""The parts of a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Path = tuple[str | int, ...]
Places = Callable[[Path], tuple[int, int]]
"""Returns line and column of a part of the text, (0, 0) where they are unknown."""

GATEWAYS = ("none", "exclusive", "parallel", "inclusive", "complex", "event")
KINDS = ("task", "begin", "end", "subprocess", *GATEWAYS)
CHOOSING = ("exclusive", "inclusive", "complex", "event")
"""Kinds whose nodes choose among their outgoing edges; all others take all of them."""


@dataclass(frozen=True)
class Edge:
    """An edge from one node to another; its condition decides where the source chooses."""

    name: str
    source: str
    target: str
    condition: str | None = None
    default: bool = False
    path: Path = ()
    title: str = field(default="", compare=False)


@dataclass(frozen=True)
class Rule:
    """What another language adds to the rule of a node.

    `options` are set whatever the node's options are; `when` is a further condition, and `sets` a further
    assignment. The node also removes all tokens of the sub-process `ends`, where "" is the whole graph; then
    the edges `starts` get a token each. With `during` it fires without a token: while that sub-process is
    entered, that other node has a token before it, or, for "", while the graph has tokens. The edges of a
    node of type begin that is `later` do not belong to the start; something else gives them tokens. `raises`
    are nodes whose attribute `flag` is set to the number of tokens that wait there for them.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    when: str = ""
    sets: str = ""
    ends: str | None = None
    starts: tuple[str, ...] = ()
    during: str | None = None
    later: bool = False
    raises: tuple[str, ...] = ()
    flag: str = ""


@dataclass(frozen=True)
class Node:
    """A node with its incoming and outgoing edges in the order of the text.

    `within` is the sub-process that contains it; `need` is what activates a complex gateway: a number of
    incoming edges, or their names; `options` those of the rule of a task. `title` is its name for people.
    """

    name: str
    kind: str
    inward: tuple[str, ...] = ()
    outward: tuple[str, ...] = ()
    within: str | None = None
    need: int | tuple[str, ...] | None = None
    path: Path = ()
    options: Mapping[str, Any] = field(default_factory=dict, compare=False)
    rule: Rule = field(default=Rule(), compare=False)
    title: str = field(default="", compare=False)

    @property
    def shown(self) -> str:
        """Return the title of the node."""
        return str(self.options.get("label") or self.title or self.name)

    @property
    def performer(self) -> str:
        """Return who performs the node: a person, a worker, or the database."""
        return str(self.options.get("performer") or "worker") if self.kind == "task" else "database"

    @property
    def apart(self) -> bool:
        """Return whether its outgoing edges can have tokens although no token arrived at it."""
        return self.rule.later or (self.rule.during is not None and bool(self.outward))


def is_choosing(node: Node, edges: Sequence[Edge]) -> bool:
    """Return whether conditions decide which outgoing edges of a node are taken; also of a single one."""
    decides = node.kind in ("exclusive", "inclusive", "complex")
    return decides and (len(edges) > 1 or any(edge.condition is not None for edge in edges))


def may_stay(node: Node, edges: Sequence[Edge]) -> bool:
    """Return whether a token may stay at a node because no condition of its outgoing edges holds.

    At a complex gateway that joins, a token also waits for others, so that it is none of them.
    """
    joins = node.kind == "complex" and len(node.inward) > 1
    always = any(edge.default or edge.condition is None for edge in edges)
    return is_choosing(node, edges) and not joins and not always


@dataclass(frozen=True)
class Graph:
    """A graph: its nodes and edges by name, and the edges that a new instance starts with.

    `attributes` are those of the data, as a definition has them.
    """

    name: str
    nodes: Mapping[str, Node]
    edges: Mapping[str, Edge]
    start: tuple[str, ...]
    attributes: tuple[Mapping[str, Any], ...] = ()
    places: Places = field(default=lambda _path: (0, 0), repr=False, compare=False)

    def target(self, edge: str) -> Node:
        """Return the node that an edge leads to."""
        return self.nodes[self.edges[edge].target]

    def scope(self, edge: str) -> str | None:
        """Return the sub-process that contains an edge; None for none."""
        return self.target(edge).within

    def entry(self, subprocess: str) -> tuple[str, ...]:
        """Return the edges that a sub-process starts with."""
        return tuple(
            edge
            for node in self.nodes.values()
            if node.within == subprocess and node.kind == "begin" and not node.rule.later
            for edge in node.outward
        )

    def is_in(self, scope: str | None, subprocess: str) -> bool:
        """Return whether a scope is that of a sub-process or within it; "" is the whole graph."""
        return subprocess in ("", scope) or (scope is not None and subprocess in self.around(scope))

    def around(self, node: str) -> Iterator[str]:
        """Return the sub-processes that contain a node, the innermost first."""
        outer = self.nodes[node].within
        while outer is not None:
            yield outer
            outer = self.nodes[outer].within
