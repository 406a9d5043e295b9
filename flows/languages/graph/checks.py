"""What is wrong with a graph that can be read: parts that are not reached, not left, or wait without end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from flows.languages.graph.deadends import dead_ends
from flows.languages.graph.model import CHOOSING, Graph, Node, is_choosing
from flows.languages.graph.problems import Problem

_CONDITIONAL = ("exclusive", "inclusive", "complex")


def check(graph: Graph) -> list[Problem]:
    """Return the problems of a graph, in the order of the text as far as possible.

    Dead ends are looked for where the form is right, since their search walks the graph.
    """
    form = [*_begins(graph), *_sides(graph), *_borders(graph)]
    found = [
        *form,
        *_conditions(graph),
        *_events(graph),
        *_performers(graph),
        *_unreached(graph),
        *_without_exit(graph),
    ]
    if not form:
        found += dead_ends(graph)
    return found


def _problem(graph: Graph, code: str, message: str, node: Node, severity: str = "error") -> Problem:
    return Problem(code, message, *graph.places(node.path), severity)


def _begins(graph: Graph) -> Iterator[Problem]:
    """Return the problems at the beginning and the end, of the graph and of each sub-process."""
    scopes = [None, *(node.name for node in graph.nodes.values() if node.kind == "subprocess")]
    inner: dict[str | None, list[Node]] = {scope: [] for scope in scopes}
    for node in graph.nodes.values():
        inner[node.within].append(node)
    for scope, nodes in inner.items():
        place = graph.places(graph.nodes[scope].path) if scope is not None else (0, 0)
        if not any(node.kind == "begin" for node in nodes):
            yield Problem("no_begin", _lacks_begin(scope), *place)
        if all(node.outward for node in nodes):
            yield Problem("no_end", _lacks_end(scope), *place)
    if not graph.start:
        yield Problem("no_start", "The graph starts with no edge.", *graph.places(("start",)))


def _sides(graph: Graph) -> Iterator[Problem]:
    """Return the nodes with edges that their type does not have, and without those that it needs."""
    for node in graph.nodes.values():
        if node.kind == "begin" and node.inward:
            message = f"Node “{node.name}” of type begin has the incoming edge “{node.inward[0]}”."
            yield _problem(graph, "begin_entered", message, node)
        if node.kind == "end" and node.outward:
            message = f"Node “{node.name}” of type end has the outgoing edge “{node.outward[0]}”."
            yield _problem(graph, "end_left", message, node)
        if node.kind in ("begin", *CHOOSING, "parallel", "none") and not node.outward:
            message = f"Node “{node.name}” of type {node.kind} has no outgoing edge."
            yield _problem(graph, "no_outgoing", message, node)


def _performers(graph: Graph) -> Iterator[Problem]:
    """Return the nodes whose performer is none that they can have."""
    for node in graph.nodes.values():
        given = node.options.get("performer")
        if given is not None and (node.kind != "task" or given not in ("person", "worker")):
            message = (
                f"The performer of node “{node.name}” is person or worker, not “{str(given)[:40]}”."
                if node.kind == "task"
                else f"The database performs node “{node.name}” of type {node.kind}: remove its performer."
            )
            yield _problem(graph, "bad_performer", message, node)


def _lacks_begin(scope: str | None) -> str:
    if scope is None:
        return "The graph has no node of type begin."
    return f"Sub-process “{scope}” has no node of type begin."


def _lacks_end(scope: str | None) -> str:
    if scope is None:
        return "The graph has no node without outgoing edges."
    return f"Sub-process “{scope}” has no node without outgoing edges."


def _borders(graph: Graph) -> Iterator[Problem]:
    """Return the edges that lead into or out of a sub-process; only its own node has such edges."""
    for edge in graph.edges.values():
        source, target = graph.nodes[edge.source], graph.nodes[edge.target]
        if source.within != target.within:
            message = (
                f"Edge “{edge.name}” crosses the border of a sub-process: “{source.name}” and "
                f"“{target.name}” are not in the same one."
            )
            yield Problem("crosses_border", message, *graph.places(edge.path))


def _conditions(graph: Graph) -> Iterator[Problem]:
    """Return conditions and defaults that are missing or have no effect."""
    for node in graph.nodes.values():
        edges = [graph.edges[name] for name in node.outward]
        defaults = [edge for edge in edges if edge.default]
        chooses = is_choosing(node, edges)
        for edge in edges:
            if (edge.condition is not None or edge.default) and not chooses:
                message = (
                    f"Edge “{edge.name}” has a condition or is the default, but node “{node.name}” "
                    "always takes it."
                )
                yield Problem("no_effect", message, *graph.places(edge.path))
            if edge.default and edge.condition is not None:
                message = f"Edge “{edge.name}” cannot be the default: it has a condition."
                yield Problem("second_default", message, *graph.places(edge.path))
            elif edge.default and edge is not defaults[0]:
                message = f"Edge “{edge.name}” cannot be the default: edge “{defaults[0].name}” is."
                yield Problem("second_default", message, *graph.places(edge.path))
        if chooses and node.kind == "exclusive" and len(edges) > 1:
            yield from _unconditional(graph, node)
        if chooses and not defaults and all(edge.condition is not None for edge in edges):
            message = (
                f"Node “{node.name}” has no default. If no condition holds, the instance is an exception."
            )
            yield _problem(graph, "no_default", message, node, "warning")


def _unconditional(graph: Graph, node: Node) -> Iterator[Problem]:
    """Return the edges of an exclusive gateway that are never chosen for want of a condition."""
    for edge in (graph.edges[name] for name in node.outward):
        if edge.condition is None and not edge.default:
            message = f"Edge “{edge.name}” of gateway “{node.name}” has no condition and is not the default."
            yield Problem("no_condition", message, *graph.places(edge.path))


def _events(graph: Graph) -> Iterator[Problem]:
    """Return the edges of event gateways that do not lead to a task of their own, and those back to them.

    The task takes the token of the gateway, and would put it where it was.
    """
    for node in graph.nodes.values():
        for edge in (graph.edges[name] for name in node.outward if node.kind == "event"):
            target = graph.nodes[edge.target]
            if target.kind != "task" or len(target.inward) > 1:
                message = (
                    f"Edge “{edge.name}” of event gateway “{node.name}” must lead to a task that has no "
                    "other incoming edge."
                )
                yield Problem("no_event", message, *graph.places(edge.path))
            for back in (graph.edges[name] for name in target.outward):
                if back.target == node.name:
                    message = (
                        f"Edge “{back.name}” leads back to event gateway “{node.name}”, whose token its task "
                        "takes: put a node between them."
                    )
                    yield Problem("no_event", message, *graph.places(back.path))


def _unreached(graph: Graph) -> Iterator[Problem]:
    """Return the nodes that no start leads to."""
    apart = [node for node in graph.nodes.values() if node.apart]
    edges = [graph.edges[edge] for edge in (*graph.start, *(edge for node in apart for edge in node.outward))]
    first = {edge.source for edge in edges} | {edge.target for edge in edges}
    reached = _closure(first, lambda name: _next(graph, name))
    for node in graph.nodes.values():
        if node.name not in reached and node.rule.during is None:
            yield _problem(graph, "unreachable", f"No start leads to node “{node.name}”.", node)


def _next(graph: Graph, name: str) -> Iterator[str]:
    node = graph.nodes[name]
    starts = name in {graph.edges[edge].source for edge in graph.start}
    for edge in node.outward:
        if not starts or edge in graph.start:
            yield graph.edges[edge].target
    if node.kind == "subprocess":
        for edge in graph.entry(name):
            yield from (graph.edges[edge].source, graph.edges[edge].target)


def _without_exit(graph: Graph) -> Iterator[Problem]:
    """Return the cycles that lead to no end of the graph, or of their sub-process."""
    ends = {node.name for node in graph.nodes.values() if not node.outward}
    leaving = _closure(ends, lambda name: (graph.edges[edge].source for edge in graph.nodes[name].inward))
    for cycle in _cycles(graph, {*graph.nodes} - leaving):
        names = ", ".join(f"“{name}”" for name in cycle[:10])
        message = f"The cycle of {names} has no exit: no end can be reached from it."
        yield _problem(graph, "no_exit", message, graph.nodes[cycle[0]])


def _cycles(graph: Graph, names: set[str]) -> Iterator[list[str]]:
    """Return the groups of these nodes whose members lead to each other, each in the order of the graph."""
    done: set[str] = set()
    for name in graph.nodes:
        if name in names and name not in done:
            ahead = _closure(_targets(graph, name), lambda each: _targets(graph, each))
            back = _closure(_sources(graph, name), lambda each: _sources(graph, each))
            group = ahead & back & names
            done |= group
            if name in group:
                yield [each for each in graph.nodes if each in group]


def _targets(graph: Graph, name: str) -> Iterator[str]:
    return (graph.edges[edge].target for edge in graph.nodes[name].outward)


def _sources(graph: Graph, name: str) -> Iterator[str]:
    return (graph.edges[edge].source for edge in graph.nodes[name].inward)


def _closure(first: Iterable[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    """Return these nodes and all that follow from them."""
    found: set[str] = set()
    pending = [*first]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += following(name)
    return found
