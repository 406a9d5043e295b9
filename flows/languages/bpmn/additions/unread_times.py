"""Times of timers that are not read here: computed ones, and texts for readers. People say when they are."""

from __future__ import annotations

import re
from dataclasses import replace

from flows.languages.bpmn import iso, times
from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.model import Element

_SLIP = re.compile(r"R-?\d*/|P\d|PT|\d{4}-")
"""How a text begins that is meant as a time of ISO 8601, and has to be one."""
_LONGEST = 80


def leave_times(sketch: Sketch) -> None:
    """Leave out times that are no times here; a file that declares attributes has to have others."""
    for element in [*sketch.elements.values()]:
        if element.trigger.kind == "timer" and element.trigger.expression is not None:
            _corrected(sketch, element)
            if not sketch.read.declares:
                _left(sketch, sketch.elements[element.id])


def _corrected(sketch: Sketch, element: Element) -> None:
    """Read a moment without an offset as one of UTC, a duration of a cycle as one without an end."""
    trigger, title = element.trigger, sketch.titles[element.id]
    text = trigger.expression.text.strip() if trigger.expression is not None else ""
    moment = times.without_offset(trigger.form, text)
    if moment:
        sketch.warn(f"The time of “{title}”, “{text[:_LONGEST]}”, has no offset: it is one of UTC.", element)
    elif trigger.form == "cycle" and iso.is_duration(text):
        moment = f"R/{text}"
        sketch.warn(f"The cycle of “{title}”, “{text[:_LONGEST]}”, has no number: it has no end.", element)
    if moment and trigger.expression is not None:
        given = replace(trigger.expression, text=moment)
        sketch.change(replace(element, trigger=replace(trigger, expression=given)))


def _left(sketch: Sketch, element: Element) -> None:
    """Leave out a time that is not read, as if the drawing had none."""
    trigger = element.trigger
    text = trigger.expression.text.strip() if trigger.expression is not None else ""
    outer = sketch.elements.get(element.scope or "")
    begins = element.tag == "startEvent" and outer is None
    repeats = not element.interrupting
    read = times.is_read(trigger.form, text, begins=begins, repeats=repeats)
    if not (read or _is_slip(text)):
        title = sketch.titles[element.id]
        sketch.warn(f"The time of “{title}”, “{text[:_LONGEST]}”, is not read here.", element)
        sketch.change(replace(element, trigger=replace(trigger, expression=None)))


def _is_slip(text: str) -> bool:
    """Return whether a text is meant as a time of ISO 8601, and is none anywhere."""
    if iso.is_duration(text) or iso.cycle(text) is not None:
        return False  # but not where it stands
    return _SLIP.match(text) is not None or (iso.has_zone_name(text) and not text.startswith("@"))
