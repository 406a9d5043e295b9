"""What events at the border of activities and event sub-processes become."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flows.languages.bpmn import iso
from flows.languages.bpmn.compiler.children import Children
from flows.languages.bpmn.compiler.graph_parts import WAITING, joined
from flows.languages.bpmn.model import TASKS, Element
from flows.languages.graph.model import Rule


class Boundaries(Children):
    """Adds the nodes of events that happen while an activity, or what contains them, is being performed."""

    def is_inside(self, host: Element) -> bool:
        """Return whether an activity is performed by tokens within it."""
        return host.tag == "subProcess" and not self.is_apart(host)

    def boundary(self, name: str, element: Element) -> None:
        host = self.process.elements[element.attached]
        kind = element.trigger.kind
        if kind == "compensate":
            self.check_compensation(element, host)
            return
        if host.tag in ("receiveTask", "scriptTask") and kind == "error":
            self.note("unsupported", f"An element {host.tag} ends with no error.", element)
        self.exit[element.id] = name
        if not element.interrupting and kind == "escalation":
            self.beside(name, element)
        elif not element.interrupting and kind in WAITING:
            when, sets = self.once(element)
            self.waiting(name, element, when=when, sets=sets, during=self.before(host))
        elif not self.is_inside(host) and kind in WAITING:
            self.waiting(name, element, sets=self.resets(host))
        else:
            self.taken(name, element, host)

    def check_compensation(self, event: Element, host: Element) -> None:
        """Reject compensation of what is no single step, or that is there twice."""
        reason = ""
        if host.loop is not None and host.loop.parallel:
            reason = "Compensation of many performances at once is not supported; let one follow the other."
        elif host.tag == "subProcess":
            reason = "Compensation of a sub-process is not supported; attach it to the activities within."
        elif event is not next(e for e in self.process.boundary(host.id) if e.trigger.kind == "compensate"):
            reason = "The activity has another event for compensation."
        if reason:
            self.note("unsupported", reason, event)

    def check_undoing(self, element: Element) -> None:
        """Reject an activity for compensation that no worker would be given."""
        reason, process = "", self.process
        events = [each for each in process.elements.values() if each.trigger.kind == "compensate"]
        if process.entering(element.id) or process.leaving(element.id):
            reason = "An activity for compensation has no sequence flows."
        elif TASKS.get(element.tag) != "worker" or element.loop is not None or process.boundary(element.id):
            reason = "An activity for compensation is a task of a worker, without events and repetitions."
        elif not any(element.id in self.undoing(event) for event in events):
            reason = "No event leads to the activity for compensation."
        if reason:
            self.note("unsupported", reason, element)

    def taken(self, name: str, element: Element, host: Element) -> None:
        """Add an event that the gateway after its activity leads to."""
        self.add(name, "none", element, options=self.options(element))
        if self.is_inside(host) and element.trigger.kind in WAITING:
            number = self.process.boundary(host.id).index(element) + 1
            rule = self.interrupts(host.id, number)
            first = f"{self.left(host.id)} = 0"  # a condition can hold longer than the sub-process lasts
            self.waiting(
                f"{name}__stop", element, when=first, ends=rule.ends, sets=rule.sets, during=rule.ends
            )

    def before(self, host: Element) -> str:
        """Return the node at which the token of an activity is while it is being performed."""
        interrupted = any(self.interrupts_task(each) for each in self.process.boundary(host.id))
        name = self.names[host.id]
        return f"{name}__wait" if interrupted and not self.is_inside(host) else self.main(host)

    def interrupts_task(self, event: Element) -> bool:
        return event.interrupting and event.trigger.kind in WAITING

    def once(self, event: Element) -> tuple[str, str]:
        """Return condition and assignment of an event that does not interrupt, so that it happens once.

        A cycle happens as often as it says; a message each time that it comes.
        """
        most = self.most(event)
        if most is None:
            return "", ""
        flag = self.attribute(self.flag(event), "integer", "0", self.titled(event, "times"))
        return f"{flag} < {most}", f"{flag} = {flag} + 1"

    def flag(self, event: Element) -> str:
        return f"b_{self.names[event.id]}"

    def most(self, event: Element) -> int | None:
        """Return how often an event happens in an activity at most; None for no limit."""
        found = event.trigger
        repeated = iso.cycle(found.expression.text) if found.form == "cycle" and found.expression else None
        if found.kind in ("message", "signal", "escalation") or event.interrupting:
            return None
        return repeated.times if repeated is not None else 1

    def resets(self, host: Element) -> str:
        """Return the assignments when an activity is left, so that its events can happen again."""
        return joined(*(f"{name} = 0" for name in self.left_behind(host)))

    def left_behind(self, host: Element) -> Iterator[str]:
        """Return the attributes about events of an activity, and about those within it."""
        inner = [host]
        if self.is_inside(host):
            around = self.process.around
            inner += [each for each in self.process.elements.values() if host.id in around(each.scope)]
        for each in inner:
            for event in self.process.boundary(each.id):
                if self.most(event) is not None:
                    yield self.flag(event)
            if each.by_event and each is not host:
                yield from (self.flag(start) for start in self.starts(each) if self.most(start) is not None)
            if each.tag == "subProcess" and self.is_inside(each) and self.can_be_interrupted(each.id):
                yield self.interrupted(each.id)
            if each is not host and self.is_inside(each) and self.is_interrupted(each):
                yield self.left(each.id)

    def is_interrupted(self, host: Element) -> bool:
        """Return whether a boundary event interrupts an activity."""
        events = self.process.boundary(host.id)
        return any(each.interrupting and each.trigger.kind != "compensate" for each in events)

    def starts(self, subprocess: Element) -> list[Element]:
        return [each for each in self.process.inner(subprocess.id) if each.tag == "startEvent"]

    def can_be_interrupted(self, scope: str | None) -> bool:
        """Return whether event sub-processes take all tokens of a scope, or must not start in children."""
        events = [each for each in self.process.inner(scope) if each.by_event]
        apart = scope is None and any(map(self.is_apart, self.process.elements.values()))
        return bool(events) and (apart or any(s.interrupting for each in events for s in self.starts(each)))

    def event_subprocess(self, name: str, element: Element) -> None:
        """Add a sub-process that an event starts while what contains it is being performed."""
        starts = self.starts(element)
        self.add(name, "subprocess", element, rule=Rule(sets=self.resets(element)))
        if self.process.boundary(element.id) or element.loop is not None or len(starts) != 1:
            message = "An event sub-process has one start event, no boundary events and no repetitions."
            self.note("unsupported", message, element)
            return
        start, begin, on = starts[0], f"{name}__begin", f"{name}__on"
        if start.trigger.kind in ("error", "escalation"):
            rule = Rule(later=True)
            self.add(begin, "begin", start, scope=element.scope, title="begin", rule=rule)
        elif start.trigger.kind in WAITING:
            self.awaited(begin, on, element, start)
        else:
            message = (
                "An event sub-process starts with a message, a signal, a timer, a condition, an error or an "
                "escalation."
            )
            self.note("unsupported", message, element)
        self.link(on, begin, name, element.id, title="begin")

    def awaited(self, begin: str, on: str, element: Element, start: Element) -> None:
        """Add the node that waits for the event which starts an event sub-process."""
        scope = self.names[element.scope] if element.scope is not None else ""
        when, sets = self.once(start)
        if self.can_be_interrupted(element.scope):
            marker = self.interrupted(element.scope)
            when = " and ".join(filter(None, [f"{marker} = 0", when]))
            sets = joined(sets, f"{marker} = 1" if start.interrupting else "")
        ends: dict[str, Any] = {"ends": scope, "starts": (on,)} if start.interrupting else {}
        self.waiting(begin, start, scope=element.scope, when=when, sets=sets, during=scope, **ends)
