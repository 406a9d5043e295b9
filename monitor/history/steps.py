"""Steps of a history as pages show them: with labels, in the order of the flow's attributes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from flows.queries.definitions import FlowInfo
from flows.queries.history import trace
from monitor import masking


@dataclass(frozen=True)
class ShownCell:
    """One change of an attribute."""

    title: str
    before: str | None
    after: str | None
    initial: bool
    type: str


@dataclass(frozen=True)
class ShownStep:
    """A step of the trace with its changes in the flow's order; `cause_here`: the page shows its cause."""

    step: trace.Step
    cells: list[ShownCell]
    cause_here: bool


def shown(flow: FlowInfo, found: Iterable[trace.Step]) -> list[ShownStep]:
    """Return steps with the changes that pages show."""
    order = {a.name: (at, a.title, a.type) for at, a in enumerate(flow.attributes)}
    steps = [masking.step(flow, each) for each in found]
    here = {step.seq for step in steps}
    return [ShownStep(s, _cells(order, _visible(flow, s)), s.cause_seq in here) for s in steps]


def _visible(flow: FlowInfo, step: trace.Step) -> list[trace.Cell]:
    """Return the changes of a step, at the start without the zeros of internal attributes."""
    return [c for c in step.cells if not (c.initial and c.after == "0" and c.name in flow.internal)]


def _cells(order: dict[str, tuple[int, str, str]], cells: Collection[trace.Cell]) -> list[ShownCell]:
    """Return the changes; attributes that the flow no longer has come last, under their former names."""
    known = {c.name: order.get(c.name, (len(order), c.name, "")) for c in cells}
    ranked = sorted((c for c in cells if c.changed), key=lambda c: (known[c.name][0], c.name))
    return [ShownCell(known[c.name][1], c.before, c.after, c.initial, known[c.name][2]) for c in ranked]
