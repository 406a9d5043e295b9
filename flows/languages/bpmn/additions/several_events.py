"""Events with several definitions, as events with one each, and receivers that start instances.

An event that waits for one of several is a race of events, one that waits for all of them a fork and a join;
one that throws several throws one after another, what ends others last.
"""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.model import Element, Trigger

_LAST = ("error", "cancel", "terminate")


def add_single_events(sketch: Sketch) -> None:
    """Replace events with several definitions, and receivers that start instances."""
    for element in [*sketch.elements.values()]:
        if element.instantiates:
            _starting(sketch, element)
        if len(element.triggers) > 1:
            _divided(sketch, element)
        elif not element.trigger.waits and element.tag == "intermediateThrowEvent":
            _beside(sketch, element)


def divided_start(sketch: Sketch, start: Element) -> None:
    """Replace the start event of an event sub-process that has several definitions by one for each."""
    sketch.change(replace(start, trigger=Trigger(), triggers=()))
    _each(sketch, start)


def _divided(sketch: Sketch, element: Element) -> None:
    if "transition" in element.options:
        sketch.refuse(
            "An event with several definitions has a transition for each: it has none itself.", element
        )
        return
    sketch.change(replace(element, trigger=Trigger(), triggers=()))
    if element.tag in ("endEvent", "intermediateThrowEvent"):
        _thrown(sketch, element)
    elif element.of_all and element.tag != "intermediateCatchEvent":
        sketch.refuse("Only an event in the middle of a flow waits for all of its definitions.", element)
    elif element.tag == "startEvent" and element.scope is not None:
        sketch.refuse("An event sub-process starts with one event: draw one for each.", element)
    elif element.tag == "intermediateCatchEvent":
        _caught(sketch, element)
    else:
        _each(sketch, element)


def _parts(sketch: Sketch, element: Element, tag: str, triggers: tuple[Trigger, ...]) -> list[Element]:
    """Add an event for each definition, named after the event and what it waits for."""
    title = sketch.titles[element.id]
    found = []
    for number, trigger in enumerate(triggers, 1):
        name = ": ".join(filter(None, [title, trigger.name or trigger.kind]))
        part = replace(
            element, id=f"{element.id}/{number}", tag=tag, name=name, trigger=trigger, triggers=(),
            of_all=False, default="",
        )  # fmt: skip
        found.append(sketch.add(part, element))
    return found


def _onward(sketch: Sketch, element: Element, tag: str = "intermediateThrowEvent") -> None:
    """Let an element only pass tokens on."""
    sketch.change(
        replace(element, tag=tag, trigger=Trigger(), triggers=(), attached="", options={}, interrupting=True)
    )


def _each(sketch: Sketch, element: Element) -> None:
    """Let each of several start or boundary events lead to where the event led."""
    parts = _parts(sketch, element, element.tag, element.triggers)
    _onward(sketch, element)
    for part in parts:
        sketch.connect(f"{part.id}/on", part.id, element.id, element)


def _caught(sketch: Sketch, element: Element) -> None:
    """Wait for one of several events, or for all of them."""
    entering = sketch.entering(element.id)
    parts = _parts(sketch, element, "intermediateCatchEvent", element.triggers)
    raced = any(sketch.elements[flow.source].tag == "eventBasedGateway" for flow in entering)
    if element.of_all and raced:
        sketch.refuse("After an event-based gateway, no event waits for all of its definitions.", element)
        return
    _onward(sketch, element, "parallelGateway" if element.of_all else "intermediateThrowEvent")
    if raced:
        for flow in entering:
            for number, part in enumerate(parts):
                if number == 0:
                    sketch.redirect(flow, target=part.id)
                else:
                    sketch.connect(f"{flow.id}/{number}", flow.source, part.id, element)
    else:
        tag = "parallelGateway" if element.of_all else "eventBasedGateway"
        first = sketch.add(Element(f"{element.id}/first", tag, "", scope=element.scope), element)
        into = _merged(sketch, element, first) if element.of_all and len(entering) > 1 else first
        for flow in entering:
            sketch.redirect(flow, target=into.id)
        for part in parts:
            sketch.connect(f"{part.id}/in", first.id, part.id, element)
    for part in parts:
        sketch.connect(f"{part.id}/on", part.id, element.id, element)


def _merged(sketch: Sketch, element: Element, first: Element) -> Element:
    """Add a gateway that passes each token on to one that would wait for all of them."""
    into = sketch.add(Element(f"{element.id}/into", "exclusiveGateway", "", scope=element.scope), element)
    sketch.connect(f"{into.id}/on", into.id, first.id, element)
    return into


def _thrown(sketch: Sketch, element: Element) -> None:
    """Throw one after another; what takes other tokens is last, and needs an end event."""
    triggers = sorted(element.triggers, key=lambda each: each.kind in _LAST)
    ends = element.tag == "endEvent"
    if any(each.kind in _LAST for each in triggers[: -1 if ends else None]):
        sketch.refuse("Of the definitions of an event, one at most ends what contains it.", element)
        return
    entering = sketch.entering(element.id)
    parts = _parts(sketch, element, "intermediateThrowEvent", tuple(triggers[:-1]))
    sketch.change(replace(element, trigger=triggers[-1], triggers=()))
    for flow in entering:
        sketch.redirect(flow, target=parts[0].id)
    for part, following in zip(parts, [*(each.id for each in parts[1:]), element.id], strict=True):
        sketch.connect(f"{part.id}/on", part.id, following, element)


def _beside(sketch: Sketch, element: Element) -> None:
    """Let a token go on at once, and another one end with the compensation."""
    trigger = replace(element.trigger, waits=True)
    end = Element(
        f"{element.id}/undo", "endEvent", sketch.titles[element.id], scope=element.scope, trigger=trigger
    )
    sketch.add(end, element)
    sketch.change(replace(element, trigger=Trigger()))
    sketch.connect(f"{end.id}/in", element.id, end.id, element)


def _starting(sketch: Sketch, element: Element) -> None:
    """Let a message start an instance where a receive task, or the events after a gateway, do."""
    title = sketch.titles[element.id]
    if element.scope is not None or sketch.entering(element.id):
        sketch.change(replace(element, instantiates=False))
        message = f"“{title}” starts no instances: it is in a sub-process, or a flow leads to it."
        sketch.warn(message, element)
        return
    if element.tag == "receiveTask":
        if element.loop is not None or any(each.attached == element.id for each in sketch.elements.values()):
            sketch.refuse("A receive task that starts instances has no events and repetitions.", element)
            return
        sketch.change(_start(sketch, element, element.message or title))
        return
    if element.of_all:
        sketch.refuse("A gateway that waits for all events does not start instances.", element)
        return
    for name in element.options:
        sketch.refuse(f"“{name[:40]}” has no effect here: the element is no rule of its own.", element)
    for flow in sketch.leaving(element.id):
        event = sketch.elements[flow.target]
        if flow.condition is not None:
            message = (
                f"The condition of the flow has no effect: {element.tag} “{title}” does not choose. Flows of "
                "activities and of exclusive, inclusive and complex gateways have conditions."
            )
            sketch.warn(message, flow, "not_used")
        if len(sketch.entering(event.id)) == 1 and (
            event.tag == "receiveTask" or event.tag == "intermediateCatchEvent"
        ):
            started = (
                _start(sketch, event, event.message) if event.message else replace(event, tag="startEvent")
            )
            sketch.change(started)
            del sketch.flows[flow.id]
        else:
            sketch.refuse("A gateway that starts instances leads to events of its own only.", element)
    del sketch.elements[element.id]


def _start(sketch: Sketch, element: Element, message: str) -> Element:
    if element.default:
        sketch.warn("“default” has no effect.", element, "not_used")
    return replace(
        element,
        tag="startEvent",
        default="",
        trigger=Trigger("message", message),
        message="",
        instantiates=False,
    )
