"""Choices that a drawing leaves to people: exclusive gateways whose flows have no conditions.

Whoever performs the task before the gateway chooses one of its flows, by an attribute that the gateway
empties once it has decided. Where no such task is before it, a job of a person is added that asks.
"""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.model import TASKS, Choice, Element, Expression, Flow

LONGEST_VALUE = 60
_SHOWN = 200


def add_choices(sketch: Sketch) -> None:
    """Add what decides at the exclusive gateways of a process that have flows without conditions."""
    for gateway in [each for each in sketch.elements.values() if each.tag == "exclusiveGateway"]:
        flows = sketch.leaving(gateway.id)
        open_ = [flow for flow in flows if flow.condition is None]
        if len(flows) < 2 or not open_ or [flow.id for flow in open_] == [gateway.default]:
            continue
        if len(open_) == 1:
            _usual(sketch, gateway, open_[0])
        else:
            _chosen(sketch, gateway, open_)


def _usual(sketch: Sketch, gateway: Element, flow: Flow) -> None:
    """Take the only flow without a condition where no other one holds."""
    sketch.change(replace(gateway, default=flow.id))
    way, title = shown(sketch, flow), _title(sketch, gateway)
    message = f"“{way}” has no condition: it is taken where no other flow of “{title}” is."
    sketch.warn(message, flow)


def _chosen(sketch: Sketch, gateway: Element, flows: list[Flow]) -> None:
    """Let whoever performs the tasks before the gateway choose; without such tasks, add one that asks."""
    values = _values(sketch, flows)
    title = _title(sketch, gateway)
    choice = Choice(sketch.attribute(f"choice_{title}"), tuple(values), title)
    for value, flow in values.items():
        condition = Expression(f"{choice.attribute} = {_quoted(value)}", "sql", flow.line, flow.column)
        sketch.flows[flow.id] = replace(flow, condition=condition)
    sketch.change(replace(gateway, default="", resets=choice.attribute))
    names = ", ".join(f"“{value}”" for value in values)[:_SHOWN]
    tasks = _before(sketch, gateway.id)
    if tasks is None:
        _asked(sketch, gateway, choice)
        message = f"No condition decides at “{title}”: a person chooses {names} in a job of its own."
        sketch.warn(message, gateway)
        return
    for task in tasks:
        sketch.change(replace(sketch.elements[task], choice=choice))
    by = ", ".join(f"“{sketch.titles[task]}”" for task in tasks)[:_SHOWN]
    message = f"No condition decides at “{title}”: whoever performs {by} chooses {names}."
    sketch.warn(message, gateway)


def _asked(sketch: Sketch, gateway: Element, choice: Choice) -> None:
    """Add a job of a person before the gateway."""
    asking = Element(
        f"{gateway.id}/choice", "userTask", _title(sketch, gateway), scope=gateway.scope, person=True,
        choice=choice,
    )  # fmt: skip
    for flow in sketch.entering(gateway.id):
        sketch.redirect(flow, target=asking.id)
    sketch.add(asking, gateway)
    sketch.connect(f"{gateway.id}/chosen", asking.id, gateway.id, gateway)


def _before(sketch: Sketch, gateway: str) -> list[str] | None:
    """Return the tasks after which nothing but the choice comes; None where the way has others, too."""
    found: dict[str, None] = {}
    pending, seen = [gateway], set()
    while pending:
        entering = sketch.entering(pending.pop())
        if not entering:
            return None
        for flow in entering:
            element = sketch.elements.get(flow.source)
            if element is None or flow.condition is not None or len(sketch.leaving(flow.source)) != 1:
                return None
            if _passes(element):
                pending += [element.id] if element.id not in seen else []
                seen.add(element.id)
            elif _can_choose(element):
                found[element.id] = None
            else:
                return None
    return [*found]


def _passes(element: Element) -> bool:
    """Return whether an element with one way on passes each token at once."""
    throws = element.tag == "intermediateThrowEvent" and element.trigger.kind == "none"
    return element.tag == "exclusiveGateway" or throws


def _can_choose(element: Element) -> bool:
    worker = TASKS.get(element.tag) == "worker"
    other = element.loop is not None or element.choice is not None or element.compensates
    return worker and not other and "outcomes" not in element.options


def _values(sketch: Sketch, flows: list[Flow]) -> dict[str, Flow]:
    """Return the flows by their names, or those of what they lead to, no two of them the same."""
    found: dict[str, Flow] = {}
    for flow in flows:
        name = _plain(shown(sketch, flow))
        value, number = name, 2
        while value.casefold() in {each.casefold() for each in found} or value.casefold() == "failed":
            value = f"{name[: LONGEST_VALUE - 4]} {number}"
            number += 1
        found[value] = flow
    return found


def shown(sketch: Sketch, flow: Flow) -> str:
    """Return the name of a flow, or that of the element that it leads to."""
    return flow.name or sketch.titles.get(flow.target, "") or flow.id


def _plain(text: str) -> str:
    """Return a text as the name of an outcome, which has no colon and is not too long."""
    plain = " ".join(text.replace(":", " ").replace(";", ",").split())
    return plain[:LONGEST_VALUE].strip() or "?"


def _title(sketch: Sketch, gateway: Element) -> str:
    return sketch.titles[gateway.id]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
