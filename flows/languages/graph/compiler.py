"""A graph as attributes and triggers of a flow.

An edge is an attribute that counts the tokens that arrived by it and are not consumed. A task is a transition
of workers, to whose result the database adds the moves of the tokens; every other node is a transition that
the database performs in the same commit. A scope, the graph or a sub-process, counts all its tokens, so that
an end is one comparison whatever the size of the graph. The token of a task that is being performed is still
on the edge before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from flows.languages.graph.counters import absorbed, any_of, count, counter, holds, state, token, transition
from flows.languages.graph.model import Edge, Graph, Node, is_choosing
from flows.languages.graph.moves import Moves
from flows.languages.graph.parts import Compiled, check_parts
from flows.languages.graph.problems import BadGraph, Problem
from flows.languages.graph.tokens import Rules
from flows.languages.graph.ways import groups, taken

MOST_COMPILED = 1_500
"""Attributes of a flow that a graph becomes: a table of PostgreSQL has at most 1,600 columns."""
_OWN = frozenset({"transition", "predicate", "performer", "sets", "final", "integrity", "enabled", "id"})
_STEPS = {"": "", "__enter": ": begin", "__reset": ": reset"}
"""What the label of a rule has after that of its node, which may have two rules."""


@dataclass
class _Compiler:
    graph: Graph
    rules: Rules = field(init=False)
    triggers: list[dict[str, Any]] = field(default_factory=list)
    nodes: list[str | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rules = Rules(self.graph)

    def compile(self) -> Compiled:
        for node in self.graph.nodes.values():
            self.node(node)
        self.triggers.append({"predicate": f"{count(None)} = 0", "final": True})
        self.nodes.append(None)
        attributes = [*self.attributes()]
        definition = {
            "attributes": [*map(dict, self.graph.attributes), *(each for each, _edge in attributes)],
            "triggers": self.triggers,
        }
        edges = (*(None for _each in self.graph.attributes), *(edge for _each, edge in attributes))
        compiled = Compiled(definition, edges, tuple(self.nodes))
        check_parts(self.graph, compiled)
        return compiled

    def attributes(self) -> Iterator[tuple[dict[str, Any], str | None]]:
        """Return the counters, each with its edge."""
        first = Counter(self.graph.start)
        for edge in self.graph.edges.values():
            yield counter(token(edge.name), first[edge.name], self.title(edge)), edge.name
        yield counter(count(None), len(self.graph.start), "tokens"), None
        for node in self.graph.nodes.values():
            if node.kind == "subprocess":
                yield counter(state(node), 0, f"{node.shown}: entered"), None
                yield counter(count(node.name), 0, f"{node.shown}: tokens"), None
            if node.kind == "complex":
                yield counter(state(node), 0, f"{node.shown}: activated"), None
                for edge in map(self.graph.edges.__getitem__, node.inward):
                    label = f"{node.shown}: consumed {self.title(edge)}"
                    yield counter(absorbed(edge.name), 0, label), None

    def title(self, edge: Edge) -> str:
        """Return the title of an edge."""
        nodes = self.graph.nodes
        return edge.title or f"{nodes[edge.source].shown} → {nodes[edge.target].shown}"

    def node(self, node: Node) -> None:
        """Add the triggers of a node."""
        if node.kind in ("begin", "event"):
            return  # the start has the first tokens; tasks after an event gateway consume its tokens
        if not node.inward and node.rule.during is None:
            return  # nothing leads to it
        if node.rule.during is not None:
            self.fire(node, [self.present(node.rule.during)], Moves())
        elif node.kind == "parallel":
            self.fire(node, [f"{token(edge)} > 0" for edge in node.inward], self.consumed(node.inward))
        elif node.kind == "inclusive":
            tokens = any_of(f"{token(edge)} > 0" for edge in node.inward)
            self.fire(node, [tokens, *self.nothing_comes(node)], self.consumed_present(node.inward))
        elif node.kind == "complex":
            self.complex(node)
        elif node.kind == "subprocess":
            self.subprocess(node)
        else:
            for edge in self.entering(node):
                self.fire(node, [f"{token(edge)} > 0"], self.consumed([edge]))

    def present(self, name: str) -> str:
        """Return the condition that a sub-process is entered, or that a node, "" for any, has a token."""
        if not name:
            return f"{count(None)} > 0"
        node = self.graph.nodes[name]
        if node.kind == "subprocess":
            return f"{state(node)} = 1"
        return any_of(f"{token(edge)} > 0" for edge in node.inward)

    def entering(self, node: Node) -> Iterator[str]:
        """Return the edges whose tokens a node consumes; after an event gateway, those of the gateway."""
        for edge in node.inward:
            before = self.graph.nodes[self.graph.edges[edge].source]
            yield from before.inward if before.kind == "event" else (edge,)

    def consumed(self, edges: Iterable[str]) -> Moves:
        moves = Moves()
        for edge in edges:
            moves.add(token(edge), "-1")
            moves.add(count(self.graph.scope(edge)), "-1")
        return moves

    def consumed_present(self, edges: Iterable[str], also: str = "") -> Moves:
        """Return the consumption of one token of each edge that has one."""
        moves = Moves()
        for edge in edges:
            one = f"case when {token(edge)} > 0{also.format(edge=absorbed(edge))} then -1 else 0 end"
            moves.add(token(edge), one)
            moves.add(count(self.graph.scope(edge)), one)
        return moves

    def fire(self, node: Node, when: list[str], moves: Moves, what: str = "") -> None:
        """Add a trigger that consumes, and produces the outgoing edges that are taken.

        An exclusive gateway with many ways has several triggers, each with some of them.
        """
        edges = [self.graph.edges[edge] for edge in node.outward]
        chooses = is_choosing(node, edges)
        if not (chooses and node.kind == "exclusive"):
            self.way(node, edges, when, moves, what)
            return

        def texts(group: Sequence[Edge]) -> tuple[str, str]:
            its = moves.copy()
            self.take(node, group, its)
            return " and ".join(self.needed(group, when)), its.text()

        for number, group in enumerate(groups(edges, texts)):
            self.way(node, group, when, moves.copy(), f"{what}__{number + 1}" if number else what, number)

    def way(
        self, node: Node, edges: Sequence[Edge], when: list[str], moves: Moves, what: str, later: int = 0
    ) -> None:
        """Add a trigger that takes some outgoing edges of a node; `later` triggers have a lower priority."""
        chooses = is_choosing(node, [self.graph.edges[edge] for edge in node.outward])
        when = self.needed(edges, when) if chooses else when
        self.take(node, edges, moves)
        if node.rule.ends is not None:
            self.end(moves, node.rule.ends, node.rule.starts)
        else:
            for start in node.rule.starts:
                self.produce(moves, start)
        moves.given.pop(node.rule.flag, None)  # the rule itself counts it
        for other in node.rule.raises:
            self.raised(moves, self.graph.nodes[other])
        self.add(node, when, moves, what, later)

    def needed(self, edges: Sequence[Edge], when: list[str]) -> list[str]:
        """Return the condition for one of some edges to be taken, besides `when`."""
        if any(edge.default or edge.condition is None for edge in edges):
            return when
        return [*when, any_of(holds(edge.condition) for edge in edges)]

    def take(self, node: Node, edges: Sequence[Edge], moves: Moves) -> None:
        """Add a token on those of some edges that are taken."""
        chooses = is_choosing(node, [self.graph.edges[edge] for edge in node.outward])
        one = (
            chooses and node.kind == "exclusive"
        )  # of its edges gets a token, which is counted without conditions
        if one:
            moves.add(count(node.within), "1")
        for edge, condition in zip(edges, taken(node.kind, edges), strict=True):
            self.produce(moves, edge.name, condition if chooses else None, counted=not one)

    def raised(self, moves: Moves, node: Node) -> None:
        """Set the flag of a node to the number of tokens that wait for it now."""
        flag, during = node.rule.flag, node.rule.during
        if during is not None:
            moves.given.setdefault(flag, f"case when {self.present(during)} then 1 else 0 end")
        else:
            moves.given.setdefault(flag, " + ".join(map(token, self.entering(node))))

    def end(self, moves: Moves, subprocess: str, starts: tuple[str, ...]) -> None:
        """Remove all tokens of a sub-process, "" is the whole graph; then some of its edges get one."""
        graph = self.graph
        moves.given |= {
            token(edge): "0" for edge in graph.edges if graph.is_in(graph.scope(edge), subprocess)
        }
        moves.given[count(subprocess or None)] = "0"
        for node in graph.nodes.values():
            if graph.is_in(node.within, subprocess) and node.kind == "subprocess":
                moves.given |= {state(node): "0", count(node.name): "0"}
            elif graph.is_in(node.within, subprocess) and node.kind == "complex":
                moves.given |= {state(node): "0"} | {absorbed(edge): "0" for edge in node.inward}
            if node.rule.flag and graph.is_in(node.within, subprocess):
                moves.given[node.rule.flag] = "0"
        for edge in starts:
            moves.given |= {token(edge): "1", count(subprocess or None): str(len(starts))}

    def produce(self, moves: Moves, edge: str, condition: str | None = None, *, counted: bool = True) -> None:
        one = "1" if condition in (None, "true") else f"case when {condition} then 1 else 0 end"
        moves.add(token(edge), one)
        if counted:
            moves.add(count(self.graph.scope(edge)), one)

    def add(self, node: Node, when: list[str], moves: Moves, what: str = "", later: int = 0) -> None:
        task, rule = node.kind == "task", node.rule
        without = _OWN if task else {*_OWN, "role"}  # only jobs have a role
        options = {key: value for key, value in node.options.items() if key not in without}
        waits = task and any(
            self.graph.nodes[self.graph.edges[edge].source].kind == "event" for edge in node.inward
        )
        made: dict[str, Any] = {
            "name": node.name + what,
            "transition": transition(node.name + what),
            "predicate": " and ".join([*when, *([f"({rule.when})"] if rule.when else [])]),
            "performer": node.performer,
            "sets": ", ".join(filter(None, [moves.text(), rule.sets])),
        }
        withdrawn = {"revalidate": "withdraw"} if waits else {}
        shown = f"{node.shown}{_STEPS.get(what, f' ({later + 1})')}"
        label = {"label": shown} if shown != node.name else {}
        made |= {**withdrawn, **options, **label, **rule.options}
        self.triggers.append(made | ({"priority": int(made.get("priority", 0)) - later} if later else {}))
        self.nodes.append(node.name)

    def nothing_comes(self, node: Node, also: str = "") -> Iterator[str]:
        """Return the conditions that no token can still arrive by an edge without one: the inclusive rule."""
        reach = self.rules.reach[node.name]
        for edge in self.graph.edges.values():
            if edge.target != node.name and self.graph.scope(edge.name) == node.within:
                yield from self._not_from(token(edge.name), reach.get(edge.target, frozenset()), also)
        for other in self.graph.nodes.values():
            if other.kind == "subprocess" and other.within == node.within:
                yield from self._not_from(state(other), reach.get(other.name, frozenset()), also)

    def _not_from(self, counter: str, edges: frozenset[str], also: str) -> Iterator[str]:
        if edges:
            present = [f"{token(edge)} > 0" for edge in sorted(edges)]
            if also:
                present += [also.format(edge=absorbed(edge)) for edge in sorted(edges)]
            yield any_of([f"{counter} = 0", *present])

    def complex(self, node: Node) -> None:
        """Add activation and reset of a complex gateway."""
        tokens = [f"{token(edge)} > 0" for edge in node.inward]
        if isinstance(node.need, tuple):
            enough = " and ".join(f"{token(edge)} > 0" for edge in node.need)
        else:
            counted = " + ".join(f"case when {each} then 1 else 0 end" for each in tokens)
            enough = f"{counted} >= {node.need or 1}"
        moves = self.consumed_present(node.inward)
        for edge in node.inward:
            moves.given[absorbed(edge)] = f"case when {token(edge)} > 0 then 1 else 0 end"
        moves.given[state(node)] = "1"
        self.fire(node, [f"{state(node)} = 0", enough], moves)
        reset = self.consumed_present(node.inward, " and {edge} = 0")
        reset.given = {absorbed(edge): "0" for edge in node.inward} | {state(node): "0"}
        self.add(node, [f"{state(node)} = 1", *self.nothing_comes(node, "{edge} = 1")], reset, "__reset")

    def subprocess(self, node: Node) -> None:
        """Add entering a sub-process and leaving it when nothing is left in it; it counts as one token."""
        for edge in node.inward:
            moves = self.consumed([edge])
            moves.given[state(node)] = "1"
            moves.add(count(node.within), "1")
            for first in self.graph.entry(node.name):
                self.produce(moves, first)
            self.add(node, [f"{token(edge)} > 0", f"{state(node)} = 0"], moves, "__enter")
        leaving = Moves(given={state(node): "0"})
        leaving.add(count(node.within), "-1")
        inner = [
            f"{state(each)} = 0"
            for each in self.graph.nodes.values()
            if each.kind == "complex" and each.within == node.name
        ]
        self.fire(node, [f"{state(node)} = 1", f"{count(node.name)} = 0", *inner], leaving)


def compile_graph(graph: Graph) -> Compiled:
    """Return the flow that a graph becomes, whose checks found no error. Raises BadGraph."""
    if len(graph.edges) > MOST_COMPILED:
        message = f"The graph has {len(graph.edges)} edges; a flow is made of at most {MOST_COMPILED}."
        raise BadGraph([Problem("too_large", message)])
    compiled = _Compiler(graph).compile()
    found = len(compiled.definition["attributes"])
    if found > MOST_COMPILED:
        message = f"The flow of the graph has {found} attributes; a flow is made of at most {MOST_COMPILED}."
        raise BadGraph([Problem("too_large", message)])
    return compiled
