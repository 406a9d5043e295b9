"""Histories as OCEL 2.0 in JSON: an object for each instance, children too, an event for each step."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from flows.capabilities.figures.histories import Case, Step

_STATUS = [{"name": "status", "type": "string"}]
_ACTOR = [{"name": "actor", "type": "string"}]


def written(objects: Callable[[], Iterable[Case]], events: Callable[[], Iterable[Case]]) -> Iterator[bytes]:
    """Yield a file with histories, which are read twice: the objects stand before the events.

    Args:
        objects: returns the instances; an object is a child of its parent only if that was returned before.
        events: returns the same instances, with their steps.
    """
    flows: set[str] = set()
    transitions: set[str] = set()
    seen: set[int] = set()
    yield b'{"objects": ['
    yield from _listed(_object(case, flows, seen) for case in objects())
    yield b'],\n"events": ['
    yield from _listed(_event(case, step, transitions) for case in events() for step in case.steps)
    types = {
        "objectTypes": [{"name": name, "attributes": _STATUS} for name in sorted(flows)],
        "eventTypes": [{"name": name, "attributes": _ACTOR} for name in sorted(transitions)],
    }
    yield f"],\n{json.dumps(types)[1:]}\n".encode()


def _listed(found: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    between = "\n"
    for each in found:
        yield f"{between}{json.dumps(each, ensure_ascii=False)}".encode("utf-8", "replace")
        between = ",\n"


def _object(case: Case, flows: set[str], seen: set[int]) -> dict[str, Any]:
    flows.add(case.flow)
    status = {"name": "status", "time": _time(case.finished_at or case.started_at), "value": case.status}
    parents = [{"objectId": str(case.parent), "qualifier": "child of"}] if case.parent in seen else []
    seen.add(case.wid)
    return {
        "id": str(case.wid), "type": case.flow, "attributes": [status], "relationships": parents,
    }  # fmt: skip


def _event(case: Case, step: Step, transitions: set[str]) -> dict[str, Any]:
    transitions.add(step.transition)
    return {
        "id": f"{case.wid}-{step.seq}",
        "type": step.transition,
        "time": _time(step.at),
        "attributes": [{"name": "actor", "value": step.actor}] if step.actor else [],
        "relationships": [{"objectId": str(case.wid), "qualifier": "step of"}],
    }


def _time(value: datetime) -> str:
    return value.isoformat(timespec="milliseconds")
