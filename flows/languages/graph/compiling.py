"""A graph as attributes and triggers of a flow.

An edge is an attribute that counts the tokens that arrived by it and are not consumed. A task is a transition
of workers, to whose result the database adds the moves of the tokens; every other node is a transition that
the database performs in the same commit. A scope, the graph or a sub-process, counts all its tokens, so that
an end is one comparison whatever the size of the graph. The token of a task that is being performed is still
on the edge before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flows.languages.graph.model import Edge, Graph, Node, is_choosing
from flows.languages.graph.problems import BadGraph, Problem
from flows.languages.graph.tokens import Rules

MOST_COMPILED = 1_000
"""Edges of a graph that becomes a flow: a table of PostgreSQL has at most 1,600 columns."""
_LONGEST = 10_000  # characters of a condition or of a SET string, as the kernel has it
_OWN = frozenset({"transition", "predicate", "performer", "sets", "final", "integrity", "enabled", "id"})
_STEPS = {"": "", "__enter": ": begin", "__reset": ": reset"}
"""What the label of a rule has after that of its node, which may have two rules."""


@dataclass(frozen=True)
class Compiled:
    """The definition of a flow, and of which node or edge each of its parts is made."""

    definition: dict[str, Any]
    attributes: tuple[str | None, ...]
    triggers: tuple[str | None, ...]

    @property
    def source_map(self) -> dict[str, dict[str, str]]:
        """Return the edges of attributes, and the nodes of transitions and of rules, by their names.

        Several rules may have one transition, whose node is then that of the last one.
        """
        names = (attribute["name"] for attribute in self.definition["attributes"])
        edges = zip(names, self.attributes, strict=True)
        made = [*zip(self.definition["triggers"], self.triggers, strict=True)]
        return {
            "attributes": {name: edge for name, edge in edges if edge is not None},
            "transitions": {each["transition"]: node for each, node in made if node is not None},
            "rules": {each["name"]: node for each, node in made if node is not None},
        }


@dataclass
class _Moves:
    """What a firing does to counters: expressions that are added to each, and what they replace."""

    added: dict[str, list[str]] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)

    def add(self, attribute: str, expression: str) -> None:
        self.added.setdefault(attribute, []).append(expression)

    def text(self) -> str:
        """Return the SET clause; whole numbers are added up."""
        parts = [f"{name} = {value}" for name, value in self.given.items()]
        for name, expressions in self.added.items():
            if name in self.given:
                continue
            number = sum(int(each) for each in expressions if _is_number(each))
            others = [f" + {each}" for each in expressions if not _is_number(each)]
            if number or others:
                sign = f" {'+' if number > 0 else '-'} {abs(number)}" if number else ""
                parts.append(f"{name} = {name}{sign}{''.join(others)}")
        return ", ".join(parts)


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
        self.triggers.append({"predicate": f"{_count(None)} = 0", "final": True})
        self.nodes.append(None)
        attributes = [*self.attributes()]
        definition = {
            "attributes": [*map(dict, self.graph.attributes), *(each for each, _edge in attributes)],
            "triggers": self.triggers,
        }
        edges = (*(None for _each in self.graph.attributes), *(edge for _each, edge in attributes))
        compiled = Compiled(definition, edges, tuple(self.nodes))
        _check_parts(self.graph, compiled)
        return compiled

    def attributes(self) -> Iterator[tuple[dict[str, Any], str | None]]:
        """Return the counters, each with its edge."""
        first = Counter(self.graph.start)
        for edge in self.graph.edges.values():
            yield _counter(_token(edge.name), first[edge.name], self.title(edge)), edge.name
        yield _counter(_count(None), len(self.graph.start), "tokens"), None
        for node in self.graph.nodes.values():
            if node.kind == "subprocess":
                yield _counter(_state(node), 0, f"{node.shown}: entered"), None
                yield _counter(_count(node.name), 0, f"{node.shown}: tokens"), None
            if node.kind == "complex":
                yield _counter(_state(node), 0, f"{node.shown}: activated"), None
                for edge in map(self.graph.edges.__getitem__, node.inward):
                    label = f"{node.shown}: consumed {self.title(edge)}"
                    yield _counter(_absorbed(edge.name), 0, label), None

    def title(self, edge: Edge) -> str:
        """Return what an edge is called where people read of it."""
        nodes = self.graph.nodes
        return edge.title or f"{nodes[edge.source].shown} → {nodes[edge.target].shown}"

    def node(self, node: Node) -> None:
        """Add the triggers of a node."""
        if node.kind in ("begin", "event"):
            return  # the start has the first tokens; tasks after an event gateway consume its tokens
        if not node.inward and node.rule.during is None:
            return  # nothing leads to it
        if node.rule.during is not None:
            self.fire(node, [self.present(node.rule.during)], _Moves())
        elif node.kind == "parallel":
            self.fire(node, [f"{_token(edge)} > 0" for edge in node.inward], self.consumed(node.inward))
        elif node.kind == "inclusive":
            tokens = _any(f"{_token(edge)} > 0" for edge in node.inward)
            self.fire(node, [tokens, *self.nothing_comes(node)], self.consumed_present(node.inward))
        elif node.kind == "complex":
            self.complex(node)
        elif node.kind == "subprocess":
            self.subprocess(node)
        else:
            for edge in self.entering(node):
                self.fire(node, [f"{_token(edge)} > 0"], self.consumed([edge]))

    def present(self, name: str) -> str:
        """Return the condition that a sub-process is entered, or that a node, "" for any, has a token."""
        if not name:
            return f"{_count(None)} > 0"
        node = self.graph.nodes[name]
        if node.kind == "subprocess":
            return f"{_state(node)} = 1"
        return _any(f"{_token(edge)} > 0" for edge in node.inward)

    def entering(self, node: Node) -> Iterator[str]:
        """Return the edges whose tokens a node consumes; after an event gateway, those of the gateway."""
        for edge in node.inward:
            before = self.graph.nodes[self.graph.edges[edge].source]
            yield from before.inward if before.kind == "event" else (edge,)

    def consumed(self, edges: Iterable[str]) -> _Moves:
        moves = _Moves()
        for edge in edges:
            moves.add(_token(edge), "-1")
            moves.add(_count(self.graph.scope(edge)), "-1")
        return moves

    def consumed_present(self, edges: Iterable[str], also: str = "") -> _Moves:
        """Return the consumption of one token of each edge that has one."""
        moves = _Moves()
        for edge in edges:
            one = f"case when {_token(edge)} > 0{also.format(edge=_absorbed(edge))} then -1 else 0 end"
            moves.add(_token(edge), one)
            moves.add(_count(self.graph.scope(edge)), one)
        return moves

    def fire(self, node: Node, when: list[str], moves: _Moves, what: str = "") -> None:
        """Add a trigger that consumes, and produces the outgoing edges that are taken."""
        edges = [self.graph.edges[edge] for edge in node.outward]
        chooses = is_choosing(node, edges)
        if chooses and not any(edge.default for edge in edges):
            if all(edge.condition is not None for edge in edges):
                when = [*when, _any(_holds(edge.condition) for edge in edges)]
        one = (
            chooses and node.kind == "exclusive"
        )  # of its edges gets a token, which is counted without conditions
        if one:
            moves.add(_count(node.within), "1")
        for edge, taken in zip(edges, self.taken(node), strict=True):
            self.produce(moves, edge.name, taken if chooses else None, counted=not one)
        if node.rule.ends is not None:
            self.end(moves, node.rule.ends, node.rule.starts)
        else:
            for start in node.rule.starts:
                self.produce(moves, start)
        moves.given.pop(node.rule.flag, None)  # the rule itself counts it
        for other in node.rule.raises:
            self.raised(moves, self.graph.nodes[other])
        self.add(node, when, moves, what)

    def raised(self, moves: _Moves, node: Node) -> None:
        """Set the flag of a node to the number of tokens that wait for it now."""
        flag, during = node.rule.flag, node.rule.during
        if during is not None:
            moves.given.setdefault(flag, f"case when {self.present(during)} then 1 else 0 end")
        else:
            moves.given.setdefault(flag, " + ".join(map(_token, self.entering(node))))

    def end(self, moves: _Moves, subprocess: str, starts: tuple[str, ...]) -> None:
        """Remove all tokens of a sub-process, "" is the whole graph; then some of its edges get one."""
        graph = self.graph
        moves.given |= {
            _token(edge): "0" for edge in graph.edges if graph.is_in(graph.scope(edge), subprocess)
        }
        moves.given[_count(subprocess or None)] = "0"
        for node in graph.nodes.values():
            if graph.is_in(node.within, subprocess) and node.kind == "subprocess":
                moves.given |= {_state(node): "0", _count(node.name): "0"}
            elif graph.is_in(node.within, subprocess) and node.kind == "complex":
                moves.given |= {_state(node): "0"} | {_absorbed(edge): "0" for edge in node.inward}
            if node.rule.flag and graph.is_in(node.within, subprocess):
                moves.given[node.rule.flag] = "0"
        for edge in starts:
            moves.given |= {_token(edge): "1", _count(subprocess or None): str(len(starts))}

    def taken(self, node: Node) -> list[str]:
        """Return for each outgoing edge the condition under which it is taken, in the order of the edges."""
        edges = [self.graph.edges[edge] for edge in node.outward]
        conditions = [_holds(edge.condition) for edge in edges if not edge.default]
        found: list[str] = []
        before: list[str] = []
        for edge in edges:
            if edge.default:
                found.append(" and ".join(f"not {each}" for each in conditions) or "true")
            elif node.kind == "exclusive":
                found.append(" and ".join([*(f"not {each}" for each in before), _holds(edge.condition)]))
                before.append(_holds(edge.condition))
            else:
                found.append(_holds(edge.condition))
        return found

    def produce(
        self, moves: _Moves, edge: str, condition: str | None = None, *, counted: bool = True
    ) -> None:
        one = "1" if condition in (None, "true") else f"case when {condition} then 1 else 0 end"
        moves.add(_token(edge), one)
        if counted:
            moves.add(_count(self.graph.scope(edge)), one)

    def add(self, node: Node, when: list[str], moves: _Moves, what: str = "") -> None:
        task, rule = node.kind == "task", node.rule
        without = _OWN if task else {*_OWN, "role"}  # only jobs have a role
        options = {key: value for key, value in node.options.items() if key not in without}
        waits = task and any(
            self.graph.nodes[self.graph.edges[edge].source].kind == "event" for edge in node.inward
        )
        made: dict[str, Any] = {
            "name": node.name + what,
            "transition": _transition(node.name + what),
            "predicate": " and ".join([*when, *([f"({rule.when})"] if rule.when else [])]),
            "performer": node.performer,
            "sets": ", ".join(filter(None, [moves.text(), rule.sets])),
        }
        withdrawn = {"revalidate": "withdraw"} if waits else {}
        shown = f"{node.shown}{_STEPS[what]}"
        label = {"label": shown} if shown != node.name else {}
        self.triggers.append({**made, **withdrawn, **options, **label, **rule.options})
        self.nodes.append(node.name)

    def nothing_comes(self, node: Node, also: str = "") -> Iterator[str]:
        """Return the conditions that no token can still arrive by an edge without one: the inclusive rule."""
        reach = self.rules.reach[node.name]
        for edge in self.graph.edges.values():
            if edge.target != node.name and self.graph.scope(edge.name) == node.within:
                yield from self._not_from(_token(edge.name), reach.get(edge.target, frozenset()), also)
        for other in self.graph.nodes.values():
            if other.kind == "subprocess" and other.within == node.within:
                yield from self._not_from(_state(other), reach.get(other.name, frozenset()), also)

    def _not_from(self, counter: str, edges: frozenset[str], also: str) -> Iterator[str]:
        if edges:
            present = [f"{_token(edge)} > 0" for edge in sorted(edges)]
            if also:
                present += [also.format(edge=_absorbed(edge)) for edge in sorted(edges)]
            yield _any([f"{counter} = 0", *present])

    def complex(self, node: Node) -> None:
        """Add activation and reset of a complex gateway."""
        tokens = [f"{_token(edge)} > 0" for edge in node.inward]
        if isinstance(node.need, tuple):
            enough = " and ".join(f"{_token(edge)} > 0" for edge in node.need)
        else:
            counted = " + ".join(f"case when {each} then 1 else 0 end" for each in tokens)
            enough = f"{counted} >= {node.need or 1}"
        moves = self.consumed_present(node.inward)
        for edge in node.inward:
            moves.given[_absorbed(edge)] = f"case when {_token(edge)} > 0 then 1 else 0 end"
        moves.given[_state(node)] = "1"
        self.fire(node, [f"{_state(node)} = 0", enough], moves)
        reset = self.consumed_present(node.inward, " and {edge} = 0")
        reset.given = {_absorbed(edge): "0" for edge in node.inward} | {_state(node): "0"}
        self.add(node, [f"{_state(node)} = 1", *self.nothing_comes(node, "{edge} = 1")], reset, "__reset")

    def subprocess(self, node: Node) -> None:
        """Add entering a sub-process and leaving it when nothing is left in it; it counts as one token."""
        for edge in node.inward:
            moves = self.consumed([edge])
            moves.given[_state(node)] = "1"
            moves.add(_count(node.within), "1")
            for first in self.graph.entry(node.name):
                self.produce(moves, first)
            self.add(node, [f"{_token(edge)} > 0", f"{_state(node)} = 0"], moves, "__enter")
        leaving = _Moves(given={_state(node): "0"})
        leaving.add(_count(node.within), "-1")
        inner = [
            f"{_state(each)} = 0"
            for each in self.graph.nodes.values()
            if each.kind == "complex" and each.within == node.name
        ]
        self.fire(node, [f"{_state(node)} = 1", f"{_count(node.name)} = 0", *inner], leaving)


def compile_graph(graph: Graph) -> Compiled:
    """Return the flow that a graph becomes, whose checks found no error. Raises BadGraph."""
    if len(graph.edges) > MOST_COMPILED:
        message = f"The graph has {len(graph.edges)} edges; a flow is made of at most {MOST_COMPILED}."
        raise BadGraph([Problem("too_large", message)])
    return _Compiler(graph).compile()


def _check_parts(graph: Graph, compiled: Compiled) -> None:
    """Reject names that collide with those of counters or of other nodes, and rules that are too long."""
    problems = []
    seen: dict[str, Any] = {}
    for number, attribute in enumerate(compiled.definition["attributes"]):
        name = str(attribute.get("name", "")).lower()
        if name in seen:
            path = ("attributes", min(number, seen[name]))
            message = f"The name “{name[:60]}” is needed for an edge or a node, or there twice."
            problems.append(Problem("name_collides", message, *graph.places(path)))
        seen.setdefault(name, number)
    of: dict[str, tuple[str | None, Mapping[str, Any]]] = {}
    for trigger, node in zip(compiled.definition["triggers"], compiled.triggers, strict=True):
        longest = max(len(trigger["predicate"]), len(trigger.get("sets", "")))
        if node is not None and longest > _LONGEST:
            message = f"Node “{node}” has too many edges or conditions for one rule ({longest} characters)."
            problems.append(Problem("too_large", message, *graph.places(graph.nodes[node].path)))
        other, its = of.setdefault(trigger.get("transition", ""), (node, trigger))
        if node is None or other is None or other == node:
            continue
        if not _may_share((graph.nodes[other], graph.nodes[node]), (its, trigger)):
            message = f"Nodes “{other}” and “{node}” would be the same transition."
            problems.append(Problem("name_collides", message, *graph.places(graph.nodes[node].path)))
    if problems:
        raise BadGraph(problems)


def _may_share(nodes: Iterable[Node], rules: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether nodes may have one transition: one of them names it, and they are performed alike."""
    named = any("transition" in node.rule.options for node in nodes)
    kinds = [(rule["performer"], rule.get("signal"), rule.get("child")) for rule in rules]
    alike = (kinds[0][0], kinds[0][1], None)
    return named and alike[0] != "database" and all(kind == alike for kind in kinds)


def _counter(name: str, first: int, label: str) -> dict[str, Any]:
    return {"name": name, "type": "integer", "default": str(first), "label": label}


def _token(edge: str) -> str:
    return f"t_{edge.lower()}"


def _absorbed(edge: str) -> str:
    return f"w_{edge.lower()}"


def _state(node: Node) -> str:
    return f"a_{node.name.lower()}"


def _count(scope: str | None) -> str:
    return "tokens" if scope is None else f"n_{scope.lower()}"


def _transition(name: str) -> str:
    name = name.lower()
    return name if name[0].isalpha() else f"n_{name}"


def _holds(condition: str | None) -> str:
    return "true" if condition is None else f"coalesce(({condition}), false)"


def _any(conditions: Iterable[str]) -> str:
    found = [*conditions]
    return found[0] if len(found) == 1 else f"({' or '.join(found)})"


def _is_number(text: str) -> bool:
    return text.lstrip("-").isdigit()


def source_of(graph: Graph, text: str, format_: str, compiled: Compiled) -> Mapping[str, Any]:
    """Return what is kept with the flow, so that pages can show the graph.

    `choosing` has the gateways at which the data decide, by the attributes with the tokens that are there.
    """
    made = compiled.definition["attributes"][len(graph.attributes) :]
    internal = [attribute["name"] for attribute in made]
    targets = {
        name: graph.nodes.get(graph.edges[edge].target)
        for name, edge in compiled.source_map["attributes"].items()
        if edge in graph.edges
    }
    choosing = {
        name: str(node.options.get("label") or node.name)
        for name, node in targets.items()
        if node is not None and node.kind in ("exclusive", "inclusive")
    }
    facts = {**compiled.source_map, "internal": internal, "choosing": choosing}
    return {"language": "graph", "format": format_, "text": text, "map": facts}
