"""What the nodes of a graph do with tokens: when a node fires, what it consumes, and what it may produce.

An edge counts the tokens that arrived at its target and are not consumed, and a join consumes one of each
edge. If it only looked whether its edges are in the history, a join in a loop would fire for each token of
the second round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Literal

from flows.languages.graph.model import CHOOSING, Edge, Graph, Node

MOST_CONDITIONS = 8
"""Conditions of one node of which all combinations are examined; of more, each one alone and all of them."""


@dataclass(frozen=True)
class Firing:
    """One way in which a node can fire: the edges of which it consumes a token each.

    A sub-process fires when it is entered and when it is complete, a complex gateway when it is activated and
    when it is reset.
    """

    node: str
    what: Literal["fire", "enter", "complete", "activate", "reset"]
    consumed: tuple[str, ...] = ()


@dataclass
class State:
    """The tokens of a graph: arrived ones by edge, and those on their way to the target of their edge.

    `active` are the sub-processes that are entered; `activated` the complex gateways that wait for their
    remaining edges, with the edges that they consumed.
    """

    arrived: dict[str, int] = field(default_factory=dict)
    travelling: list[str] = field(default_factory=list)
    active: set[str] = field(default_factory=set)
    activated: dict[str, frozenset[str]] = field(default_factory=dict)

    def arrive(self, edge: str) -> None:
        """Count a token that arrives by an edge."""
        self.arrived[edge] = self.arrived.get(edge, 0) + 1

    def key(self) -> tuple[frozenset[tuple[str, int]], frozenset[str], frozenset[tuple[str, frozenset[str]]]]:
        """Return the key that two equal states have in common, without the tokens on their way."""
        return (
            frozenset(self.arrived.items()),
            frozenset(self.active),
            frozenset(self.activated.items()),
        )


@dataclass(frozen=True)
class Rules:
    """The rules by which the nodes of one graph fire."""

    graph: Graph

    def firings(self, state: State, node: Node) -> Iterator[Firing]:
        """Return every way in which a node can fire now."""
        tokens = [edge for edge in node.inward if state.arrived.get(edge)]
        if node.kind == "subprocess":
            yield from self._subprocess(state, node, tokens)
        elif node.kind == "complex":
            yield from self._complex(state, node, tokens)
        elif node.kind == "parallel":
            if tokens and len(tokens) == len(node.inward):
                yield Firing(node.name, "fire", tuple(tokens))
        elif node.kind == "inclusive":
            if tokens and not self.blocked(state, node, {*node.inward} - {*tokens}, {*tokens}):
                yield Firing(node.name, "fire", tuple(tokens))
        else:
            yield from (Firing(node.name, "fire", (edge,)) for edge in tokens)

    def consume(self, state: State, firing: Firing) -> None:
        """Remove what a firing consumes, and note what it begins or ends."""
        for edge in firing.consumed:
            state.arrived[edge] -= 1
            if not state.arrived[edge]:
                del state.arrived[edge]
        if firing.what == "enter":
            state.active.add(firing.node)
        elif firing.what == "complete":
            state.active.remove(firing.node)
        elif firing.what == "activate":
            state.activated[firing.node] = frozenset(firing.consumed)
        elif firing.what == "reset":
            del state.activated[firing.node]
        ends = self.graph.nodes[firing.node].rule.ends
        if ends is not None:
            self.end(state, ends)

    def end(self, state: State, subprocess: str) -> None:
        """Remove all tokens of a sub-process; "" is the whole graph."""
        graph = self.graph
        for edge in [*state.arrived]:
            if graph.is_in(graph.scope(edge), subprocess):
                del state.arrived[edge]
        state.travelling = [
            edge for edge in state.travelling if not graph.is_in(graph.scope(edge), subprocess)
        ]
        for name in [*state.active, *state.activated]:
            if graph.is_in(graph.nodes[name].within, subprocess):
                state.active.discard(name)
                state.activated.pop(name, None)

    def produced(self, firing: Firing) -> list[tuple[str, ...]]:
        """Return the sets of edges of which a firing produces one; more than one if the data decide."""
        node = self.graph.nodes[firing.node]
        if firing.what == "enter":
            return [self.graph.entry(node.name)]
        if firing.what == "reset":
            return [()]
        if node.kind not in CHOOSING or len(node.outward) < 2:
            return [node.outward]
        if node.kind in ("exclusive", "event"):
            return [(edge,) for edge in node.outward]
        return list(_subsets([self.graph.edges[edge] for edge in node.outward]))

    def waiting(self, state: State) -> list[str]:
        """Return the nodes that may fire without a token that arrives, in the order of the graph."""
        return [name for name in self._patient if self._concerned(state, self.graph.nodes[name])]

    @cached_property
    def _patient(self) -> list[str]:
        kinds = ("inclusive", "complex", "subprocess")
        return [node.name for node in self.graph.nodes.values() if node.kind in kinds]

    def _concerned(self, state: State, node: Node) -> bool:
        present = node.name in state.active or node.name in state.activated
        return present or any(edge in state.arrived for edge in node.inward)

    def _subprocess(self, state: State, node: Node, tokens: list[str]) -> Iterator[Firing]:
        if node.name not in state.active:
            yield from (Firing(node.name, "enter", (edge,)) for edge in tokens)
        elif not any(self._inside(state, node.name)):
            yield Firing(node.name, "complete")

    def _inside(self, state: State, subprocess: str) -> Iterator[str]:
        """Return the remaining events within a sub-process."""
        for edge in (*state.arrived, *state.travelling):
            if subprocess in self.graph.around(self.graph.edges[edge].target):
                yield edge
        for node in (*state.active, *state.activated):
            if subprocess in self.graph.around(node):
                yield node

    def _complex(self, state: State, node: Node, tokens: list[str]) -> Iterator[Firing]:
        consumed = state.activated.get(node.name)
        if consumed is not None:
            absorbed = tuple(edge for edge in tokens if edge not in consumed)
            missing = {*node.inward} - {*tokens} - consumed
            if not self.blocked(state, node, missing, {*tokens} | consumed):
                yield Firing(node.name, "reset", absorbed)
            return
        need = node.need
        enough = {*need} <= {*tokens} if isinstance(need, tuple) else len(tokens) >= (need or 1)
        if tokens and enough:
            yield Firing(node.name, "activate", tuple(tokens))

    def blocked(self, state: State, node: Node, missing: set[str], present: set[str]) -> bool:
        """Return whether a token may still arrive by a missing edge, and by none that has one already."""
        reach = self.reach[node.name]
        for start in self._sources(state, node):
            edges = reach.get(start, frozenset()) if isinstance(start, str) else frozenset({start[0]})
            if edges & missing and not edges & present:
                return True
        return False

    def _sources(self, state: State, node: Node) -> Iterator[str | tuple[str]]:
        """Return the nodes from which tokens go on, and, as tuples, the edges that lead to the node itself.

        Paths do not cross the border of a sub-process; one that is entered counts as a token at its node.
        """
        for edge in state.arrived:
            target = self.graph.target(edge)
            if target.within == node.within and target is not node:
                yield target.name
        for edge in state.travelling:
            target = self.graph.target(edge)
            if target.within == node.within:
                yield target.name if target is not node else (edge,)
        for subprocess in state.active:
            if self.graph.nodes[subprocess].within == node.within:
                yield subprocess

    @cached_property
    def reach(self) -> dict[str, dict[str, frozenset[str]]]:
        """Return for each inclusive and complex gateway which of its edges each node leads to around it."""
        kinds = ("inclusive", "complex")
        return {node.name: self._leading_to(node) for node in self.graph.nodes.values() if node.kind in kinds}

    def _leading_to(self, node: Node) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for edge in node.inward:
            pending = [self.graph.edges[edge].source]
            while pending:
                name = pending.pop()
                if name != node.name and edge not in found.setdefault(name, set()):
                    found[name].add(edge)
                    pending += (self.graph.edges[each].source for each in self.graph.nodes[name].inward)
        return {name: frozenset(edges) for name, edges in found.items()}


def _subsets(edges: list[Edge]) -> Iterator[tuple[str, ...]]:
    """Return the sets of edges that an inclusive split may take, each in the order of the graph."""
    conditional = [edge for edge in edges if edge.condition is not None]
    if not conditional:
        conditional = [edge for edge in edges if not edge.default]
    always = [edge for edge in edges if edge not in conditional and not edge.default]
    sizes: Iterable[int] = range(len(conditional) + 1)
    if len(conditional) > MOST_CONDITIONS:
        sizes = (0, 1, len(conditional))
    for size in sizes:
        for chosen in combinations(conditional, size):
            taken = [edge for edge in edges if edge in always or edge in chosen]
            if taken:
                yield tuple(edge.name for edge in taken)
    if not always:
        yield from ((edge.name,) for edge in edges if edge.default)
