"""Sequential multi-instance activities whose events belong to all performances: each becomes a sub-process.

The sub-process has the events and the flows of the activity, and contains nothing but the activity, so that
a timer begins once and an interruption ends all performances.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flows.languages.bpmn.model import Element, Flow, Process
from flows.languages.bpmn.titles import titles

_WAITING = frozenset({"message", "timer", "conditional", "person", "signal"})


def wrapped(process: Process) -> tuple[Process, Mapping[str, str]]:
    """Return a process in which such activities are sub-processes, and what each added part is made of."""
    hosts = [each for each in process.elements.values() if _has_events_of_all(process, each)]
    shown = titles(process.elements.values())
    parts: dict[str, str] = {}
    for host in hosts:
        process, added = _wrapped(process, host.id, shown[host.id])
        parts |= dict.fromkeys(added, host.id)
    return process, parts


def _has_events_of_all(process: Process, element: Element) -> bool:
    sequential = element.loop is not None and not element.loop.parallel
    several = element.loop is not None and (element.loop.times or element.loop.items)
    return bool(
        sequential
        and several
        and not element.compensates
        and any(event.trigger.kind in _WAITING for event in process.boundary(element.id))
    )


def _wrapped(process: Process, host: str, title: str) -> tuple[Process, list[str]]:
    """Return a process with a sub-process around an activity, and the ids of what is added."""
    inner = process.elements[host]
    outer, begin, end, first, last = (f"{host}/{part}" for part in ("all", "begin", "end", "first", "last"))
    role = {"role": inner.options["role"]} if "role" in inner.options else {}
    around = Element(
        outer, "subProcess", title, inner.line, inner.column, inner.scope, role, default=inner.default
    )
    elements = {
        key: replace(each, attached=outer) if each.attached == host and _moves(each) else each
        for key, each in process.elements.items()
    }
    elements[host] = replace(inner, scope=outer, default="")
    elements[outer] = around
    for id_, tag in ((begin, "startEvent"), (end, "endEvent")):
        elements[id_] = Element(id_, tag, title, inner.line, inner.column, outer)
    flows = {
        key: replace(
            flow,
            source=outer if flow.source == host else flow.source,
            target=outer if flow.target == host else flow.target,
        )
        for key, flow in process.flows.items()
    }
    flows |= {first: Flow(first, begin, host), last: Flow(last, host, end)}
    lanes = {**process.lanes, **({outer: process.lanes[host]} if host in process.lanes else {})}
    made = replace(process, elements=elements, flows=flows, lanes=lanes)
    return made, [outer, begin, end, first, last]


def _moves(event: Element) -> bool:
    """Return whether an event belongs to all performances; compensation belongs to each."""
    return event.trigger.kind != "compensate"
