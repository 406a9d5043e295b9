"""The search for dead ends: joins that wait for a token that no longer arrives.

The states that a graph can reach are examined. Where several nodes can fire, one of them is enough: each
edge has one consumer, so what one node does takes nothing from another, and the order changes no end. Only
inclusive joins and complex gateways look at tokens elsewhere: a graph with them is examined in all orders.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from flows.languages.graph.model import Graph
from flows.languages.graph.problems import DeadEnd, Problem
from flows.languages.graph.tokens import Firing, Rules, State

MOST_STATES, MOST_STORED = 20_000, 1_000_000  # states, and the edges with tokens of all of them
MOST_TOKENS = 32
"""Tokens on one edge; more of them are taken for a number that grows without end."""
_SHOWN = 5
Key = tuple[object, ...]
Choice = tuple[str, tuple[str, ...]]


@dataclass
class Search:
    """The states that were found, each with the choice that led to it from another one."""

    graph: Graph
    rules: Rules = field(init=False)
    every_order: bool = field(init=False)
    before: dict[Key, tuple[Key, Choice] | None] = field(default_factory=dict)
    stuck: dict[tuple[str, ...], Key] = field(default_factory=dict)
    growing: dict[str, Key] = field(default_factory=dict)
    stored: int = 0
    complete: bool = True

    def __post_init__(self) -> None:
        self.rules = Rules(self.graph)
        kinds = {node.kind for node in self.graph.nodes.values() if len(node.inward) > 1}
        self.every_order = bool(kinds & {"inclusive", "complex"})

    def run(self) -> Search:
        """Examine all states, or as many as allowed."""
        apart = [node.outward for node in self.graph.nodes.values() if node.apart]
        pending = [self.first(edges) for edges in (self.graph.start, *apart)]
        while pending and self.complete:
            for after in self.following(pending.pop()):
                pending.append(after)
                self.stored += len(after.arrived)
                self.complete = len(self.before) <= MOST_STATES and self.stored <= MOST_STORED
                if not self.complete:
                    break
        return self

    def first(self, edges: tuple[str, ...]) -> State:
        """Return a first state, with a token on each of these edges."""
        state = State()
        for edge in edges:
            state.arrive(edge)
        self.advance(state)
        self.before[state.key()] = None
        return state

    def advance(self, state: State) -> None:
        """Go on to where the data choose, as far as there is only one way, and one order that counts."""
        for _edge in () if self.every_order else self.graph.edges:
            firings = self.firings(state)
            produced = self.rules.produced(firings[0]) if firings else []
            if len(produced) != 1 or self.grown(state):
                return
            self.perform(state, firings[0], produced[0])

    def grown(self, state: State) -> str | None:
        """Return an edge with more tokens than are examined."""
        return next((edge for edge, count in state.arrived.items() if count > MOST_TOKENS), None)

    def following(self, state: State) -> Iterator[State]:
        """Return the states after this one that are new."""
        key = state.key()
        grown = self.grown(state)
        if grown is not None:
            self.growing.setdefault(grown, key)
            return
        firings = self.firings(state)
        if not firings:
            self.end(state, key)
        for firing in firings:
            for produced in self.rules.produced(firing):
                after = State({**state.arrived}, [], {*state.active}, {**state.activated})
                self.perform(after, firing, produced)
                self.advance(after)
                if after.key() not in self.before:
                    self.before[after.key()] = (key, (firing.node, produced))
                    yield after

    def firings(self, state: State) -> list[Firing]:
        """Return the possible firings in a state, as far as their order may matter."""
        concerned = {self.graph.edges[edge].target for edge in state.arrived}
        concerned |= state.active | {*state.activated}
        found: list[Firing] = []
        for name in sorted(concerned):
            found += self.rules.firings(state, self.graph.nodes[name])
            if found and not self.every_order:
                return found[:1]
        return found

    def perform(self, state: State, firing: Firing, produced: tuple[str, ...]) -> None:
        """Change a state by a firing."""
        self.rules.consume(state, firing)
        for edge in produced:
            state.arrive(edge)

    def end(self, state: State, key: Key) -> None:
        """Note the nodes that still wait for a token, if there are any."""
        waiting = {self.graph.edges[edge].target for edge in state.arrived} | {*state.activated}
        if waiting:
            self.stuck.setdefault(tuple(sorted(waiting)), key)

    def choices(self, key: Key) -> list[Choice]:
        """Return the choices on the way to a state, the first one first."""
        found = []
        step = self.before[key]
        while step is not None:
            key, (node, produced) = step
            if len(self.rules.produced(Firing(node, "fire"))) > 1:
                found.append((node, produced))
            step = self.before[key]
        return found[::-1]


def dead_ends(graph: Graph) -> Iterator[Problem]:
    """Return the joins that can wait without end, and the edges whose tokens grow without end."""
    search = Search(graph).run()
    reported: set[str] = set()
    for nodes, key in sorted(search.stuck.items(), key=lambda item: (len(item[0]), item[0])):
        for name in nodes:
            if name not in reported:
                reported.add(name)
                yield _dead_end(graph, name, search.choices(key))
    for edge in search.growing:
        message = f"More and more tokens arrive by edge “{edge}”: more than {MOST_TOKENS} wait there."
        yield Problem("grows", message, *graph.places(graph.edges[edge].path))
    if not search.complete:
        message = "The graph has too many states; not all were examined for dead ends."
        yield Problem("not_examined", message, severity="warning")


def _dead_end(graph: Graph, name: str, choices: list[Choice]) -> Problem:
    node = graph.nodes[name]
    edges = ", ".join(node.inward)[:200]
    message = f"Node “{name}” can wait without end for some of ({edges})."
    if choices:
        where = ", ".join(f"{chooser} chooses {'+'.join(chosen)}" for chooser, chosen in choices[:_SHOWN])
        message = f"Node “{name}” can wait without end for some of ({edges}), where {where}."
    return DeadEnd("dead_end", message, *graph.places(node.path), node=name, choices=tuple(choices))
