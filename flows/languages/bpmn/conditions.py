"""The conditions of a process that has other problems, for a report of all problems at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from flows.languages.bpmn.expressions import NotUnderstood, feel_names, sql
from flows.languages.bpmn.model import Element, Expression, Flow, Process
from flows.languages.bpmn.names import slug
from flows.languages.bpmn.problems import BpmnProblem


@dataclass(frozen=True)
class Condition:
    """A condition of a sequence flow or of an event, as SQL."""

    owner: Flow | Element
    sql: str


def conditions(process: Process, problems: list[BpmnProblem]) -> Iterator[Condition]:
    """Return the conditions of a process; what is no expression is added to the problems."""
    known = types(process)
    for owner, expression in _written(process):
        try:
            yield Condition(owner, sql(expression, process.language, owner.id, known))
        except NotUnderstood as error:
            problems.append(error.problem)


def names(process: Process) -> frozenset[str]:
    """Return the names in the conditions of a process that are in FEEL, some of which SQL may reserve."""
    found = (feel_names(expression, process.language) for _owner, expression in _written(process))
    return frozenset().union(*found)


def _written(process: Process) -> Iterator[tuple[Flow | Element, Expression]]:
    """Return the conditions of a process as they are written, with what they belong to."""
    owners: list[tuple[Flow | Element, Expression | None]] = [
        *((flow, flow.condition) for flow in process.flows.values()),
        *((each, each.trigger.expression) for each in process.elements.values() if _is_conditional(each)),
    ]
    return ((owner, expression) for owner, expression in owners if expression is not None)


def types(process: Process) -> Mapping[str, str]:
    """Return the types of the attributes that conditions may name, also of those that the import adds."""
    added = {"error": "text", "interrupted": "integer", "ended_by": "text", "started_by": "text"}
    for element in process.elements.values():
        if element.loop is not None:
            added |= {f"i_{slug(name)}": "integer" for name in (element.id, element.name) if name}
            added |= {element.loop.item: "jsonb"} if element.loop.item else {}
    return added | {str(each.options["name"]): str(each.options.get("type", "text")) for each in process.data}


def _is_conditional(element: Element) -> bool:
    return element.trigger.kind == "conditional"
