"""Escalations: what an event that throws one does, by the event around it that catches it."""

from __future__ import annotations

from collections.abc import Iterator

from flows.languages.bpmn.compiler.starts import Starts
from flows.languages.bpmn.model import Element
from flows.languages.graph.model import Rule


class Escalations(Starts):
    """Finds the events that catch escalations."""

    def escalated(self, element: Element) -> Rule:
        """Return the effect of an event that throws an escalation, besides passing or ending its token."""
        code = element.trigger.code
        for event, rule in self.escalations(element.scope):
            if not event.trigger.code or event.trigger.code == code:
                return rule
        return Rule()  # one that nothing catches has no effect

    def escalations(self, scope: str | None) -> Iterator[tuple[Element, Rule]]:
        """Return the events around a sub-process that catch escalations, the innermost first."""
        inner: str | None = None
        for level in self.levels(scope):
            within = inner is not None and self.process.elements[inner].by_event
            starts = [] if within else [*self.escalation_starts(level)]
            yield from sorted(starts, key=_code_first)
            if level is not None:
                yield from sorted(self.escalation_borders(level), key=_code_first)
            inner = level

    def escalation_starts(self, scope: str | None) -> Iterator[tuple[Element, Rule]]:
        """Return the event sub-processes of a scope that an escalation starts."""
        for each in self.process.inner(scope):
            for event in self.process.inner(each.id) if each.by_event else ():
                if event.tag == "startEvent" and event.trigger.kind == "escalation":
                    on = (f"{self.names[each.id]}__on",)
                    ends = self.names[scope] if scope is not None else ""
                    taken = Rule(ends=ends, sets=f"{self.interrupted(scope)} = 1", starts=on)
                    yield event, taken if event.interrupting else Rule(starts=on)

    def escalation_borders(self, host: str) -> Iterator[tuple[Element, Rule]]:
        """Return the events at the border of a sub-process that catch an escalation."""
        for number, event in enumerate(self.process.boundary(host), 1):
            if event.trigger.kind == "escalation":
                on = (f"{self.names[event.id]}__on",)
                yield event, self.interrupts(host, number) if event.interrupting else Rule(starts=on)

    def beside(self, name: str, element: Element) -> None:
        """Add an event at a border that does not interrupt: what throws the escalation gives it a token."""
        self.add(name, "none", element, options=self.options(element))
        begin = self.add(f"{name}__begin", "begin", element, title="begin", rule=Rule(later=True))
        self.link(f"{name}__on", begin, name, element.id, title="taken")

    def levels(self, scope: str | None) -> Iterator[str | None]:
        """Return a sub-process, those around it, and the process: as far as one instance performs them."""
        raise NotImplementedError

    def interrupted(self, scope: str | None) -> str:
        """Return the attribute that says whether an event sub-process interrupted a scope."""
        raise NotImplementedError

    def interrupts(self, scope: str, number: int, sets: str = "") -> Rule:
        """Return the rule that takes all tokens of a sub-process, and notes why."""
        raise NotImplementedError


def _code_first(found: tuple[Element, Rule]) -> bool:
    return not found[0].trigger.code
