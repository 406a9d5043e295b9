"""Checks of the rules of a workflow: what begins, cycles, and what is never reached."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from flows.languages.pdl.model import (
    FAILED,
    NOT_READY,
    SUCCEEDED,
    Activity,
    Library,
    Operation,
    Rule,
    Term,
    Workflow,
    terms,
)
from flows.languages.pdl.problems import PdlProblem, problem

_LISTED = 6  # activities of a cycle in its message


def check_order(library: Library, workflow: Workflow) -> Iterator[PdlProblem]:
    """Return the problems of the rules of a workflow."""
    known = {each.id: each for each in workflow.activities}
    for each in workflow.activities:
        yield from _terms(library, each, known)
    if library.partial:
        return
    if not known:
        yield problem("no_tasks", "The workflow has no task: add one.", workflow.place, workflow.id)
    elif all(each.rule is not None for each in workflow.activities):
        message = "Each task depends on others, so none begins: write one without DEPENDS."
        yield problem("no_start", message, workflow.place, workflow.id)
    found = components(known)
    names = needs(known)
    cyclic: set[str] = set()
    for cycle in found:
        if len(cycle) == 1 and cycle[0] not in names[cycle[0]]:
            continue
        cyclic |= {*cycle}
        listed = " -> ".join([*cycle[:_LISTED], *(["..."] if len(cycle) > _LISTED else []), cycle[0]])
        message = f"These activities depend on each other, so none of them begins: {listed}."
        yield problem("cycle", message, known[cycle[0]].place, cycle[0])
    reached = reachable(known, found)
    for each in workflow.activities:
        if each.id not in reached and each.id not in cyclic:
            message = "It is never reached: its rule needs activities or states that are never reached."
            yield problem("unreachable", message, each.place, each.id)


def _terms(library: Library, activity: Activity, known: Mapping[str, Activity]) -> Iterator[PdlProblem]:
    """Check the terms of one rule."""
    for term in terms(activity.rule):
        if term.activity not in known and not library.partial:
            message = f"There is no activity “{term.activity}” here: define it, or correct the name."
            yield problem("unknown_id", message, term.place, activity.id)
        elif term.state == NOT_READY:
            message = "No activity changes to NOT_READY, in which all begin: choose another state."
            yield problem("never_true", message, term.place, activity.id)
    for first in _both(activity.rule):
        message = (
            f"“{first}” succeeds and fails only if it is retried after it failed: write OR if one will do."
        )
        yield problem("both_outcomes", message, activity.place, activity.id, "warning")


def _both(rule: Rule | None) -> Iterator[str]:
    """Return the activities that an AND needs to succeed and to fail."""
    if not isinstance(rule, Operation):
        return
    if rule.operator == "AND":
        states = defaultdict(set)
        for part in rule.parts:
            if isinstance(part, Term):
                states[part.activity].add(part.state)
        yield from (name for name, found in states.items() if {SUCCEEDED, FAILED} <= found)
    for part in rule.parts:
        yield from _both(part)


def needs(known: Mapping[str, Activity]) -> dict[str, list[str]]:
    """Return for each activity those that its rule names."""
    return {
        name: [*dict.fromkeys(term.activity for term in terms(each.rule) if term.activity in known)]
        for name, each in known.items()
    }


def components(known: Mapping[str, Activity]) -> list[list[str]]:
    """Return the activities in lists of those that depend on each other, in linear time.

    What an activity depends on comes before it.
    """
    return [*_components(needs(known))]


def _components(edges: Mapping[str, list[str]]) -> Iterator[list[str]]:
    """Return the strongly connected components of a graph (Tarjan), without recursion."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    for root in edges:
        work = [(root, iter(edges[root]))] if root not in number else []
        while work:
            name, following = work[-1]
            if name not in number:
                number[name] = low[name] = len(number)
                stack.append(name)
                on_stack.add(name)
            new = next((each for each in following if each not in number or each in on_stack), None)
            if new is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == number[name]:
                    found = [stack.pop()]
                    while found[-1] != name:
                        found.append(stack.pop())
                    on_stack.difference_update(found)
                    yield found[::-1]
            elif new in number:
                low[name] = min(low[name], number[new])
            else:
                work.append((new, iter(edges[new])))


def reachable(known: Mapping[str, Activity], found: Iterable[list[str]]) -> set[str]:
    """Return the activities whose rules can become true; ids that are unknown count as reached.

    found: the components, in their order.
    """
    reached: set[str] = set()
    for component in found:
        left, more = {*component}, True
        while more:
            now = {name for name in left if _holds(known[name].rule, known, reached)}
            reached |= now
            left -= now
            more = bool(now and left)
    return reached


def _holds(rule: Rule | None, known: Mapping[str, Activity], reached: set[str]) -> bool:
    if rule is None:
        return True
    if isinstance(rule, Term):
        return (rule.activity in reached or rule.activity not in known) and rule.state != NOT_READY
    parts = (_holds(part, known, reached) for part in rule.parts)
    return all(parts) if rule.operator == "AND" else any(parts)
