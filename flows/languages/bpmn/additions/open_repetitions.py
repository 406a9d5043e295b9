"""Repetitions without an end: a person says how often an activity is performed, or whether once more."""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.model import Choice, Datum, Element, Expression

AGAIN, ENOUGH = "Again", "Enough"


def add_ends(sketch: Sketch) -> None:
    """Add the jobs that end repetitions: of loops without a condition, of many instances without a number."""
    for element in [*sketch.elements.values()]:
        loop = element.loop
        if loop is None or loop.condition is not None or loop.most or loop.times or loop.items:
            continue
        if loop.before or loop.parallel:
            _number(sketch, element)
        else:
            _repetition(sketch, element)


def _title(sketch: Sketch, element: Element) -> str:
    return sketch.titles[element.id]


def _number(sketch: Sketch, element: Element) -> None:
    """Add a job in which a person says how often an activity is performed."""
    title, name = _title(sketch, element), sketch.attribute(f"number_{_title(sketch, element)}")
    label = f"{title}: number"
    sketch.data.append(
        Datum(element.id, {"name": name, "type": "integer", "label": label}, element.line, element.column)
    )
    times = Expression(name, "sql", element.line, element.column)
    sketch.change(replace(element, loop=replace(element.loop, times=times) if element.loop else None))
    asking = Element(
        f"{element.id}/number", "userTask", label, scope=element.scope, person=True,
        options={"writes": name},
    )  # fmt: skip
    for flow in sketch.entering(element.id):
        sketch.redirect(flow, target=asking.id)
    sketch.add(asking, element)
    sketch.connect(f"{element.id}/counted", asking.id, element.id, element)
    sketch.warn(f"“{title}” has no number of repetitions: a person gives it in a job before it.", element)


def _repetition(sketch: Sketch, element: Element) -> None:
    """Add a job after an activity in which a person says whether it is performed again."""
    title = _title(sketch, element)
    choice = Choice(sketch.attribute(f"again_{title}"), (AGAIN, ENOUGH), f"{title}: again?")
    asking, deciding, leaving = (f"{element.id}/{part}" for part in ("again", "decided", "over"))
    onward = sketch.leaving(element.id)
    sketch.change(replace(element, loop=None, default=""))
    ask = Element(asking, "userTask", choice.label, scope=element.scope, person=True, choice=choice)
    sketch.add(ask, element)
    gateway = Element(
        deciding, "exclusiveGateway", choice.label, scope=element.scope, resets=choice.attribute
    )
    sketch.add(gateway, element)
    last = Element(leaving, "inclusiveGateway", title, scope=element.scope, default=element.default)
    sketch.add(last, element)
    for flow in onward:
        sketch.redirect(flow, source=leaving)
    if not onward:
        sketch.elements[leaving] = replace(last, tag="endEvent")
    sketch.connect(f"{asking}/asked", element.id, asking, element)
    sketch.connect(f"{asking}/given", asking, deciding, element)
    for value, target in ((AGAIN, element.id), (ENOUGH, leaving)):
        condition = Expression(f"{choice.attribute} = '{value}'", "sql", element.line, element.column)
        sketch.connect(f"{deciding}/{value.lower()}", deciding, target, element, condition)
    sketch.warn(
        f"The loop of “{title}” has no condition: a person says whether it is performed again.", element
    )
