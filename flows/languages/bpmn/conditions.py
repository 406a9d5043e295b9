"""The conditions of a process that has other problems, for a report of all problems at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from flows.languages.bpmn import times
from flows.languages.bpmn.expressions import NotUnderstood, feel_names, sql
from flows.languages.bpmn.model import Element, Expression, Flow, Process
from flows.languages.bpmn.names import slug
from flows.languages.bpmn.performances import without_counters
from flows.languages.bpmn.problems import BpmnProblem


@dataclass(frozen=True)
class Condition:
    """A condition of a sequence flow or of an event, as SQL."""

    owner: Flow | Element
    sql: str


def conditions(process: Process, problems: list[BpmnProblem]) -> Iterator[Condition]:
    """Return the conditions of a process; what is no expression is added to the problems."""
    known = given_types(process)
    for owner, expression in _written(process):
        try:
            yield Condition(owner, sql(expression, process.language, owner.id, known))
        except NotUnderstood as error:
            problems.append(error.problem)


def uses(process: Process) -> Iterator[Condition]:
    """Return conditions that name what timers and repetitions name, valid where that is of the right type."""
    known = given_types(process)
    for element in process.elements.values():
        timer = element.trigger.expression
        found = times.offset(timer.text) if timer is not None and element.trigger.form == "date" else None
        if found is not None and found[0] not in known:
            yield Condition(element, f"{found[0]} > timestamptz '2000-01-01 00:00:00+00'")
        for expression, form in _repeated(element):
            with suppress(NotUnderstood):
                text = sql(expression, process.language, element.id, known)
                yield Condition(element, form.format(text))
        until = element.loop.until if element.loop is not None else None
        if until is not None:
            with suppress(NotUnderstood):
                text = sql(until, process.language, element.id, known)
                yield Condition(element, without_counters(text))


def passed(process: Process) -> Iterator[Condition]:
    """Return conditions that name what children get and return, and what scripts set."""
    known = given_types(process)
    for element in process.elements.values():
        for each in element.inputs:
            with suppress(NotUnderstood):
                yield Condition(element, f"({sql(each.source, process.language, element.id, known)}) is null")
        for each in element.outputs:
            if element.tag != "scriptTask":
                yield Condition(element, f"{each.target} is null")
                continue
            with suppress(NotUnderstood):
                value = sql(each.source, process.language, element.id, known)
                yield Condition(element, f"{each.target} = ({value})")


def _repeated(element: Element) -> Iterator[tuple[Expression, str]]:
    """Return the expressions of the repetition of an element, with the condition to make of each."""
    loop = element.loop
    forms = {"items": "jsonb_typeof({}) = 'array'", "times": "({}) >= 0", "condition": "{}"}
    for name, form in forms.items():
        expression = getattr(loop, name, None)
        if expression is not None:
            yield expression, form


def names(process: Process) -> frozenset[str]:
    """Return the names in the conditions of a process that are in FEEL, some of which SQL may reserve."""
    found = (feel_names(expression, process.language) for _owner, expression in _written(process))
    return frozenset().union(*found)


def _written(process: Process) -> Iterator[tuple[Flow | Element, Expression]]:
    """Return the conditions of a process as they are written, with what they belong to."""
    owners: list[tuple[Flow | Element, Expression | None]] = [
        *((flow, flow.condition) for flow in process.flows.values()),
        *((each, each.trigger.expression) for each in process.elements.values() if _is_conditional(each)),
        *((each, each.expression) for each in process.elements.values() if each.ordering),
    ]
    return ((owner, expression) for owner, expression in owners if expression is not None)


def types(process: Process) -> dict[str, str]:
    """Return the types of the attributes that conditions may name, also of those that the import adds."""
    added = {"error": "text", "interrupted": "integer", "ended_by": "text", "started_by": "text"}
    for element in process.elements.values():
        if element.loop is not None:
            added |= {f"i_{slug(name)}": "integer" for name in (element.id, element.name) if name}
            added |= {element.loop.item: "jsonb"} if element.loop.item else {}
    return added | {str(each.options["name"]): str(each.options.get("type", "text")) for each in process.data}


def given_types(process: Process) -> dict[str, str]:
    """Return the types by which conditions are read; data objects whose items are not defined have none."""
    untyped = {str(each.options["name"]) for each in process.data if each.id and "type" not in each.options}
    return {name: type_ for name, type_ in types(process).items() if name not in untyped}


def _is_conditional(element: Element) -> bool:
    return element.trigger.kind == "conditional"
