"""Placeholders for what a drawing leaves out: jobs of persons who decide or say what the file does not.

An event without a time or a condition happens when a person says so. A call without a process, and a
sub-process without contents, are one job.
"""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.conditions import types
from flows.languages.bpmn.expressions import NotUnderstood, sql
from flows.languages.bpmn.model import Element, Trigger
from flows.languages.bpmn.names import slug

_LONGEST_SCRIPT = 2_000
_OPEN = ("timer", "conditional")
"""Events that may lack what they wait for."""


def add_placeholders(sketch: Sketch) -> None:
    """Replace what the file does not say by jobs of persons."""
    for element in [*sketch.elements.values()]:
        if element.tag == "subProcess":
            _empty(sketch, element)
        elif element.tag == "scriptTask" and not element.outputs and not _is_sql(element):
            _script(sketch, element)
        elif element.tag == "scriptTask" and not sketch.read.declares and _is_beyond(sketch, element):
            _result(sketch, element)
        elif element.tag == "callActivity" and not element.calls:
            sketch.change(replace(element, tag="userTask", person=True, inputs=(), outputs=()))
            title = _title(sketch, element)
            sketch.warn(f"The call “{title}” names no process: it is one job of a person.", element)
        else:
            _incomplete(sketch, element)


def _incomplete(sketch: Sketch, element: Element) -> None:
    """Replace what an event lacks."""
    kind = element.trigger.kind
    starts = element.tag == "startEvent" and element.scope is None
    if kind in _OPEN and (element.trigger.expression is None or (starts and kind == "conditional")):
        _event(sketch, element)
    elif element.tag == "receiveTask" and not element.message:
        title = _title(sketch, element)
        sketch.change(replace(element, message=title))
        sketch.warn(f"The task “{title}” names no message: it waits for the signal “{slug(title)}”.", element)
    elif kind in ("message", "signal") and not element.trigger.name:
        _unnamed(sketch, element)
    elif kind == "escalation" and element.attached:
        _escalated(sketch, element)
    elif kind == "error" and element.attached:
        _without_error(sketch, element)


def _title(sketch: Sketch, element: Element) -> str:
    return sketch.titles[element.id]


def _waits(element: Element) -> bool:
    return element.tag in ("startEvent", "intermediateCatchEvent", "boundaryEvent")


def _empty(sketch: Sketch, element: Element) -> None:
    """Make a task of a sub-process without contents, and nothing of one that no event starts."""
    if any(each.scope == element.id for each in sketch.elements.values()):
        return
    if element.by_event:
        del sketch.elements[element.id]
        sketch.warn(
            f"The event sub-process “{_title(sketch, element)}” is empty: nothing starts it.", element
        )
        return
    sketch.change(replace(element, tag="task"))
    sketch.warn(f"The sub-process “{_title(sketch, element)}” is empty: it is one job.", element)


def _is_sql(element: Element) -> bool:
    return element.expression is not None and element.expression.language in ("sql", "text/sql")


def _is_beyond(sketch: Sketch, element: Element) -> bool:
    """Return whether a script is FEEL that is not read here."""
    known = types(sketch.read)
    try:
        for each in element.outputs:
            sql(each.source, sketch.read.language, element.id, known)
    except NotUnderstood:
        return True
    return False


def _result(sketch: Sketch, element: Element) -> None:
    """Let a worker compute a result that the database cannot compute."""
    names = ", ".join(each.target for each in element.outputs)
    text = "\n".join(f"{each.target} {each.source.text}" for each in element.outputs)
    described = "\n".join(filter(None, [element.description, text]))[:_LONGEST_SCRIPT]
    sketch.change(replace(element, tag="serviceTask", outputs=(), description=described))
    title = _title(sketch, element)
    message = f"The script “{title}” is more FEEL than is read here: a worker computes “{names}”."
    sketch.warn(message, element)


def _script(sketch: Sketch, element: Element) -> None:
    """Let a worker perform a script that the database cannot perform."""
    title, script = _title(sketch, element), element.expression
    language = script.language if script is not None else ""
    text = script.text if script is not None else ""
    described = "\n".join(filter(None, [element.description, text]))[:_LONGEST_SCRIPT]
    sketch.change(replace(element, tag="serviceTask", expression=None, description=described))
    message = f"The script “{title}” is empty: a worker performs it."
    if script is not None and not language:
        message = f"The script “{title}” names no language: a worker performs it, not the database."
    elif script is not None:
        message = f"The script “{title}” is in “{language[:40]}”: a worker performs it, not the database."
    sketch.warn(message, element)


def _escalated(sketch: Sketch, element: Element) -> None:
    """Let a person escalate an activity within which nothing throws an escalation."""
    host = sketch.elements.get(element.attached)
    if host is None or (host.tag == "subProcess" and not (host.loop is not None and host.loop.parallel)):
        return
    sketch.change(replace(element, trigger=Trigger("person", element.trigger.name)))
    title = _title(sketch, element)
    sketch.warn(
        f"Nothing within “{sketch.titles[host.id]}” throws “{title}”: a person says when it happens.", element
    )


def _without_error(sketch: Sketch, element: Element) -> None:
    """Let a person say when an error happens at a task whose job has no result with one."""
    host = sketch.elements[element.attached]
    if host.tag == "receiveTask" or (host.tag == "scriptTask" and (host.outputs or _is_sql(host))):
        sketch.change(replace(element, trigger=Trigger("person", element.trigger.name)))
        title = _title(sketch, element)
        message = f"“{sketch.titles[host.id]}” has no errors here: a person says when “{title}” happens."
        sketch.warn(message, element)


def _event(sketch: Sketch, element: Element) -> None:
    """Let a person say when an event happens, or start the instances that it would start."""
    if element.tag == "startEvent" and element.scope is None:
        _start(sketch, element)
        return
    title, kind = _title(sketch, element), element.trigger.kind
    sketch.change(replace(element, trigger=Trigger("person", element.trigger.name)))
    sentences = {
        "timer": f"The event “{title}” has no time: a person says when it happens.",
        "conditional": f"The event “{title}” has no condition: a person says when it happens.",
    }
    sketch.warn(sentences[kind], element)


def _start(sketch: Sketch, element: Element) -> None:
    """Let people, or a signal where there are other starts, start the instances of a start event."""
    title = _title(sketch, element)
    others = [each for each in sketch.elements.values() if _is_start(each) and each is not element]
    given = element.trigger.expression is not None
    if not others:
        sketch.change(replace(element, trigger=Trigger()))
        message = f"The start event “{title}” has neither time nor condition: people start the instances."
        if given:
            message = f"There are no data before the start event “{title}”: people start the instances."
        sketch.warn(message, element)
        return
    name = slug(title)
    sketch.change(replace(element, trigger=Trigger("message", title)))
    message = (
        f"The start event “{title}” has neither time nor condition: the signal “{name}” starts instances."
    )
    if given:
        message = f"There are no data before the start event “{title}”: the signal “{name}” starts instances."
    sketch.warn(message, element)


def _is_start(element: Element) -> bool:
    return element.tag == "startEvent" and element.scope is None


def _unnamed(sketch: Sketch, element: Element) -> None:
    """Name the message of an event after the event."""
    if element.trigger.kind == "message" and not _waits(element):
        return  # a worker sends it, whatever it is called
    title = _title(sketch, element)
    sketch.change(replace(element, trigger=replace(element.trigger, name=title)))
    message = f"The event “{title}” names no message: it waits for the signal “{slug(title)}”."
    if not _waits(element):
        message = f"The event “{title}” names no signal: it sends “{slug(title)}”."
    sketch.warn(message, element)
