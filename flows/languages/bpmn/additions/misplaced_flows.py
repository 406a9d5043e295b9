"""Sequence flows that BPMN does not have: into events that begin something, and out of those that end it."""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.model import Element, Flow, Trigger

_GOES_ON = frozenset({"none", "message", "signal", "escalation", "compensate"})


def place_flows(sketch: Sketch) -> None:
    """Let flows that BPMN does not have lead on where that is clear; leave out the others."""
    for element in [*sketch.elements.values()]:
        entering, leaving = sketch.entering(element.id), sketch.leaving(element.id)
        catches = element.trigger.kind == "link" and element.tag == "intermediateCatchEvent"
        throws = element.trigger.kind == "link" and element.tag == "intermediateThrowEvent"
        if element.by_event and (entering or leaving):
            _event_subprocess(sketch, element, [*entering, *leaving])
        elif element.tag == "startEvent" and entering:
            _to_start(sketch, element, entering, leaving)
        elif element.tag == "boundaryEvent":
            _left_out(sketch, element, entering)
        elif element.tag == "endEvent" and leaving:
            _from_end(sketch, element, leaving)
        elif catches and entering:
            _caught(sketch, element)
        elif throws:
            _left_out(sketch, element, leaving)


def _left_out(sketch: Sketch, element: Element, flows: list[Flow]) -> None:
    for flow in flows:
        del sketch.flows[flow.id]
        message = f"BPMN has no such flow at “{sketch.titles[element.id]}”: it is left out."
        sketch.warn(message, flow, "not_used")


def _to_start(sketch: Sketch, start: Element, entering: list[Flow], leaving: list[Flow]) -> None:
    """Let what leads back to a start event lead to what comes after it."""
    if len(leaving) != 1 or leaving[0].target == start.id:
        _left_out(sketch, start, entering)
        return
    title, after = sketch.titles[start.id], sketch.titles[leaving[0].target]
    for flow in entering:
        sketch.redirect(flow, target=leaving[0].target)
        message = f"In BPMN no flow leads to the start event “{title}”: this one leads to “{after}” after it."
        sketch.warn(message, flow)


def _from_end(sketch: Sketch, end: Element, leaving: list[Flow]) -> None:
    """Let an event that flows leave pass tokens on."""
    if end.trigger.kind not in _GOES_ON or end.triggers:
        _left_out(sketch, end, leaving)
        return
    sketch.change(replace(end, tag="intermediateThrowEvent"))
    message = f"In BPMN no flow leaves an end event: “{sketch.titles[end.id]}” passes each token on."
    sketch.warn(message, end)


def _caught(sketch: Sketch, event: Element) -> None:
    """Let an event that catches a link, and that flows lead to as well, pass tokens on."""
    before = sketch.add(
        Element(f"{event.id}/link", "intermediateCatchEvent", event.name, scope=event.scope,
                trigger=event.trigger), event,
    )  # fmt: skip
    sketch.change(replace(event, tag="intermediateThrowEvent", trigger=Trigger()))
    sketch.connect(f"{event.id}/on", before.id, event.id, event)


def _event_subprocess(sketch: Sketch, element: Element, flows: list[Flow]) -> None:
    """Let a sub-process that flows lead to begin by them, if no event starts it."""
    starts = [each for each in sketch.elements.values() if each.scope == element.id]
    starts = [each for each in starts if each.tag == "startEvent"]
    if any(each.trigger.kind not in ("none", "person") for each in starts):
        _left_out(sketch, element, flows)
        if element.default:
            sketch.change(replace(element, default=""))
            sketch.warn("“default” has no effect.", element, "not_used")
        return
    sketch.change(replace(element, by_event=False))
    title = sketch.titles[element.id]
    message = f"Flows lead to or from “{title}”, which no event starts: it is a sub-process like others."
    sketch.warn(message, element)
