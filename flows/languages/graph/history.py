"""The history of an instance of a graph: the tokens that each step moved, in the tree of threads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from flows.languages.graph.model import CHOOSING, Graph
from flows.languages.graph.scheduler import MOST_STEPS, Forks, Walk, addresses, common, walk


class Entry(Protocol):
    """A step of the history: its number, what wrote it, the state, and the values before it."""

    seq: int
    written_by: str
    state: Mapping[str, Any]
    before: Mapping[str, Any] | None


@dataclass(frozen=True)
class Visit:
    """One step: the node that fired (None for a repair, or the start), and the tokens that it moved.

    `address` has the new tokens behind the forks that lead to them, as in a walk; `waiting` are the edges
    that have tokens after it.
    """

    seq: int
    node: str | None
    consumed: tuple[str, ...]
    produced: tuple[str, ...]
    waiting: tuple[str, ...]
    address: str


@dataclass
class _Tokens:
    graph: Graph
    edges: Mapping[str, str]  # by attribute
    ways: dict[str, list[Forks]] = field(default_factory=dict)
    inside: dict[str, list[Forks]] = field(default_factory=dict)  # of sub-processes that are entered

    def step(self, entry: Entry, node: str | None, entered: bool) -> Visit:
        """Move the tokens of one step."""
        before = entry.before or {}
        changes = {
            edge: int(entry.state.get(name) or 0) - int(before.get(name, entry.state.get(name)) or 0)
            for name, edge in self.edges.items()
        }
        consumed = [edge for edge, change in changes.items() for _n in range(-change)]
        produced = [edge for edge, change in changes.items() for _n in range(change)]
        way = self.way(node, consumed)
        if entered and node is not None:
            self.inside.setdefault(node, []).append(way)
            way = (*way, (node, ""))
        forks = len(produced) > 1 and not entered
        new = [(edge, (*way, (str(node), edge)) if forks else way) for edge in produced]
        for edge, its_way in new:
            self.ways.setdefault(edge, []).append(its_way)
        return self.visit(entry, node, (tuple(consumed), tuple(produced)), new)

    def way(self, node: str | None, consumed: list[str]) -> Forks:
        """Return the forks that all consumed tokens have passed by the same edge."""
        came = [self.ways[edge].pop(0) for edge in consumed if self.ways.get(edge)]
        if not came and node in self.inside:
            came = [self.inside[node].pop(0)] if self.inside[node] else []
        return common(came) if came else ()

    def first(self, entry: Entry) -> Visit:
        """Place the tokens of the start."""
        placed = [edge for name, edge in self.edges.items() for _n in range(int(entry.state.get(name) or 0))]
        new: list[tuple[str, Forks]] = [(edge, ((self.graph.edges[edge].source, edge),)) for edge in placed]
        for edge, way in new:
            self.ways.setdefault(edge, []).append(way)
        return self.visit(entry, None, ((), tuple(placed)), new)

    def visit(
        self,
        entry: Entry,
        node: str | None,
        moved: tuple[tuple[str, ...], tuple[str, ...]],
        new: list[tuple[str, Forks]],
    ) -> Visit:
        waiting = tuple(
            edge for name, edge in self.edges.items() for _n in range(int(entry.state.get(name) or 0))
        )
        return Visit(entry.seq, node, *moved, waiting, addresses(new))


def visits(graph: Graph, source_map: Mapping[str, Mapping[str, str]], steps: Iterable[Entry]) -> list[Visit]:
    """Return the effect of each step of an instance, by the map that is kept with its flow."""
    nodes = source_map["transitions"]
    tokens = _Tokens(graph, source_map["attributes"])
    found: list[Visit] = []
    for entry in steps:
        if not found:
            found.append(tokens.first(entry))
            continue
        node = nodes.get(entry.written_by)
        found.append(tokens.step(entry, node, entry.written_by.endswith("__enter") and node is not None))
    return found


def walked(graph: Graph, found: Sequence[Visit]) -> Walk:
    """Return the walk of the scheduler that does what an instance did, whatever the order of its workers.

    It ends as "undecided" at the first node of its own order that has not fired in the instance.
    """
    fired: Counter[str] = Counter()
    choices: dict[str, list[tuple[str, ...]]] = {}
    for visit in found:
        if visit.node is None:
            continue
        fired[visit.node] += 1
        if visit.produced and graph.nodes[visit.node].kind in CHOOSING:
            choices.setdefault(visit.node, []).append(visit.produced)
        for gateway in {graph.edges[edge].target for edge in visit.consumed} - {visit.node}:
            fired[gateway] += 1  # an event gateway, whose token the task consumed
            edge = next(
                edge for edge in graph.nodes[gateway].outward if graph.target(edge).name == visit.node
            )
            choices.setdefault(gateway, []).append((edge,))
    several = {name: taken for name, taken in choices.items() if len(graph.nodes[name].outward) > 1}
    steps = min(MOST_STEPS, len(graph.edges) + sum(len(visit.produced) for visit in found))
    return walk(graph, steps=steps, choices=several, fired=fired)
