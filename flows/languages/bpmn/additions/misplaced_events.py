"""Events of kinds that BPMN does not have where they are drawn: people say when they happen."""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.model import Element, Trigger

_CAUGHT = frozenset({"message", "signal", "timer", "conditional"})
ALLOWED = {
    "startEvent": _CAUGHT | {"none", "error", "escalation", "compensate"},
    "endEvent": frozenset(
        {"none", "message", "signal", "error", "escalation", "terminate", "compensate", "cancel"}
    ),
    "intermediateCatchEvent": _CAUGHT | {"link"},
    "intermediateThrowEvent": frozenset({"none", "message", "signal", "escalation", "link", "compensate"}),
    "boundaryEvent": _CAUGHT | {"error", "escalation", "compensate", "cancel"},
}
"""The kinds of events that BPMN has at each place."""


def place_events(sketch: Sketch) -> None:
    """Replace events of kinds that BPMN does not have at their places."""
    for element in [*sketch.elements.values()]:
        allowed = ALLOWED.get(element.tag)
        if allowed is None:
            continue
        outer = sketch.elements.get(element.scope or "")
        if element.tag == "startEvent" and outer is not None and not outer.by_event:
            continue
        if element.tag == "startEvent" and outer is None:
            allowed = _CAUGHT | {"none"}
        elif element.tag == "startEvent" and outer is not None and outer.by_event:
            allowed -= {"none"}
        if any(each.kind == "error" for each in element.triggers or (element.trigger,)):
            _interrupting(sketch, element)
        if element.triggers:
            _several(sketch, sketch.elements[element.id], allowed)
        elif element.trigger.kind not in allowed | {"person"}:
            _replaced(sketch, element)


def _interrupting(sketch: Sketch, element: Element) -> None:
    """Let an event of an error interrupt what it belongs to, as BPMN says."""
    if not element.interrupting:
        sketch.change(replace(element, interrupting=True))
        message = f"An error ends what it happens in: “{sketch.titles[element.id]}” interrupts, as BPMN says."
        sketch.warn(message, element)


def _several(sketch: Sketch, element: Element, allowed: frozenset[str]) -> None:
    """Leave out those of several definitions that an event cannot have at its place."""
    kept = tuple(each for each in element.triggers if each.kind in allowed)
    title = sketch.titles[element.id]
    for each in element.triggers:
        if each not in kept:
            sketch.warn(
                f"In BPMN no event at the place of “{title}” has {each.kind}: it is left out.", element
            )
    if len(kept) > 1:
        sketch.change(replace(element, triggers=kept))
    elif kept:
        sketch.change(replace(element, trigger=kept[0], triggers=()))
    else:
        sketch.change(replace(element, trigger=Trigger(), triggers=()))
        place_events(sketch)


def _replaced(sketch: Sketch, element: Element) -> None:
    """Replace the event of an element by what can happen at its place."""
    title, kind = sketch.titles[element.id], element.trigger.kind
    outer = sketch.elements.get(element.scope or "")
    waits = element.tag in ("boundaryEvent", "intermediateCatchEvent") or (outer and outer.by_event)
    if element.tag == "endEvent" and kind == "link":
        sketch.change(replace(element, tag="intermediateThrowEvent"))  # as before BPMN 2.0
    elif element.tag in ("endEvent", "intermediateThrowEvent"):
        sketch.change(replace(element, trigger=Trigger()))
        message = f"In BPMN no event at the place of “{title}” throws {kind}: it passes each token."
        if element.tag == "endEvent":
            message = f"In BPMN no end event throws {kind}: a token only ends at “{title}”."
        sketch.warn(message, element)
    elif not waits:
        sketch.change(replace(element, trigger=Trigger()))
        message = f"In BPMN no process starts with {kind}: people start the instances at “{title}”."
        sketch.warn(message, element)
    else:
        sketch.change(replace(element, trigger=Trigger("person", element.trigger.name)))
        message = f"In BPMN no event at the place of “{title}” has {kind}: a person says when it happens."
        if kind == "none":
            message = f"The event “{title}” does not say what happens: a person says when it does."
        sketch.warn(message, element)
