"""What compensation undoes: the activities that have it, and the order in which they are undone."""

from __future__ import annotations

from dataclasses import dataclass, field

from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.model import Element


@dataclass
class Undoing:
    """The activities with compensation, with what undoes each.

    `attached` has for an activity the event at its border and the activity for compensation; `handling` for
    an event sub-process that compensation starts the sub-process that it belongs to. `counters` are the
    attributes that count, `orders` those with the numbers of performances, of which `performed` is the last,
    `cancelled` the transactions whose activities are undone after they have ended.
    """

    sketch: Sketch
    attached: dict[str, tuple[str, str]] = field(default_factory=dict)
    handling: dict[str, str | None] = field(default_factory=dict)
    counters: dict[str, str] = field(default_factory=dict)
    orders: dict[str, str] = field(default_factory=dict)
    performed: str = ""
    cancelled: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        elements = self.sketch.elements
        for event in elements.values():
            if event.trigger.kind != "compensate":
                continue
            if event.tag == "boundaryEvent":
                linked = [
                    to for source, to in self.sketch.read.links if source == event.id and to in elements
                ]
                if len(linked) == 1 and elements[linked[0]].compensates:
                    self.attached.setdefault(event.attached, (event.id, linked[0]))
            elif event.tag == "startEvent" and event.scope and elements[event.scope].by_event:
                self.handling[event.scope] = elements[event.scope].scope

    @property
    def several(self) -> bool:
        """Return whether more than one activity can be undone, so that their order counts."""
        return len({*self.attached, *self.handling.values()}) > 1

    def undoes(self, host: str) -> bool:
        """Return whether an activity has compensation of its own."""
        return host in self.attached or host in self.handling.values()

    def handler(self, host: str) -> str:
        """Return the handler that undoes an activity: an activity, or an event sub-process within it."""
        if host in self.attached:
            return self.attached[host][1]
        return next(handler for handler, outer in self.handling.items() if outer == host)

    def named(self, host: str) -> list[str]:
        """Return the activities that an event undoes by the name of an activity."""
        if host not in self.sketch.elements:
            return []
        return [host] if self.undoes(host) else self.within(host)

    def within(self, scope: str | None) -> list[str]:
        """Return the activities of a level, and of those in it, that can be undone, the last one first."""
        found: list[str] = []
        for each in last_first(self.sketch, scope):
            element = self.sketch.elements[each]
            if self.undoes(each):
                found.append(each)
            elif element.tag == "subProcess" and not element.by_event:
                found += self.within(each)
        return found

    def between(self, host: str, scope: str | None) -> list[str]:
        """Return the sub-processes around an activity that have to be complete for it to be undone.

        These are the ones within the level, or within a transaction that is cancelled.
        """
        found: list[str] = []
        outer = self.sketch.elements[host].scope
        while outer is not None and outer != scope and outer not in self.cancelled:
            found.append(outer)
            outer = self.sketch.elements[outer].scope
        return found


def last_first(sketch: Sketch, scope: str | None) -> list[str]:
    """Return the elements of a level against the order of its flows; loops are followed once."""
    inner = {each.id: each for each in sketch.elements.values() if each.scope == scope}
    found: list[str] = []
    seen: set[str] = set()
    entered = {flow.target for flow in sketch.flows.values() if flow.source != flow.target}
    firsts = [each for each in inner if each not in entered and not inner[each].attached]
    for first in [*firsts, *inner]:
        pending: list[tuple[str, bool]] = [(first, False)]
        while pending:
            each, done = pending.pop()
            if done:
                found.append(each)
            elif each not in seen and each in inner:
                seen.add(each)
                pending.append((each, True))
                pending += [(onward, False) for onward in _onward(sketch, inner[each])]
    return found


def _onward(sketch: Sketch, element: Element) -> list[str]:
    events = [each.id for each in sketch.elements.values() if each.attached == element.id]
    return [*events, *(flow.target for flow in sketch.leaving(element.id))]
