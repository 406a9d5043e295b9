"""The types of jobs by which workers of Camunda find them: zeebe:taskDefinition, and camunda:topic."""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.document.vocabulary import CAMUNDA, ZEEBE
from flows.languages.bpmn.document.xml import Tag
from flows.languages.bpmn.model import Element
from flows.languages.bpmn.reader.loops import Used

_COMPUTED = ("=", "${", "#{")


def with_job_type(tag: Tag, element: Element, used: Used) -> Element:
    """Return a task with the type of its job, which names its transition, and its number of attempts."""
    topic = tag.attributes.get((CAMUNDA, "topic"), "")
    if _is_name(topic):
        used |= {(id(tag), "topic"), (id(tag), "type")}
        return replace(element, job_type=topic)
    extensions = (part for each in tag.children if each.name == "extensionElements" for part in each.children)
    for part in extensions:
        if (part.space, part.name) == (ZEEBE, "taskDefinition") and _is_name(part.get("type")):
            used.add((id(part), ""))
            given = part.get("retries").strip()
            attempts = {"max_attempts": given} if given.isdecimal() and int(given) else {}
            return replace(element, job_type=part.get("type"), options=attempts | dict(element.options))
    return element


def _is_name(text: str) -> bool:
    return bool(text.strip()) and not text.startswith(_COMPUTED)
