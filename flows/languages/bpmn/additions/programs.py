"""Conditions that are not read here, programs and texts for readers: they are left to people."""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.additions.choices import shown
from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.additions.unread_values import is_left, shown_text
from flows.languages.bpmn.conditions import given_types
from flows.languages.bpmn.model import ACTIVITIES, Datum, Element, Expression, Flow, Trigger

_ASKING = frozenset({"exclusiveGateway", "inclusiveGateway", "complexGateway", *ACTIVITIES})


def leave_programs(sketch: Sketch) -> None:
    """Leave to people what conditions that are not read here would decide."""
    known = given_types(sketch.read)
    for element in [*sketch.elements.values()]:
        if element.tag == "exclusiveGateway":
            _gateway(sketch, element, known)
        elif element.trigger.kind == "conditional" and is_left(sketch, element.trigger.expression, known):
            _event(sketch, element)
    for element in [*sketch.elements.values()]:
        if element.tag in _ASKING:
            unread = [each for each in sketch.leaving(element.id) if _is_computed(sketch, each, known)]
            _asked(sketch, element, [each for each in unread if each.id != element.default])


def _is_computed(sketch: Sketch, flow: Flow, known: dict[str, str]) -> bool:
    return is_left(sketch, flow.condition, known)


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
            f"“{shown_text(flow.condition)}”: it is a choice."
        )
        sketch.warn(message, flow)


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
    way, text = shown(sketch, flow), shown_text(flow.condition)
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
