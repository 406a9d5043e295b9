"""Start events that a drawing leaves out: what no sequence flow leads to begins at once, as BPMN says."""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.model import Element, Trigger


def add_beginnings(sketch: Sketch) -> None:
    """Add a start event to the process, and to each sub-process, that has none."""
    subprocesses = [each for each in sketch.elements.values() if each.tag == "subProcess"]
    for outer in (None, *(each for each in subprocesses if not each.by_event)):
        scope = outer.id if outer is not None else None
        inner = [each for each in sketch.elements.values() if each.scope == scope]
        if outer is not None and any(each.tag == "startEvent" for each in inner):
            _only_start(sketch, outer, [each for each in inner if each.tag == "startEvent"])
        elif not any(each.tag == "startEvent" for each in inner):
            first = [each for each in inner if _begins(sketch, each)]
            _begin(sketch, outer, scope, first)


def add_ends_of_starts(sketch: Sketch) -> None:
    """Let the token of a start event that leads nowhere end there."""
    for start in [*sketch.elements.values()]:
        if start.tag == "startEvent" and not sketch.leaving(start.id):
            end = Element(f"{start.id}/end", "endEvent", sketch.titles[start.id], scope=start.scope)
            sketch.add(end, start)
            sketch.connect(f"{start.id}/nothing", start.id, end.id, start)
            sketch.warn(f"The start event “{sketch.titles[start.id]}” leads nowhere.", start)


def add_last_ends(sketch: Sketch) -> None:
    """Add an end event that no way leads to where each element has a way on: what never ends needs one."""
    scopes = [each.id for each in sketch.elements.values() if each.tag == "subProcess"]
    for scope in (None, *scopes):
        inner = [each for each in sketch.elements.values() if each.scope == scope]
        if inner and all(_goes_on(sketch, each) for each in inner):
            of = sketch.elements[scope] if scope is not None else inner[0]
            end = Element(f"{scope or sketch.read.id}/end", "endEvent", "End", scope=scope)
            sketch.add(end, of)


def _goes_on(sketch: Sketch, element: Element) -> bool:
    """Return whether no token ends at an element."""
    linked = element.trigger.kind == "link" and element.tag == "intermediateThrowEvent"
    beside = element.attached or element.compensates or element.by_event
    return bool(linked or sketch.leaving(element.id) or beside)


def add_ends_of_events(sketch: Sketch) -> None:
    """Let the token of an event beside an activity that leads nowhere end there."""
    for event in [*sketch.elements.values()]:
        often = event.trigger.kind in ("message", "signal") or event.trigger.form == "cycle"
        if often and event.attached and not event.interrupting and not sketch.leaving(event.id):
            end = Element(f"{event.id}/end", "endEvent", sketch.titles[event.id], scope=event.scope)
            sketch.add(end, event)
            sketch.connect(f"{event.id}/nothing", event.id, end.id, event)


def _begin(sketch: Sketch, outer: Element | None, scope: str | None, first: list[Element]) -> None:
    if first:
        of = outer or first[0]
        start = Element(f"{scope or sketch.read.id}/start", "startEvent", "Start", scope=scope)
        sketch.add(start, of)
        for each in first:
            sketch.connect(f"{each.id}/first", start.id, each.id, each)


def _only_start(sketch: Sketch, outer: Element, starts: list[Element]) -> None:
    """Let the only start event of a sub-process, or the first one without an event, have no event."""
    first = next((each for each in starts if each.trigger.kind == "none"), starts[0])
    if first.trigger.kind != "none":
        sketch.change(replace(first, trigger=Trigger()))
        title = sketch.titles[first.id]
        message = f"The start event “{title}” of a sub-process has no event in BPMN: it begins at once."
        sketch.warn(message, first)
    for other in starts:
        if other is not first:
            around, begin, never = (sketch.titles[each.id] for each in (outer, first, other))
            message = f"The sub-process “{around}” begins at “{begin}”; “{never}” never happens."
            sketch.warn(message, other)
            for flow in sketch.leaving(other.id):
                del sketch.flows[flow.id]
            del sketch.elements[other.id]


def _begins(sketch: Sketch, element: Element) -> bool:
    """Return whether an element gets a token when its process or sub-process begins."""
    caught = element.trigger.kind == "link" and element.tag == "intermediateCatchEvent"
    beside = element.attached or element.compensates or element.by_event or caught
    return not beside and not sketch.entering(element.id)
