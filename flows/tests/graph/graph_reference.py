"""A reference interpreter of graphs for tests: a token game in every order, or in random orders.

It shares no code with the product. A state is a sorted tuple of the edges with a token each; each rule is
written as its definition says, without any index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations
from random import Random

from flows.languages.graph import Graph

State = tuple[str, ...]
Move = tuple[State, State]  # the edges that lose a token, and those that get one


@dataclass(frozen=True)
class Ends:
    """How the instances of a graph end: the tokens left, with the edges that were visited until then."""

    found: frozenset[tuple[State, tuple[tuple[str, int], ...]]]

    @property
    def dead(self) -> bool:
        return any(state for state, _visited in self.found)

    @property
    def ended(self) -> bool:
        return any(not state for state, _visited in self.found)


def every_order(graph: Graph, limit: int, *, visited_edges: bool = False) -> Ends | None:
    """Return how the graph ends in every order of its moves; None if there are more states than the limit.

    The visited edges of a graph with loops are without limit, so they are only followed on request.
    """
    first = tuple(sorted(graph.start))
    seen = {(first, tuple(sorted(Counter(first).items())) if visited_edges else ())}
    pending, ends = [*seen], set()
    while pending:
        state, visited = pending.pop()
        possible = [*moves(graph, state)]
        if not possible:
            ends.add((state, visited))
        for taken, given in possible:
            next_one = (after(state, taken, given), _plus(visited, given) if visited_edges else ())
            if next_one not in seen:
                seen.add(next_one)
                pending.append(next_one)
        if len(seen) > limit:
            return None
    return Ends(frozenset(ends))


def sampled(graph: Graph, random: Random, runs: int, most: int = 2_000) -> Ends:
    """Return how the graph ends in random orders; runs that do not end are left out."""
    ends = set()
    for _run in range(runs):
        state = tuple(sorted(graph.start))
        visited: tuple[tuple[str, int], ...] = tuple(sorted(Counter(state).items()))
        for _move in range(most):
            possible = [*moves(graph, state)]
            if not possible:
                ends.add((state, visited))
                break
            taken, given = random.choice(possible)
            state, visited = after(state, taken, given), _plus(visited, given)
    return Ends(frozenset(ends))


def after(state: State, taken: State, given: State) -> State:
    """Return the state after a move."""
    left = Counter(state)
    left.subtract(taken)
    return tuple(sorted((left + Counter(given)).elements()))


def _plus(visited: tuple[tuple[str, int], ...], given: State) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((Counter(dict(visited)) + Counter(given)).items()))


def moves(graph: Graph, state: State) -> Iterator[Move]:
    """Return all that can happen in a state."""
    for name in sorted({graph.edges[edge].target for edge in state}):
        node = graph.nodes[name]
        full = tuple(edge for edge in node.inward if edge in state)
        if node.kind == "parallel" and len(full) < len(node.inward):
            continue
        if node.kind == "inclusive" and _still_coming(graph, state, name):
            continue
        joins = node.kind in ("parallel", "inclusive")
        for taken in [full] if joins else [(edge,) for edge in full]:
            for given in _given(graph, name):
                yield taken, given


def _given(graph: Graph, name: str) -> Iterator[State]:
    node = graph.nodes[name]
    if node.kind in ("exclusive", "event") and node.outward:
        yield from ((edge,) for edge in node.outward)
    elif node.kind == "inclusive" and len(node.outward) > 1:
        sizes = range(1, len(node.outward) + 1)
        yield from chain.from_iterable(combinations(node.outward, size) for size in sizes)
    else:
        yield node.outward


def _still_coming(graph: Graph, state: State, name: str) -> bool:
    """Return whether a token can still reach an edge without token of the join, and none that has one."""
    inward = graph.nodes[name].inward
    for edge in state:
        if graph.edges[edge].target != name:
            reached = _edges_from(graph, edge, name) & {*inward}
            if reached - {*state} and not reached & {*state}:
                return True
    return False


def _edges_from(graph: Graph, edge: str, avoided: str) -> set[str]:
    found: set[str] = set()
    pending = [edge]
    while pending:
        target = graph.edges[pending.pop()].target
        if target != avoided:
            new = {*graph.nodes[target].outward} - found
            found |= new
            pending += new
    return found
