"""Conditions that are not read here, programs and texts for readers: they are left to people."""

from __future__ import annotations

import re
from dataclasses import replace

from flows.languages.bpmn.additions.choices import shown
from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.conditions import types
from flows.languages.bpmn.expressions import NotUnderstood, is_program, is_unread, sql
from flows.languages.bpmn.model import ACTIVITIES, Datum, Element, Expression, Flow, Trigger

_LONGEST = 80
_ASKING = frozenset({"exclusiveGateway", "inclusiveGateway", "complexGateway", *ACTIVITIES})


def leave_programs(sketch: Sketch) -> None:
    """Leave to people what conditions that are not read here would decide."""
    known = types(sketch.read)
    for element in [*sketch.elements.values()]:
        if element.tag == "exclusiveGateway":
            _gateway(sketch, element, known)
        elif element.trigger.kind == "conditional" and _is_unread(sketch, element.trigger.expression, known):
            _event(sketch, element)
        if element.loop is not None:
            _repetition(sketch, element, known)
        if element.tag == "complexGateway":
            _activation(sketch, element)
        _values(sketch, sketch.elements[element.id], known)
    for element in [*sketch.elements.values()]:
        if element.tag in _ASKING:
            unread = [each for each in sketch.leaving(element.id) if _is_computed(sketch, each, known)]
            _asked(sketch, element, [each for each in unread if each.id != element.default])


def _is_unread(sketch: Sketch, expression: Expression | None, known: dict[str, str]) -> bool:
    """Return whether an expression is left to people; files that declare attributes have no texts."""
    if expression is None:
        return False
    if sketch.read.declares:
        return is_program(expression, sketch.read.language)
    return is_unread(expression, sketch.read.language, known)


def _is_computed(sketch: Sketch, flow: Flow, known: dict[str, str]) -> bool:
    return _is_unread(sketch, flow.condition, known)


def _gateway(sketch: Sketch, gateway: Element, known: dict[str, str]) -> None:
    """Take conditions from the flows of a gateway where another one is without: someone chooses then."""
    flows = sketch.leaving(gateway.id)
    computed = [flow for flow in flows if _is_computed(sketch, flow, known) and flow.id != gateway.default]
    others = [flow for flow in flows if flow.condition is None or flow.id == gateway.default]
    if not computed or len(computed) + len(others) < len(("one", "another")):
        return
    sketch.change(replace(gateway, default=""))
    for flow in [*computed, *others]:
        sketch.flows[flow.id] = replace(flow, condition=None)
    for flow in computed:
        message = (
            f"Only a program can compute the condition of “{shown(sketch, flow)}”, "
            f"“{_text(flow.condition)}”: it is a choice."
        )
        sketch.warn(message, flow)


def _text(expression: Expression | None) -> str:
    return " ".join(expression.text.split())[:_LONGEST] if expression is not None else ""


def _event(sketch: Sketch, element: Element) -> None:
    sketch.change(replace(element, trigger=Trigger("person", element.trigger.name)))
    title = sketch.titles[element.id]
    message = f"Only a program can compute the condition of “{title}”: a person says when it happens."
    sketch.warn(message, element)


def _asked(sketch: Sketch, element: Element, flows: list[Flow]) -> None:
    """Let a person say before the ways on of an element which of their conditions hold."""
    if not flows:
        return
    names = [_truth(sketch, element, flow) for flow in flows]
    title = sketch.titles[element.id]
    asking = Element(
        f"{element.id}/conditions", "userTask", f"{title}: which conditions hold", scope=element.scope,
        person=True, options={"writes": ", ".join(names)},
    )  # fmt: skip
    sketch.add(asking, element)
    if element.tag in ACTIVITIES:
        _after(sketch, element, asking)
    else:
        for flow in sketch.entering(element.id):
            sketch.redirect(flow, target=asking.id)
        sketch.connect(f"{asking.id}/on", asking.id, element.id, element)


def _truth(sketch: Sketch, element: Element, flow: Flow) -> str:
    """Let the condition of a flow be a truth value that a person gives, and return its attribute."""
    way, text = shown(sketch, flow), _text(flow.condition)
    name = sketch.attribute(f"holds_{way}")
    options = {"name": name, "type": "boolean", "label": f"{sketch.titles[element.id]}: {way}"}
    sketch.data.append(Datum(flow.id, options, flow.line, flow.column))
    condition = Expression(name, "sql", flow.line, flow.column)
    sketch.flows[flow.id] = replace(flow, condition=condition)
    message = f"The condition of “{way}”, “{text}”, is not read here: a person says whether it holds."
    sketch.warn(message, flow)
    return name


def _after(sketch: Sketch, element: Element, asking: Element) -> None:
    """Let the task that asks be after an activity, and its ways on after the task."""
    ways = Element(f"{element.id}/ways", "inclusiveGateway", sketch.titles[element.id], scope=element.scope,
                   default=element.default)  # fmt: skip
    sketch.add(ways, element)
    for flow in sketch.leaving(element.id):
        sketch.redirect(flow, source=ways.id)
    sketch.change(replace(element, default=""))
    sketch.connect(f"{asking.id}/in", element.id, asking.id, element)
    sketch.connect(f"{asking.id}/on", asking.id, ways.id, element)


def _repetition(sketch: Sketch, element: Element, known: dict[str, str]) -> None:
    """Leave to people how often an activity is repeated, where no number or condition is read."""
    loop, title = element.loop, sketch.titles[element.id]
    if loop is None:
        return
    if loop.most and not loop.most.isdigit():
        sketch.warn(f"The maximum of the loop of “{title}” is no whole number: it has none.", element)
        loop = replace(loop, most="")
    unread = {
        name for name in ("condition", "times", "items", "until")
        if _is_unread(sketch, getattr(loop, name), known)
        and not (name in ("times", "items") and _is_value(sketch, getattr(loop, name), known))
    }  # fmt: skip
    for name in sorted(unread):
        sketch.warn(_left(title, name, _text(getattr(loop, name))), element)
    sketch.change(replace(element, loop=replace(loop, **dict.fromkeys(unread))))


_NEED = re.compile(r"(?:\w+\s*>=\s*)?(\d{1,3})")


def _activation(sketch: Sketch, gateway: Element) -> None:
    """Let a gateway wait as an inclusive one where its activation is no number of its incoming flows."""
    found, most = gateway.expression, len(sketch.entering(gateway.id))
    number = _NEED.fullmatch(found.text.lstrip("=").strip("${} ")) if found is not None else None
    if sketch.read.declares or found is None or (number and 1 <= int(number[1]) <= most):
        return
    sketch.change(replace(gateway, tag="inclusiveGateway", expression=None))
    title = sketch.titles[gateway.id]
    message = (
        f"The activation of “{title}”, “{_text(found)}”, is no number of its incoming flows: it waits as an "
        "inclusive gateway does."
    )
    sketch.warn(message, gateway)


def _values(sketch: Sketch, element: Element, known: dict[str, str]) -> None:
    """Leave out values that a call would pass, and that are not read here."""
    if element.tag == "scriptTask":
        return
    for name in ("inputs", "outputs"):
        unread = [each for each in getattr(element, name) if _is_unread(sketch, each.source, {**known})

                  and not _is_value(sketch, each.source, known)]  # fmt: skip
        for each in unread:
            text = _text(each.source)
            sketch.warn(
                f"The value of “{each.target}”, “{text}”, is not read here: it is not passed.", element
            )
        kept = tuple(each for each in getattr(element, name) if each not in unread)
        element = replace(element, **{name: kept})
        sketch.change(element)


def _is_value(sketch: Sketch, expression: Expression, known: dict[str, str]) -> bool:
    """Return whether an expression is read as a value: a number or a text, too."""
    try:
        sql(expression, sketch.read.language, "", known)
    except NotUnderstood:
        return False
    return True


def _left(title: str, name: str, text: str) -> str:
    """Return the sentence about a part of a repetition that is not read."""
    sentences = {
        "condition": f"The condition of the loop of “{title}”, “{text}”, is not read here.",
        "times": f"The number of repetitions of “{title}”, “{text}”, is not read here.",
        "items": f"The collection of “{title}”, “{text}”, is not read here.",
        "until": f"When “{title}” is complete, “{text}”, is not read here: it is when each one has ended.",
    }
    return sentences[name]
