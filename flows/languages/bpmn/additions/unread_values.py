"""Numbers, collections and values that are not read here: people give them, or they are left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.conditions import given_types
from flows.languages.bpmn.expressions import NotUnderstood, is_program, is_unread, sql
from flows.languages.bpmn.model import Assignment, Element, Expression, Loop

_LONGEST = 80
_NEED = re.compile(r"(?:\w+\s*>=\s*)?(\d{1,3})")


def leave_values(sketch: Sketch) -> None:
    """Leave out what repetitions, calls and complex gateways have that is not read."""
    known = given_types(sketch.read)
    for element in [*sketch.elements.values()]:
        if element.loop is not None:
            _repetition(sketch, element, element.loop, known)
        if element.tag == "complexGateway":
            _activation(sketch, element)
        if element.tag != "scriptTask":
            _passed(sketch, sketch.elements[element.id], known)


def is_left(sketch: Sketch, expression: Expression | None, known: Mapping[str, str]) -> bool:
    """Return whether an expression is left to people; files that declare attributes have no texts."""
    if expression is None:
        return False
    if sketch.read.declares:
        return is_program(expression, sketch.read.language, known)
    return is_unread(expression, sketch.read.language, known)


def shown_text(expression: Expression | None) -> str:
    """Return the beginning of an expression, in one line."""
    return " ".join(expression.text.split())[:_LONGEST] if expression is not None else ""


def _repetition(sketch: Sketch, element: Element, loop: Loop, known: Mapping[str, str]) -> None:
    """Leave to people how often an activity is repeated, where no number or condition is read."""
    title = sketch.titles[element.id]
    if loop.most and not loop.most.isdigit():
        sketch.warn(f"The maximum of the loop of “{title}” is no whole number: it has none.", element)
        loop = replace(loop, most="")
    if is_left(sketch, loop.condition, known):
        text = shown_text(loop.condition)
        sketch.warn(f"The condition of the loop of “{title}”, “{text}”, is not read here.", element)
        loop = replace(loop, condition=None)
    if _is_no_value(sketch, loop.times, known):
        text = shown_text(loop.times)
        sketch.warn(f"The number of repetitions of “{title}”, “{text}”, is not read here.", element)
        loop = replace(loop, times=None)
    if _is_no_value(sketch, loop.items, known):
        text = shown_text(loop.items)
        sketch.warn(f"The collection of “{title}”, “{text}”, is not read here.", element)
        loop = replace(loop, items=None)
    if is_left(sketch, loop.until, known):
        text = shown_text(loop.until)
        message = f"When “{title}” is complete, “{text}”, is not read here: it is when each one has ended."
        sketch.warn(message, element)
        loop = replace(loop, until=None)
    sketch.change(replace(element, loop=loop))


def _activation(sketch: Sketch, gateway: Element) -> None:
    """Let a gateway wait as an inclusive one where its activation is no number of its incoming flows."""
    found, most = gateway.expression, len(sketch.entering(gateway.id))
    number = _NEED.fullmatch(found.text.lstrip("=").strip("${} ")) if found is not None else None
    if sketch.read.declares or found is None or (number and 1 <= int(number[1]) <= most):
        return
    sketch.change(replace(gateway, tag="inclusiveGateway", expression=None))
    title = sketch.titles[gateway.id]
    message = (
        f"The activation of “{title}”, “{shown_text(found)}”, is no number of its incoming flows: it "
        "waits as an inclusive gateway does."
    )
    sketch.warn(message, gateway)


def _passed(sketch: Sketch, element: Element, known: Mapping[str, str]) -> None:
    """Leave out values that a call would pass, and that are not read here."""
    inputs, outputs = (_read(sketch, element, each, known) for each in (element.inputs, element.outputs))
    if (inputs, outputs) != (element.inputs, element.outputs):
        sketch.change(replace(element, inputs=inputs, outputs=outputs))


def _read(
    sketch: Sketch, element: Element, given: tuple[Assignment, ...], known: Mapping[str, str]
) -> tuple[Assignment, ...]:  # fmt: skip
    """Return those of the values that are read."""
    found = []
    for each in given:
        if _is_no_value(sketch, each.source, known):
            text = shown_text(each.source)
            message = f"The value of “{each.target}”, “{text}”, is not read here: it is not passed."
            sketch.warn(message, element)
        else:
            found.append(each)
    return tuple(found)


def _is_no_value(sketch: Sketch, expression: Expression | None, known: Mapping[str, str]) -> bool:
    """Return whether an expression is left to people, and no value such as a number or a text either."""
    if expression is None or not is_left(sketch, expression, known):
        return False
    try:
        sql(expression, sketch.read.language, "", known)
    except NotUnderstood:
        return True
    return False
