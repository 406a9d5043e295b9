"""Ad-hoc sub-processes: people begin what is in one, as often as they want, until it is complete.

Without an order, each activity that no flow leads to is there at once, and again when it has been performed;
one of a worker waits for a person who begins it. One after another, a person chooses the next one. A
completion condition is examined after each activity; without one a person says when all is complete.
"""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.conditions import given_types
from flows.languages.bpmn.expressions import is_unread
from flows.languages.bpmn.model import ACTIVITIES, Element, Expression, Trigger


def add_adhoc(sketch: Sketch) -> None:
    """Give ad-hoc sub-processes the flows by which people choose what is performed."""
    for outer in [each for each in sketch.elements.values() if each.ordering]:
        _AdHoc(sketch, outer).add()


class _AdHoc:
    """The parts of one ad-hoc sub-process."""

    def __init__(self, sketch: Sketch, outer: Element) -> None:
        self.sketch, self.outer, self.title = sketch, outer, sketch.titles[outer.id]
        self.until = self.condition()

    def condition(self) -> Expression | None:
        """Return the completion condition, if it is read here."""
        found = self.outer.expression
        if found is None or not is_unread(found, self.sketch.read.language, given_types(self.sketch.read)):
            return found
        text = " ".join(found.text.split())[:80]
        message = f"The completion condition of “{self.title}”, “{text}”, is not read here."
        self.sketch.warn(message, self.outer)
        return None

    def add(self) -> None:
        """Add the flows."""
        self.sketch.change(replace(self.outer, ordering="", expression=None))
        inner = [each for each in self.sketch.elements.values() if each.scope == self.outer.id]
        inner = [each for each in inner if not (each.attached or each.by_event or each.compensates)]
        if not inner:
            return
        for start in [each for each in inner if each.tag == "startEvent"]:
            for flow in self.sketch.leaving(start.id):
                del self.sketch.flows[flow.id]
            del self.sketch.elements[start.id]
        inner = [each for each in inner if each.tag != "startEvent"]
        firsts = [each for each in inner if self.is_first(each)]
        if self.outer.ordering == "Sequential":
            self.one_by_one(inner, firsts)
        else:
            self.at_once(inner, firsts)
        self.said()

    def is_first(self, element: Element) -> bool:
        caught = element.trigger.kind == "link" and element.tag == "intermediateCatchEvent"
        return not caught and not self.sketch.entering(element.id)

    def said(self) -> None:
        """Warn of what BPMN leaves to people."""
        messages = {
            (
                False,
                True,
            ): f"“{self.title}” is ad hoc: people begin what is in it in any order, until it is complete.",
            (
                False,
                False,
            ): f"“{self.title}” is ad hoc: people begin what is in it in any order, until a person says "
            "that it is complete.",
            (True, True): f"“{self.title}” is ad hoc: a person chooses what is next, until it is complete.",
            (
                True,
                False,
            ): f"“{self.title}” is ad hoc: a person chooses what is next, or that it is complete.",
        }
        message = messages[self.outer.ordering == "Sequential", self.until is not None]
        self.sketch.warn(message, self.outer)

    def part(self, id_: str, tag: str, title: str, **given: object) -> Element:
        made = Element(f"{self.outer.id}/{id_}", tag, title, scope=self.outer.id)
        return self.sketch.add(replace(made, **given), self.outer)  # type: ignore[arg-type]

    def link(self, source: str, target: str, condition: Expression | None = None, name: str = "") -> str:
        id_ = f"{source}→{target}".replace(f"{self.outer.id}/", "")
        id_ = f"{self.outer.id}/{id_}"
        self.sketch.connect(id_, source, target, self.outer, condition)
        self.sketch.flows[id_] = replace(self.sketch.flows[id_], name=name)
        return id_

    def completed(self, element: Element, end: str) -> str:
        """Add the test after an activity whether all is complete, and return what its ways on come from."""
        sketch = self.sketch
        if self.until is None or element.tag not in ACTIVITIES:
            return element.id
        onward, default = sketch.leaving(element.id), element.default
        test = self.part(f"{element.id}/complete", "exclusiveGateway", f"{self.title}: complete?")
        ways = self.part(f"{element.id}/ways", "inclusiveGateway", sketch.titles[element.id])
        for flow in onward:
            sketch.redirect(flow, source=ways.id)
        sketch.change(replace(sketch.elements[element.id], default=""))
        if onward:
            sketch.change(replace(ways, default=default))
        else:
            sketch.change(replace(ways, tag="intermediateThrowEvent"))
        self.link(element.id, test.id)
        self.link(test.id, end, self.until)
        default = self.link(test.id, ways.id)
        sketch.change(replace(sketch.elements[test.id], default=default))
        return ways.id

    def end(self, *, cancels: bool) -> str:
        """Add the end of what is complete."""
        trigger = Trigger("terminate") if cancels else Trigger()
        return self.part("complete", "endEvent", f"{self.title}: complete", trigger=trigger).id

    def at_once(self, inner: list[Element], firsts: list[Element]) -> None:
        """Let all activities be there at once, each again when it has been performed."""
        sketch = self.sketch
        start = self.part("start", "startEvent", f"{self.title}: begun")
        fork = self.part("fork", "parallelGateway", f"{self.title}: all")
        self.link(start.id, fork.id)
        end = self.end(cancels=self.outer.cancels or self.until is None)
        for element in inner:
            first = element in firsts
            again = self.begun(element) if first else ""
            last = self.completed(element, end)
            onward = sketch.leaving(last)
            if first:
                self.link(fork.id, again)
                if onward:  # one token goes on, another one back
                    both = self.part(f"{element.id}/both", "parallelGateway", sketch.titles[element.id])
                    ways = self.part(f"{element.id}/on", "inclusiveGateway", sketch.titles[element.id])
                    sketch.change(replace(ways, default=sketch.elements[last].default))
                    for flow in onward:
                        sketch.redirect(flow, source=ways.id)
                    sketch.change(replace(sketch.elements[last], default=""))
                    self.link(last, both.id)
                    self.link(both.id, ways.id)
                    last = both.id
                self.link(last, again)
        if self.until is None:
            done = self.part("done", "userTask", f"{self.title}: complete", person=True)
            self.link(fork.id, done.id)
            self.link(done.id, end)

    def begun(self, element: Element) -> str:
        """Return the element that begins an activity: itself, or the word of a person."""
        if element.person and element.tag in ACTIVITIES and element.loop is None:
            return element.id
        title = f"{self.sketch.titles[element.id]}: begin"
        event = self.part(f"{element.id}/begin", "intermediateCatchEvent", title, trigger=Trigger("person"))
        self.link(event.id, element.id)
        return event.id

    def one_by_one(self, inner: list[Element], firsts: list[Element]) -> None:
        """Let a person choose each activity, when the one before has been performed."""
        start = self.part("start", "startEvent", f"{self.title}: begun")
        choose = self.part("next", "exclusiveGateway", f"{self.title}: what is next")
        end = self.end(cancels=self.outer.cancels)
        self.link(start.id, choose.id)
        for element in inner:
            if element in firsts:
                self.link(choose.id, element.id, name=self.sketch.titles[element.id])
            last = self.completed(element, end)
            if not self.sketch.leaving(last) and element.tag != "endEvent":
                self.link(last, choose.id)
        if self.until is None:
            self.link(choose.id, end, name=f"{self.title}: complete")
