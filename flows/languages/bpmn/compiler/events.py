"""What events become: nodes that wait, end or interrupt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flows.languages.bpmn import iso, times
from flows.languages.bpmn.compiler.escalations import Escalations
from flows.languages.bpmn.compiler.graph_parts import WAITING, quoted
from flows.languages.bpmn.model import Choice, Element
from flows.languages.bpmn.names import slug
from flows.languages.bpmn.titles import shortened
from flows.languages.graph.model import Rule

ENDED_BY, INTERRUPTED = "ended_by", "interrupted"


class Events(Escalations):
    """Adds the nodes of events."""

    def worker(
        self, name: str, element: Element, transition: str = "", *, scope: str | None = "", sets: str = ""
    ) -> None:
        """Add a node that a worker performs."""
        found = self.options(element) | self.compensation(element)
        performed = slug(transition) if transition else self.chosen[element.id].lower()
        if transition and performed in self.heard:
            performed = slug(f"send_{transition}")  # the process waits for the message that it sends
        made: dict[str, Any] = {"transition": performed} if performed else {}
        if element.person:
            made["performer"] = "person"
        if self.withdraws:
            made["revalidate"] = "withdraw"
        if element.choice is not None:
            found = self.choosing_task(name, element, element.choice, found)
        self.add(name, "task", element, scope=scope, options=found, rule=Rule(made, sets=sets))

    def choosing_task(
        self, name: str, element: Element, choice: Choice, given: dict[str, Any]
    ) -> dict[str, Any]:  # fmt: skip
        """Return the options of a task with those of a choice; a worker has to write its attribute."""
        self.attribute(choice.attribute, "enum", None, choice.label)
        self.extra[choice.attribute]["options"] = [*choice.values]
        made = dict(given)
        if "writes" in given:
            made["writes"] = [*dict.fromkeys([*given["writes"], choice.attribute])]
        if element.person:
            made["outcomes"] = [f"{each}: {choice.attribute} = {quoted(each)}" for each in choice.values]
            return made
        onward = next(iter(self.process.leaving(element.id)))
        said = shortened(f"{self.titles[element.id]}: {choice.label} is {' or '.join(choice.values)}")
        arrived = f"t_{self.names[onward.id]} = 0 or {choice.attribute} is not null"
        self.require(f"choice of {name}", said, arrived)
        return made

    def end(self, name: str, element: Element) -> None:
        kind = element.trigger.kind
        scope = self.names[element.scope] if element.scope else ""
        if kind == "message":
            self.worker(name, element, element.trigger.name)
        elif kind == "signal":
            self.sent(name, element)
        elif kind == "escalation":
            self.add(name, "end", element, rule=self.escalated(element), options=self.options(element))
        elif kind == "terminate":
            self.add(name, "end", element, rule=Rule(ends=scope), options=self.options(element))
        elif kind == "error":
            rule = self.thrown(element)
            self.add(name, "end", element, rule=rule, options=self.options(element))
        else:
            self.add(name, "end", element, options=self.options(element))
        self.entry[element.id] = name

    def thrown(self, element: Element) -> Rule:
        """Return the effect of an error end event: it interrupts its catcher, or ends the process."""
        code = element.trigger.code
        for event, rule in self.catching(element.scope):
            if not event.trigger.code or event.trigger.code == code:
                return rule
        return self.uncaught(code or "error")

    def uncaught(self, code: str) -> Rule:
        """Return the rule that ends the instance with an error: it is an exception then."""
        self.attribute(ENDED_BY, "text", None, "error that ended the process")
        return Rule(ends="", sets=f"{ENDED_BY} = {quoted(code)}")

    def catching(self, scope: str | None) -> Iterator[tuple[Element, Rule]]:
        """Return the error events around what a sub-process contains, the innermost first, with their rules.

        Of one level, event sub-processes come first, unless the error comes out of one, and any error last.
        """
        inner: str | None = None
        for level in self.levels(scope):
            events = [] if self.is_by_event(inner) else [*self.error_starts(level)]
            yield from sorted(events, key=_code_first)
            if level is not None:
                numbered = enumerate(self.process.boundary(level), 1)
                border = [(e, self.interrupts(level, n)) for n, e in numbered if e.trigger.kind == "error"]
                yield from sorted(border, key=_code_first)
            inner = level

    def is_by_event(self, scope: str | None) -> bool:
        return scope is not None and self.process.elements[scope].by_event

    def error_starts(self, scope: str | None) -> Iterator[tuple[Element, Rule]]:
        """Return the start events of the event sub-processes of a scope that catch an error."""
        for each in self.process.by_event(scope):
            for event in self.process.inner(each.id):
                if event.tag == "startEvent" and event.trigger.kind == "error":
                    sets = f"{self.interrupted(scope)} = 1"
                    ends = self.names[scope] if scope is not None else ""
                    yield event, Rule(ends=ends, sets=sets, starts=(f"{self.names[each.id]}__on",))

    def interrupted(self, scope: str | None) -> str:
        """Return the attribute that says whether an event sub-process interrupted a scope."""
        if scope is None:
            return self.attribute(INTERRUPTED, "integer", "0", "interrupted")
        label = f"{self.titles[scope]}: interrupted"
        return self.attribute(f"v_{self.names[scope]}", "integer", "0", label)

    def levels(self, scope: str | None) -> Iterator[str | None]:
        """Return a sub-process, those around it, and the process: as far as one instance performs them."""
        for each in self.process.around(scope):
            if self.is_apart(self.process.elements[each]):
                return
            yield each
        yield None

    def interrupts(self, scope: str, number: int, sets: str = "") -> Rule:
        """Return the rule that takes all tokens of a sub-process, and notes why."""
        name = self.names[scope]
        chosen = f"{self.left(scope)} = {number}"
        return Rule(ends=name, sets=f"{chosen}, {sets}" if sets else chosen)

    def left(self, scope: str) -> str:
        """Return the attribute that says by which boundary event a sub-process is left."""
        name = f"x_{self.names[scope]}"
        return self.attribute(name, "integer", "0", f"{self.titles[scope]}: interrupted by")

    def intermediate(self, name: str, element: Element) -> None:
        kind = element.trigger.kind
        catches = element.tag == "intermediateCatchEvent"
        if kind in WAITING and catches:
            self.waiting(name, element)
        elif kind == "message":
            self.worker(name, element, element.trigger.name)
        elif kind == "signal":
            self.sent(name, element)
        else:
            rule = self.escalated(element) if kind == "escalation" else Rule()
            self.add(name, "none", element, rule=rule, options=self.options(element))
        self.entry[element.id] = self.exit[element.id] = name
        if kind == "link":
            self.linked(name, element)

    def sent(self, name: str, element: Element) -> None:
        """Add a job in which a worker sends a signal; events of the same instance get it when it is done."""
        if not element.trigger.name:
            self.note("no_message", "The event names no signal.", element)
        self.worker(name, element, f"send_{self.signal_of(element)}")
        self.nodes[name].signal = self.signal_of(element)

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

    def waiting(
        self, name: str, element: Element, *, scope: str | None = "", title: str = "", when: str = "",
        **rule: Any,
    ) -> None:  # fmt: skip
        """Add a node that waits for a message, a time or a condition."""
        found = element.trigger
        made: dict[str, Any] = {"performer": "database"}
        if element.tag == "receiveTask" or found.kind in ("message", "signal"):
            message = element.message or found.name
            if not message:
                self.note("no_message", "The element names no message.", element)
            made = {"performer": "worker", "signal": True, "transition": slug(message)}
        elif found.kind == "timer":
            made |= self.due(name, element)
        elif found.kind == "person":
            made = {"performer": "person"}
        elif found.expression is not None:
            when = " and ".join(filter(None, [when, f"({self.sql(found.expression, element.id)})"]))
        made["revalidate"] = "withdraw"
        made_rule = Rule(made, when, **rule)
        options = self.options(element) | self.compensation(element)
        self.add(name, "task", element, scope=scope, title=title, options=options, rule=made_rule)
        if self.is_shared(element):
            self.nodes[name].signal = self.signal_of(element)
            self.twins[name] = element

    def due(self, name: str, element: Element) -> dict[str, Any]:
        """Return the options of a timer."""
        timer = element.trigger.expression
        if timer is None:
            return {}
        text, form = _once(element)
        repeats = form == "cycle" and not element.interrupting
        repeated = iso.cycle(text) if repeats else None
        if repeated is not None and not repeated.first:
            return {"due_after": repeated.every}
        if form == "duration" and iso.is_duration(text):
            return {"due_after": text}
        moment = iso.moment(text) if form == "date" else None
        if moment is not None:
            label = self.titled(element, "time")
            return {"due_attr": self.attribute(f"d_{name}", "timestamptz", moment, label)}
        found = times.offset(text) if form == "date" else None
        if found is not None:
            after = {"due_after": found[1]} if found[1] else {}
            return {"due_attr": self.moment(found[0], element), **after}
        self.note("bad_time", times.problem(text, form, repeats=repeats), element)
        return {}

    def moment(self, name: str, element: Element) -> str:
        """Return the attribute that is the time of an event, after a check of its type."""
        type_ = self.type_of(name)
        if type_ not in ("date", "timestamptz"):
            message = (
                f"The time of the event is an attribute of type date or timestamptz; “{name[:40]}” has the "
                f"type {type_}."
                if type_
                else "The time of the event is an attribute of type date or timestamptz; "
                f"“{name[:40]}” is not declared."
            )
            self.note("bad_time" if type_ else "unknown_name", message, element)
        return name


def _once(element: Element) -> tuple[str, str]:
    """Return the time of an event and its form; of a cycle that happens once, the first time."""
    timer, form = element.trigger.expression, element.trigger.form
    text = timer.text if timer is not None else ""
    cycle = iso.cycle(text) if form == "cycle" and element.interrupting else None
    if cycle is None:
        return text, form
    return (cycle.first, "date") if cycle.first else (cycle.every, "duration")


def _code_first(found: tuple[Element, Rule]) -> bool:
    return not found[0].trigger.code
