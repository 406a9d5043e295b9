"""What an event-based gateway leads to where that is no event of its own."""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.model import Element, Flow, Trigger

_EVENTS = frozenset({"message", "signal", "timer", "conditional", "person"})


def add_event_ways(sketch: Sketch) -> None:
    """Let event-based gateways lead to events only, each of which no other flow leads to."""
    for gateway in [each for each in sketch.elements.values() if each.tag == "eventBasedGateway"]:
        for flow in sketch.leaving(gateway.id) if not gateway.instantiates else ():
            target = sketch.elements[flow.target]
            if not _is_event(target):
                _asked(sketch, flow, target)
            elif len(sketch.entering(target.id)) > 1:
                _alone(sketch, flow, target)


def _is_event(element: Element) -> bool:
    if element.tag == "receiveTask":
        return True
    kinds = {each.kind for each in element.triggers or (element.trigger,)}
    return element.tag == "intermediateCatchEvent" and kinds <= _EVENTS


def _asked(sketch: Sketch, flow: Flow, target: Element) -> None:
    """Let a person say when the way to something that is no event is taken."""
    title = sketch.titles[target.id]
    event = Element(
        f"{flow.id}/event", "intermediateCatchEvent", flow.name or title, scope=target.scope,
        trigger=Trigger("person"),
    )  # fmt: skip
    sketch.add(event, target)
    sketch.redirect(flow, target=event.id)
    sketch.connect(f"{flow.id}/on", event.id, target.id, target)
    message = f"An event-based gateway leads to events; “{title}” is none: a person says when it begins."
    sketch.warn(message, flow)


def _alone(sketch: Sketch, flow: Flow, target: Element) -> None:
    """Let a gateway have an event of its own, which leads to what the one leads to that others share."""
    if target.tag == "receiveTask" or target.triggers:
        return
    event = replace(target, id=f"{flow.id}/event", options={})
    sketch.add(event, target)
    sketch.redirect(flow, target=event.id)
    for onward in sketch.leaving(target.id):
        id_ = f"{flow.id}/{onward.id}"
        sketch.flows[id_] = replace(onward, id=id_, source=event.id)
        sketch.parts[id_] = sketch.parts.get(onward.id, onward.id)
