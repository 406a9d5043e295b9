"""Copies of elements of a process, with all that they contain."""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.model import TASKS, Element, Trigger
from flows.languages.bpmn.names import slug


def copied(sketch: Sketch, id_: str, as_: str, scope: str | None) -> str:
    """Add a copy of an activity for compensation as an activity of a level, and return its id."""
    source = sketch.elements[id_]
    made = replace(source, id=as_, scope=scope, compensates=False, by_event=False, job_type=_job_type(source))
    sketch.add(made, source)
    _within(sketch, id_, as_)
    return as_


def with_contents(sketch: Sketch, id_: str, as_: str) -> str:
    """Add a copy of a sub-process beside it, and return its id."""
    source = sketch.elements[id_]
    sketch.add(replace(source, id=as_), source)
    _within(sketch, id_, as_)
    return as_


def _job_type(element: Element) -> str:
    """Return the type of the jobs of an element, so that those of its copies have the same transition."""
    if element.job_type or "transition" in element.options or TASKS.get(element.tag) != "worker":
        return element.job_type
    return slug(element.name or element.id)


def _within(sketch: Sketch, id_: str, as_: str) -> None:
    """Copy what a sub-process contains."""
    inner = [each for each in sketch.elements.values() if each.scope == id_]
    names = {each.id: f"{as_}/{each.id}" for each in inner}
    for each in inner:
        attached = names.get(each.attached, each.attached)
        trigger = Trigger() if each.trigger.kind == "compensate" else each.trigger
        default = f"{as_}/{each.default}" if each.default else ""
        made = replace(
            each, id=names[each.id], scope=as_, attached=attached, trigger=trigger, default=default,
            job_type=_job_type(each),
        )  # fmt: skip
        sketch.add(made, each)
        if each.tag == "subProcess":
            _within(sketch, each.id, names[each.id])
    for flow in [each for each in sketch.flows.values() if each.source in names]:
        new = f"{as_}/{flow.id}"
        target = names.get(flow.target, flow.target)
        sketch.flows[new] = replace(flow, id=new, source=names[flow.source], target=target)
        sketch.parts[new] = sketch.parts.get(flow.id, flow.id)


def dropped(sketch: Sketch, id_: str) -> None:
    """Remove an element with all that it contains."""
    for each in [each for each in sketch.elements.values() if each.scope == id_ or each.attached == id_]:
        dropped(sketch, each.id)
    for flow in [*sketch.entering(id_), *sketch.leaving(id_)]:
        sketch.flows.pop(flow.id, None)
    sketch.elements.pop(id_, None)
