"""Compensation that is not drawn as BPMN has it: it is tied where that is clear, else left out."""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.additions.copies import dropped
from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.model import TASKS, Element


def tie_compensations(sketch: Sketch) -> None:
    """Tie events to their activities for compensation, and leave out what nothing can start."""
    for event in [each for each in sketch.elements.values() if _is_border(each)]:
        _tied(sketch, event)
        if not _undoing(sketch, event):
            title = sketch.titles[event.id]
            sketch.warn(f"“{title}” is connected with no activity that undoes: it is left out.", event)
            dropped(sketch, event.id)
    thrown = any(_throws(each) for each in sketch.elements.values())
    for event in [each for each in sketch.elements.values() if _is_border(each)]:
        if not thrown:
            _unthrown(sketch, event)
    tied = {
        found for each in sketch.elements.values() if _is_border(each) for found in _undoing(sketch, each)
    }
    for element in [each for each in sketch.elements.values() if each.compensates and not each.by_event]:
        if element.id not in tied and not (sketch.entering(element.id) or sketch.leaving(element.id)):
            title = sketch.titles[element.id]
            sketch.warn(f"No event leads to “{title}”, which undoes: it is left out.", element)
            dropped(sketch, element.id)


def _is_border(element: Element) -> bool:
    return element.tag == "boundaryEvent" and element.trigger.kind == "compensate"


def _throws(element: Element) -> bool:
    throws = element.tag in ("endEvent", "intermediateThrowEvent") and element.trigger.kind == "compensate"
    return throws or element.trigger.kind == "cancel"


def _undoing(sketch: Sketch, event: Element) -> list[str]:
    """Return the activities for compensation that associations connect with an event."""
    found = [
        target for source, target in sketch.read.links if source == event.id and target in sketch.elements
    ]
    return [each for each in found if sketch.elements[each].compensates]


def _tied(sketch: Sketch, event: Element) -> None:
    """Read an association against its direction, and a flow to one activity, as that of BPMN."""
    links = sketch.read.links
    for source, target in links:
        found = sketch.elements.get(source)
        if target == event.id and found is not None and found.compensates:
            sketch.read = replace(sketch.read, links=(*sketch.read.links, (event.id, source)))
    for flow in sketch.leaving(event.id):
        target_ = sketch.elements[flow.target]
        alone = TASKS.get(target_.tag) == "worker" and len(sketch.entering(target_.id)) == 1
        del sketch.flows[flow.id]
        if alone and not sketch.leaving(target_.id):
            sketch.change(replace(target_, compensates=True, person=False, options={
                key: value for key, value in target_.options.items() if key == "role"
            }))  # fmt: skip
            sketch.read = replace(sketch.read, links=(*sketch.read.links, (event.id, target_.id)))
            message = f"A flow leads to “{sketch.titles[target_.id]}”, not an association: it undoes."
            sketch.warn(message, flow)
        else:
            message = f"BPMN has no such flow at “{sketch.titles[event.id]}”: it is left out."
            sketch.warn(message, flow, "not_used")


def _unthrown(sketch: Sketch, event: Element) -> None:
    """Leave out compensation that the process never throws, where people could not start it either."""
    host, undoing = sketch.elements[event.attached], sketch.elements[_undoing(sketch, event)[0]]
    apart = host.loop is not None and host.loop.parallel
    plain = TASKS.get(undoing.tag) == "worker" and undoing.loop is None
    events = any(each.attached == undoing.id for each in sketch.elements.values())
    if host.tag == "subProcess" or apart or not plain or events:
        title = sketch.titles[host.id]
        sketch.warn(f"Nothing throws the compensation of “{title}”: it is left out.", event)
        dropped(sketch, undoing.id)
        dropped(sketch, event.id)
