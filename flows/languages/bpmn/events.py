"""What events become: nodes that wait, end or interrupt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flows.languages.bpmn import times
from flows.languages.bpmn.building import WAITING, Building, quoted
from flows.languages.bpmn.expressions import name_of
from flows.languages.bpmn.model import Element
from flows.languages.bpmn.names import slug
from flows.languages.graph.model import Rule

ENDED_BY = "ended_by"


class Events(Building):
    """Adds the nodes of events."""

    def start(self, name: str, element: Element) -> None:
        self.exit[element.id] = self.add(name, "begin", element)
        kind = element.trigger.kind
        others = [each for each in self.process.inner(element.scope) if each.tag == "startEvent"]
        if len(others) > 1 and element is not others[0]:
            self.note("unsupported", "Several start events of one process are not supported.", element)
        if kind == "message" and element.scope is None:
            self.start_by.append(slug(element.trigger.name))
        elif kind != "none":
            where = "a sub-process" if element.scope else "the process"
            message = f"A start event of {where} with {kind} is not supported."
            if kind == "timer":
                message += " Start instances by a scheduler, or let a timer event follow the start."
            self.note("unsupported", message, element)

    def end(self, name: str, element: Element) -> None:
        kind = element.trigger.kind
        scope = self.names[element.scope] if element.scope else ""
        if kind == "message":
            self.worker(name, element, element.trigger.name)
        elif kind == "terminate":
            self.add(name, "end", element, rule=Rule(ends=scope))
        elif kind == "error":
            rule = self.thrown(element)
            self.add(name, "end", element, rule=rule)
        else:
            self.add(name, "end", element)
        self.entry[element.id] = name

    def thrown(self, element: Element) -> Rule:
        """Return what an error end event does: it interrupts what catches it, or ends the process."""
        code = element.trigger.code
        for scope in self.process.around(element.scope):
            for number, event in self.catching(scope):
                if not event.trigger.code or event.trigger.code == code:
                    return self.interrupts(scope, number)
        self.attribute(ENDED_BY, "text", None, "error that ended the process")
        return Rule(ends="", sets=f"{ENDED_BY} = {quoted(code or 'error')}")

    def catching(self, scope: str) -> Iterator[tuple[int, Element]]:
        """Return the error events at the border of a sub-process with their numbers, any error last."""
        events = [*enumerate(self.process.boundary(scope), 1)]
        errors = [(number, event) for number, event in events if event.trigger.kind == "error"]
        yield from sorted(errors, key=lambda each: not each[1].trigger.code)

    def interrupts(self, scope: str, number: int, sets: str = "") -> Rule:
        """Return the rule that takes all tokens of a sub-process, and notes why."""
        name = self.names[scope]
        chosen = f"{self.left(scope)} = {number}"
        return Rule(ends=name, sets=f"{chosen}, {sets}" if sets else chosen)

    def left(self, scope: str) -> str:
        """Return the attribute that says by which boundary event a sub-process is left."""
        name = f"x_{self.names[scope]}"
        return self.attribute(name, "integer", "0", f"{self.names[scope]}: interrupted by")

    def intermediate(self, name: str, element: Element) -> None:
        kind = element.trigger.kind
        if kind in WAITING:
            self.waiting(name, element)
        elif kind == "message":
            self.worker(name, element, element.trigger.name)
        else:
            self.add(name, "none", element)
        self.entry[element.id] = self.exit[element.id] = name
        if kind == "link":
            self.linked(name, element)

    def linked(self, name: str, element: Element) -> None:
        """Connect a link event that is thrown with the one that catches it."""
        if element.tag == "intermediateCatchEvent":
            del self.entry[element.id]
            return
        del self.exit[element.id]
        others = [
            each
            for each in self.process.inner(element.scope)
            if each.tag == "intermediateCatchEvent" and each.trigger.kind == "link"
            and each.trigger.name == element.trigger.name
        ]  # fmt: skip
        if len(others) != 1:
            self.note("unknown_reference", "The link leads to no event, or to several.", element)
            return
        self.link(f"{name}__link", name, self.names[others[0].id], element.id)

    def waiting(self, name: str, element: Element, **rule: Any) -> None:
        """Add a node that waits for a message, a time or a condition."""
        found = element.trigger
        made: dict[str, Any] = {"performer": "database"}
        when = ""
        if element.tag == "receiveTask" or found.kind == "message":
            message = element.message or found.name
            if not message:
                self.note("no_message", "The element names no message.", element)
            made = {"performer": "worker", "signal": True, "transition": slug(message)}
        elif found.kind == "timer":
            made |= self.due(name, element)
        elif found.expression is not None:
            when = self.sql(found.expression, element.id)
        made["revalidate"] = "withdraw"
        self.add(name, "task", element, options=self.options(element), rule=Rule(made, when, **rule))

    def due(self, name: str, element: Element) -> dict[str, Any]:
        """Return the options of a timer."""
        timer = element.trigger.expression
        if timer is None:
            return {}
        text, form = timer.text, element.trigger.form
        if form == "duration" and times.is_duration(text):
            return {"due_after": text}
        if form == "date" and times.is_moment(text):
            return {
                "due_attr": self.attribute(f"d_{name}", "timestamptz", text, f"{element.name or name}: time")
            }
        if form == "date" and name_of(timer):
            return {"due_attr": name_of(timer)}
        wanted = {
            "duration": "a duration such as PT15M",
            "date": "a moment such as 2026-06-01T12:00:00Z, or an attribute",
            "cycle": "a duration or a date; cycles are not supported",
        }[form]
        message = f"The time of the event “{text[:40]}” is not supported: give {wanted}."
        self.note("bad_time", message, element)
        return {}
