"""Reading script tasks: assignments in SQL, one result in FEEL, or a script for a worker."""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.document.vocabulary import CAMUNDA, FLOWABLE, MODEL, ZEEBE
from flows.languages.bpmn.document.xml import Tag
from flows.languages.bpmn.model import Assignment, Element, Expression
from flows.languages.bpmn.names import usable
from flows.languages.bpmn.reader.events import expression
from flows.languages.bpmn.reader.loops import Used


def script_task(tag: Tag, element: Element, used: Used) -> Element:
    """Return a script task with its script, whose language is in lower case; of FEEL, with its result."""
    for part in (each for outer in tag.of(MODEL, "extensionElements") for each in outer.children):
        if (part.space, part.name) == (ZEEBE, "script"):
            used.add((id(part), ""))
            text = Expression(part.get("expression"), "feel", part.line, part.column)
            return _with_result(element, part.get("resultVariable"), text)
    script = next((expression(each) for each in tag.of(MODEL, "script") if each.text.strip()), None)
    if script is None:
        return element
    script = replace(script, language=tag.get("scriptFormat").strip().lower())
    if "feel" not in script.language:
        return replace(element, expression=script)
    for space in (CAMUNDA, FLOWABLE):
        if tag.attributes.get((space, "resultVariable")):
            used.add((id(tag), "resultVariable"))
            return _with_result(element, tag.attributes[space, "resultVariable"], script)
    return replace(element, expression=script)


def _with_result(element: Element, name: str, text: Expression) -> Element:
    """Return the task with one assignment; without a name for the result it has only its script."""
    given = usable(name.strip().lower())
    if not (given.isascii() and given.isidentifier()) or not text.text.strip():
        return replace(element, expression=text if text.text.strip() else None)
    return replace(element, outputs=(Assignment(given, text),))
