"""What elements of a process refer to: the ends of flows, defaults, and what events are attached to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from flows.languages.bpmn.document.xml import Tag
from flows.languages.bpmn.model import ACTIVITIES, CHOOSING, Element, Flow


class Note(Protocol):
    """Adds a problem of an element."""

    def __call__(self, code: str, message: str, tag: Tag, severity: str = "error") -> None:
        """Add it."""


def check(elements: dict[str, Element], flows: dict[str, Flow], named: Mapping[str, Tag], note: Note) -> None:
    """Check that each flow, default and boundary event names an element of its own level.

    What does not is noted, and left out of elements and flows, to check the rest.
    """
    for flow in [*flows.values()]:
        _ends(flow, elements, flows, named, note)
    for element in [*elements.values()]:
        if element.default and element.tag not in CHOOSING:
            elements[element.id] = replace(element, default="")  # warned of as not read
        elif element.default:
            _default(element, elements, flows, named, note)
        if element.tag == "boundaryEvent":
            host = elements.get(element.attached)
            if host is None or host.tag not in ACTIVITIES or host.scope != element.scope:
                message = (
                    "The event is attached to no activity of its level: it never happens, and is left out."
                )
                note("unknown_reference", message, named[element.id], "warning")
                _without(element.id, elements, flows)


def _ends(
    flow: Flow, elements: dict[str, Element], flows: dict[str, Flow], named: Mapping[str, Tag], note: Note
) -> None:
    source, target = elements.get(flow.source), elements.get(flow.target)
    if source is None or target is None:
        message = "The flow does not connect two elements of the process: it is left out."
        note("unknown_reference", message, named[flow.id], "warning")
        del flows[flow.id]
    elif source.scope != target.scope:
        note("crosses_border", "The flow crosses the border of a sub-process.", named[flow.id])
        del flows[flow.id]


def _without(id_: str, elements: dict[str, Element], flows: dict[str, Flow]) -> None:
    """Leave out an element with its flows."""
    del elements[id_]
    for flow in [each for each in flows.values() if id_ in (each.source, each.target)]:
        del flows[flow.id]


def _default(
    element: Element,
    elements: dict[str, Element],
    flows: dict[str, Flow],
    named: Mapping[str, Tag],
    note: Note,
) -> None:
    """Check the default flow of an element, and leave out its condition, which BPMN ignores."""
    default = flows.get(element.default, Flow("", "", ""))
    if default.source != element.id:
        message = "The default does not leave the element: it has none."
        note("unknown_reference", message, named[element.id], "warning")
        elements[element.id] = replace(element, default="")
    elif default.condition is not None:
        flows[default.id] = replace(default, condition=None)
        message = "The condition of a default flow has no effect, as BPMN says."
        note("not_used", message, named[default.id], "warning")
