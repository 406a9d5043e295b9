"""The elements of a process that a token can reach, for its skeleton (skeletons.py)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from flows.languages.bpmn import Process
from flows.languages.bpmn.model import ACTIVITIES, GATEWAYS, Element, Flow

CAUGHT = ("message", "timer", "signal", "conditional", "person")
_THROWING = ("endEvent", "intermediateThrowEvent")
INNER = ("error", "escalation", "cancel")
"""Events at the border of a sub-process that something in it throws."""


@dataclass
class Reached:
    """The elements of a process that a token can reach, with names, and what decides at them."""

    process: Process
    flows: list[Flow] = field(default_factory=list)
    starts: dict[str | None, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.flows = [*self.process.flows.values(), *self._links()]

    def _links(self) -> Iterator[Flow]:
        elements = self.process.elements.values()
        for each in elements:
            if each.tag == "intermediateThrowEvent" and each.trigger.kind == "link":
                for other in elements:
                    same = (other.trigger.kind, other.trigger.name, other.scope) == (
                        "link",
                        each.trigger.name,
                        each.scope,
                    )
                    if same and other.tag == "intermediateCatchEvent":
                        yield Flow(f"{each.id}-{other.id}", each.id, other.id)

    # -- what is in it
    @cached_property
    def reached(self) -> dict[str, Element]:
        """Return the elements that a token can reach, in the order of the file."""
        found: set[str] = set()
        new = self._begin(None)
        while new:
            id_ = new.pop()
            if id_ not in found:
                found.add(id_)
                new += self._next(self.process.elements[id_])
        return {id_: each for id_, each in self.process.elements.items() if id_ in found}

    def _begin(self, scope: str | None) -> list[str]:
        """Return where a scope begins, and its event sub-processes."""
        inner = [each for each in self.process.inner(scope) if not each.by_event and not each.compensates]
        entered = {flow.target for flow in self.flows}
        begins = [each for each in inner if each.tag == "startEvent"]
        begins.sort(key=lambda each: each.trigger.kind != "none")
        first = begins[:1] or [
            each
            for each in inner
            if each.id not in entered and each.tag not in ("boundaryEvent", "startEvent")
        ]
        self.starts[scope] = [each.id for each in first]
        return [*self.starts[scope], *(each.id for each in self.process.by_event(scope) if self._event(each))]

    def _event(self, sub: Element) -> bool:
        starts = [each for each in self.process.inner(sub.id) if each.tag == "startEvent"]
        return bool(starts) and starts[0].trigger.kind in (*CAUGHT, "error", "escalation")

    def _next(self, element: Element) -> list[str]:
        found = [flow.target for flow in self.flows if flow.source == element.id]
        found = [each for each in found if each in self.process.elements]
        if self.is_sub(element):
            found += self._begin(element.id)
        if element.tag in ACTIVITIES:
            found += [each.id for each in self.process.boundary(element.id) if self._kept(each, element)]
        return found

    def _kept(self, event: Element, host: Element) -> bool:
        kind = event.trigger.kind
        if kind not in INNER:
            return kind in CAUGHT
        inner = (
            each for each in self.process.elements.values() if host.id in self.process.around(each.scope)
        )
        thrown = any(each.trigger.kind == kind and each.tag in _THROWING for each in inner)
        return thrown and self.is_sub(host) and (kind != "cancel" or host.transaction)

    def is_sub(self, element: Element) -> bool:
        """Return whether an element is a sub-process that has contents."""
        return element.tag == "subProcess" and not element.ordering and bool(self.process.inner(element.id))

    # -- names
    @cached_property
    def names(self) -> dict[str, str]:
        letters = {**dict.fromkeys(GATEWAYS, "g"), **dict.fromkeys(ACTIVITIES, "t")}
        return {
            id_: f"{letters.get(each.tag, 'e')}{number}"
            for number, (id_, each) in enumerate(self.reached.items(), start=1)
        }

    def message(self, id_: str) -> str:
        """Return the message of an event."""
        return f"m{self.names[id_][1:]}"

    @cached_property
    def leaving(self) -> dict[str, list[Flow]]:
        found: dict[str, list[Flow]] = {id_: [] for id_ in self.reached}
        for flow in self.flows:
            if flow.source in found and flow.target in found:
                found[flow.source].append(flow)
        return found

    @cached_property
    def conditions(self) -> dict[str, str]:
        """Return the attribute that decides for each flow with a condition."""
        chosen = [
            flow.id
            for id_, each in self.reached.items()
            for flow in self.conditional(each, self.leaving[id_])
        ]
        return {flow: f"c{number}" for number, flow in enumerate(chosen, start=1)}

    def conditional(self, element: Element, flows: list[Flow]) -> list[Flow]:
        if len(flows) < 2 or element.tag not in (
            *ACTIVITIES,
            "exclusiveGateway",
            "inclusiveGateway",
            "complexGateway",
        ):
            return []
        default = self.default(element)
        every = element.tag in GATEWAYS
        return [flow for flow in flows if flow.id != default and (every or flow.condition is not None)]

    def default(self, element: Element) -> str:
        """Return the default flow; of what has conditions only, the last one, so that one is always open."""
        flows = self.leaving[element.id]
        if element.default in {flow.id for flow in flows}:
            return element.default
        open_ = element.tag in ACTIVITIES and any(flow.condition is None for flow in flows)
        return "" if open_ or not flows else flows[-1].id
