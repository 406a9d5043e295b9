"""Signal events: one signal is for all events that wait for it, in the instance that throws it as well.

An event waits for the signal as for a message. Where an instance has others that wait for the same signal, or
throws it itself, a second node takes the token of the event without a job: whatever brings the signal raises
the number of tokens that it is for, and the database performs the second node as often.
"""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.compiler.graph_parts import Building, Made, joined
from flows.languages.bpmn.model import Element
from flows.languages.bpmn.names import slug
from flows.languages.graph.model import Edge


class Signals(Building):
    """Adds what lets one signal be for several events of an instance."""

    twins: dict[str, Element]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.twins = {}

    def signal_of(self, element: Element) -> str:
        """Return the signal that an event waits for or throws; empty for none."""
        return slug(element.trigger.name) if element.trigger.kind == "signal" else ""

    def is_shared(self, element: Element) -> bool:
        """Return whether other events of an instance wait for a signal of an event, or throw it."""
        signal = self.signal_of(element)
        events = [each for each in self.process.elements.values() if self.signal_of(each) == signal]
        return bool(signal) and len([each for each in events if not _starts_instances(each)]) > 1

    def share_signals(self) -> None:
        """Add the second nodes, and what raises them, now that all nodes and edges are known."""
        for name, element in self.twins.items():
            self.second(name, element)
        for name, node in self.nodes.items():
            signal = node.signal
            others = [
                f"{twin}__heard" for twin, each in self.twins.items()
                if self.signal_of(each) == signal and twin != name
            ]  # fmt: skip
            if signal and others:
                node.rule = replace(node.rule, raises=tuple(others))

    def second(self, name: str, element: Element) -> None:
        """Add the node that takes the token of an event without a job, between the same nodes."""
        first, second = self.nodes[name], f"{name}__heard"
        flag = self.attribute(f"g_{name}", "integer", "0", self.titled(element, "signal"))
        rule = first.rule
        made = replace(
            rule,
            options={"performer": "database"},
            when=" and ".join(filter(None, [rule.when, f"{flag} > 0"])),
            sets=joined(rule.sets, f"{flag} = {flag} - 1"),
            flag=flag,
        )
        shown = {key: value for key, value in first.options.items() if key == "label"}
        self.nodes[second] = Made("task", first.origin, first.within, shown, made, title=first.title)
        if rule.during is None:
            self.before_both(name, second, element)
        if any(edge.source == name for edge in self.edges.values()):
            self.after_both(name, second, element)

    def before_both(self, name: str, second: str, element: Element) -> None:
        """Let both nodes wait for the same token, after an event-based gateway."""
        inward = [edge for edge in self.edges.values() if edge.target == name]
        gateways = [edge for edge in inward if self.nodes[edge.source].kind == "event"]
        if gateways:
            for edge in gateways:
                self.link(f"{edge.name}__heard", edge.source, second, element.id, title="signal")
            return
        wait = self.add(f"{name}__wait", "event", element, scope=self.scope_of(name), title="waiting")
        for edge in inward:
            self.edges[edge.name] = replace(edge, target=wait)
        self.link(f"{name}__do", wait, name, element.id, title="delivered")
        self.link(f"{second}__do", wait, second, element.id, title="signal")

    def after_both(self, name: str, second: str, element: Element) -> None:
        """Let the way on be the same after both nodes."""
        outward: list[Edge] = [edge for edge in self.edges.values() if edge.source == name]
        after = self.add(f"{name}__got", "none", element, scope=self.scope_of(name), title="received")
        for edge in outward:
            self.edges[edge.name] = replace(edge, source=after)
        self.link(f"{name}__ended", name, after, element.id, title="received")
        self.link(f"{second}__ended", second, after, element.id, title="received")

    def scope_of(self, name: str) -> str | None:
        """Return the sub-process of the file that contains a node."""
        within = self.nodes[name].within
        return next((id_ for id_, each in self.names.items() if each == within and within), None)


def _starts_instances(element: Element) -> bool:
    return element.tag == "startEvent" and element.scope is None
