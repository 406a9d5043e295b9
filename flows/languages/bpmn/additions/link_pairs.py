"""Link events whose other end is not found by their names as they are: pairs are made, or tokens end."""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.model import Element, Trigger


def pair_links(sketch: Sketch) -> None:
    """Give the events of each link one name; the token of a link that leads nowhere ends."""
    links = [each for each in sketch.elements.values() if each.trigger.kind == "link"]
    caught = [each for each in links if each.tag == "intermediateCatchEvent"]
    for event in links:
        if event.tag == "intermediateThrowEvent":
            _pair(sketch, event, [each for each in caught if each.scope == event.scope])


def _pair(sketch: Sketch, event: Element, caught: list[Element]) -> None:
    same = [each for each in caught if each.trigger.name == event.trigger.name]
    wanted = _plain(event.trigger.name)
    found = same or [each for each in caught if wanted and _plain(each.trigger.name) == wanted]
    title = sketch.titles[event.id]
    if not found:
        sketch.change(replace(event, tag="endEvent", trigger=Trigger()))
        for flow in sketch.leaving(event.id):
            del sketch.flows[flow.id]
        message = f"The link “{title}” leads to no event of its level: its tokens end there."
        sketch.warn(message, event)
        return
    if len(found) > 1:
        first = sketch.titles[found[0].id]
        sketch.warn(f"The link “{title}” leads to {len(found)} events: tokens go on at “{first}”.", event)
    if len(same) != 1:
        _named(sketch, event, found[0])


def _named(sketch: Sketch, event: Element, caught: Element) -> None:
    """Let a link lead to one event, by the id of that."""
    now = sketch.elements[caught.id]
    sketch.change(replace(event, trigger=replace(event.trigger, name=caught.id)))
    if now.trigger.name != caught.id:
        others = [
            each for each in sketch.elements.values()
            if each.tag == "intermediateThrowEvent" and each.trigger.kind == "link"
            and each.scope == now.scope and each.trigger.name == now.trigger.name
        ]  # fmt: skip
        sketch.change(replace(now, trigger=replace(now.trigger, name=caught.id)))
        for each in others:
            sketch.change(replace(each, trigger=replace(each.trigger, name=caught.id)))


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()
