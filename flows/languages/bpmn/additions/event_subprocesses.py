"""Event sub-processes with several starts, or with what BPMN does not give them."""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.additions.copies import dropped, with_contents
from flows.languages.bpmn.additions.several_events import divided_start
from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.model import Element


def add_event_subprocesses(sketch: Sketch) -> None:
    """Let each event sub-process have one start event, and neither events at its border nor repetitions."""
    for element in [each for each in sketch.elements.values() if each.by_event]:
        _plain(sketch, element)
        for start in _starts(sketch, element.id):
            if len(start.triggers) > 1 and not start.of_all:
                divided_start(sketch, start)
        starts = _starts(sketch, element.id)
        if not starts and any(each.scope == element.id for each in sketch.elements.values()):
            title = sketch.titles[element.id]
            sketch.warn(f"Nothing starts the event sub-process “{title}”: it is left out.", element)
            dropped(sketch, element.id)
        _one_each(sketch, element, [each.id for each in starts])


def _starts(sketch: Sketch, scope: str) -> list[Element]:
    inner = [each for each in sketch.elements.values() if each.scope == scope]
    return [each for each in inner if each.tag == "startEvent"]


def _plain(sketch: Sketch, element: Element) -> None:
    """Leave out repetitions and events at the border."""
    title = sketch.titles[element.id]
    if element.loop is not None:
        sketch.change(replace(element, loop=None))
        sketch.warn(f"An event sub-process has no repetitions: “{title}” is performed once.", element)
    for event in [each for each in sketch.elements.values() if each.attached == element.id]:
        message = (
            f"An event sub-process has no events at its border: “{sketch.titles[event.id]}” is left out."
        )
        sketch.warn(message, event)
        dropped(sketch, event.id)


def _one_each(sketch: Sketch, element: Element, starts: list[str]) -> None:
    """Add a copy of an event sub-process for each further start event, with this one alone."""
    for number, start in enumerate(starts[1:], 2):
        copy = with_contents(sketch, element.id, f"{element.id}/{number}")
        for other in starts:
            if other != start:
                dropped(sketch, f"{copy}/{other}")
    for start in starts[1:]:
        dropped(sketch, start)
