"""Names of transitions that messages and signals give, kept apart from those of other elements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from flows.languages.bpmn.model import TASKS, Element
from flows.languages.bpmn.names import LONGEST, slug

_SPOKEN = ("message", "signal")
_THROWING = ("intermediateThrowEvent", "endEvent")


def awaited(elements: Iterable[Element]) -> frozenset[str]:
    """Return the transitions of elements that wait for a message or a signal."""
    return frozenset(
        slug(each.message or each.trigger.name)
        for each in elements
        if each.tag == "receiveTask" or (each.trigger.kind in _SPOKEN and _waits(each))
    )


def thrown(elements: Iterable[Element]) -> frozenset[str]:
    """Return the transitions of events that throw a message or a signal."""
    found = set()
    for each in elements:
        if each.tag in _THROWING and each.trigger.kind in _SPOKEN and each.trigger.name:
            first = "send_" if each.trigger.kind == "signal" else ""
            found.add(slug(f"{first}{each.trigger.name}"))
    return frozenset(found)


def apart(elements: Iterable[Element], names: Mapping[str, str], chosen: Mapping[str, str]) -> dict[str, str]:
    """Return the names of elements, without those that a message or a signal of others has.

    An element that workers perform may share the transition of what is thrown: one handler performs both.
    """
    elements = [*elements]
    waiting, throwing = awaited(elements), thrown(elements)
    found, used = dict(names), {*names.values(), *waiting, *throwing}
    for each in elements:
        name = names[each.id]
        worker = TASKS.get(each.tag) == "worker" and not each.person
        if _has_own(each, chosen) and (name in waiting or (name in throwing and not worker)):
            number = 2
            while f"{name[: LONGEST - 4]}_{number}" in used:
                number += 1
            found[each.id] = f"{name[: LONGEST - 4]}_{number}"
            used.add(found[each.id])
    return found


def _waits(element: Element) -> bool:
    starts = element.tag == "startEvent" and element.scope is None
    return not starts and element.tag not in _THROWING


def _has_own(element: Element, chosen: Mapping[str, str]) -> bool:
    """Return whether the transition of an element has the name of the element."""
    spoken = element.tag == "receiveTask" or element.trigger.kind in _SPOKEN
    return not spoken and not chosen[element.id]
