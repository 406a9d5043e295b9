"""Conditions that only a program can compute: they are left to people, with a warning."""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.additions.choices import shown
from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.expressions import is_program
from flows.languages.bpmn.model import Element, Expression, Flow, Trigger

_LONGEST = 80


def leave_programs(sketch: Sketch) -> None:
    """Leave to people what the conditions of gateways and events would have a program compute."""
    for element in [*sketch.elements.values()]:
        if element.tag == "exclusiveGateway":
            _gateway(sketch, element)
        elif element.trigger.kind == "conditional" and _is_program(sketch, element.trigger.expression):
            _event(sketch, element)


def _is_program(sketch: Sketch, expression: Expression | None) -> bool:
    return expression is not None and is_program(expression, sketch.read.language)


def _gateway(sketch: Sketch, gateway: Element) -> None:
    """Take conditions from the flows of a gateway where another one is without: someone chooses then."""
    flows = sketch.leaving(gateway.id)
    computed = [flow for flow in flows if _is_program(sketch, flow.condition) and flow.id != gateway.default]
    others = [flow for flow in flows if flow.condition is None or flow.id == gateway.default]
    if not computed or len(computed) + len(others) < len(("one", "another")):
        return
    sketch.change(replace(gateway, default=""))
    for flow in [*computed, *others]:
        sketch.flows[flow.id] = replace(flow, condition=None)
    for flow in computed:
        message = (
            f"Only a program can compute the condition of “{shown(sketch, flow)}”, “{_text(flow)}”: it is a "
            "choice."
        )
        sketch.warn(message, flow)


def _text(flow: Flow) -> str:
    return " ".join(flow.condition.text.split())[:_LONGEST] if flow.condition is not None else ""


def _event(sketch: Sketch, element: Element) -> None:
    sketch.change(replace(element, trigger=Trigger("person", element.trigger.name)))
    title = sketch.titles[element.id]
    message = f"Only a program can compute the condition of “{title}”: a person says when it happens."
    sketch.warn(message, element)
