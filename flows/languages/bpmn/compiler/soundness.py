"""What BPMN allows, and is often a mistake: warnings, with the names of elements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from flows.languages.bpmn.model import Process
from flows.languages.graph import Graph, Problem
from flows.languages.graph.problems import DeadEnd

_ALLOWED = frozenset({"dead_end", "grows", "no_exit", "unreachable", "no_outgoing"})
_SHOWN = 5


def tolerated(process: Process, graph: Graph, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Return the problems of a graph; those that BPMN allows as warnings, each once for an element."""
    seen: set[tuple[str, str]] = set()
    for problem in problems:
        if problem.code not in _ALLOWED or _is_start(process, problem):
            yield problem
            continue
        if problem.code == "no_exit" and _is_ended(graph, problem):
            continue
        said = _said(graph, problem)
        if (problem.code, said.message) not in seen:
            seen.add((problem.code, said.message))
            yield replace(said, severity="warning")


def _is_start(process: Process, problem: Problem) -> bool:
    """Return whether a start event leads nowhere; one that was added has the place of what it leads to."""
    here = {each.tag for each in process.elements.values() if (each.line, each.column) == problem.place}
    return problem.code == "no_outgoing" and here == {"startEvent"}


def _is_ended(graph: Graph, problem: Problem) -> bool:
    """Return whether an end event of the same level takes all tokens, also those of a cycle."""
    owners = [each for each in graph.nodes.values() if graph.places(each.path) == problem.place]
    levels = {each.within or "" for each in owners}
    return any(each.kind == "end" and each.rule.ends in levels for each in graph.nodes.values())


def _said(graph: Graph, problem: Problem) -> Problem:
    if isinstance(problem, DeadEnd):
        title = graph.nodes[problem.node].title
        where = ", ".join(f"“{_title(graph, n)}” → {_ways(graph, e)}" for n, e in problem.choices[:_SHOWN])
        message = f"“{title}” can wait without end."
        if where:
            message = f"“{title}” waits without end where these ways are taken: {where}."
        return Problem(problem.code, message, problem.line, problem.column)
    owner = next((n for n in graph.nodes.values() if graph.places(n.path) == problem.place), None)
    title = owner.title if owner is not None else ""
    if problem.code == "unreachable" and title:
        message = f"No way leads to “{title}”: it is never performed."
        return replace(problem, message=message)
    if problem.code == "no_outgoing" and title:
        return replace(problem, message=f"No flow leaves “{title}”: its tokens end there.")
    return problem


def _title(graph: Graph, node: str) -> str:
    return graph.nodes[node].title


def _ways(graph: Graph, edges: Iterable[str]) -> str:
    return " + ".join(f"“{_title(graph, graph.edges[edge].target)}”" for edge in edges) or "-"
