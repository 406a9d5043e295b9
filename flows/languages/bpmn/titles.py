"""What elements are called where people read of them, also those that the diagram gives no name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from flows.languages.bpmn.model import EVENTS, Element
from flows.languages.bpmn.names import is_made_up

LONGEST = 80
_KINDS = {"startEvent": "Start", "endEvent": "End", "callActivity": "Call", "subProcess": "Sub-process"}
_EVENTS = {"timer": "Timer", "message": "Message", "conditional": "Condition", "error": "Error",
           "link": "Link", "signal": "Signal", "escalation": "Escalation", "terminate": "End of all",
           "compensate": "Compensation", "cancel": "Cancel"}  # fmt: skip


def titles(elements: Iterable[Element]) -> dict[str, str]:
    """Return a title for each element: its name, or an id that a person chose, or else its kind in words.

    Elements of one kind without a name are numbered.
    """
    found: dict[str, str] = {}
    used: Counter[str] = Counter()
    for element in elements:
        title = element.name or ("" if is_made_up(element.id) else element.id)
        if not title:
            words = kind(element)
            used[words] += 1
            title = words if used[words] == 1 else f"{words} {used[words]}"
        found[element.id] = shortened(title)
    return found


def kind(element: Element) -> str:
    """Return the kind of an element in words: "Exclusive gateway"; of an event its cause or its effect."""
    trigger = element.trigger
    if element.tag in EVENTS and trigger.kind == "compensate":
        return _EVENTS["compensate"]
    if element.tag in EVENTS and trigger.kind != "none":
        return trigger.name or _EVENTS.get(trigger.kind, "Event")
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", element.tag).capitalize()
    return _KINDS.get(element.tag, words)


def shortened(title: str) -> str:
    """Return a title in one line, of at most 80 characters."""
    title = " ".join(title.split())
    return title if len(title) <= LONGEST else f"{title[: LONGEST - 1]}…"
