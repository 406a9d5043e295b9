"""Reading what an event waits for or does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from flows.languages.bpmn import times
from flows.languages.bpmn.model import Expression, Trigger
from flows.languages.bpmn.vocabulary import MODEL, REFUSED_EVENTS
from flows.languages.bpmn.xml import Tag

Note = Callable[[str, str, Tag], None]
_ALLOWED = {
    "startEvent": {"none", "message", "error", "timer", "conditional"},
    "endEvent": {"none", "message", "error", "terminate"},
    "intermediateCatchEvent": {"message", "timer", "conditional", "link"},
    "intermediateThrowEvent": {"none", "message", "link"},
    "boundaryEvent": {"message", "timer", "conditional", "error", "compensate"},
}
_FORMS = {"timeDuration": "duration", "timeDate": "date", "timeCycle": "cycle"}


def check_settings(tag: Tag, note: Note) -> None:
    """Reject settings of an element whose meaning the flow could not have."""
    continues = not (tag.flag("cancelActivity", True) and tag.flag("isInterrupting", True))
    if continues and any(tag.of(MODEL, "errorEventDefinition")):
        note("unsupported", "An event of an error interrupts what it belongs to.", tag)
    if {tag.get("startQuantity", "1"), tag.get("completionQuantity", "1")} != {"1"}:
        note("unsupported", "An activity takes and gives one token at a time.", tag)
    if tag.flag("instantiate"):
        gateway = "A gateway that starts instances is not supported."
        task = "A receive task that starts instances is not supported."
        note("unsupported", gateway if tag.name == "eventBasedGateway" else task, tag)


def expression(tag: Tag) -> Expression:
    """Return the expression that an element has as its text."""
    return Expression(tag.text.strip(), tag.get("language"), tag.line, tag.column)


def trigger(tag: Tag, named: Mapping[str, Tag], note: Note) -> Trigger:
    """Return what an event waits for or does."""
    definitions = [
        each
        for each in tag.children
        if each.space == MODEL
        and (each.name.endswith("EventDefinition") or each.name == "eventDefinitionRef")
    ]
    if not definitions:
        return _allowed(tag, Trigger(), note)
    if len(definitions) > 1 or definitions[0].name == "eventDefinitionRef":
        note("unsupported", "An event with several or with shared definitions is not supported.", tag)
        return Trigger()
    definition = definitions[0]
    if definition.name in REFUSED_EVENTS:
        note("unsupported", REFUSED_EVENTS[definition.name], tag)
        return Trigger()
    return _allowed(tag, _trigger(tag, definition, named, note), note)


def _allowed(tag: Tag, found: Trigger, note: Note) -> Trigger:
    if found.kind == "compensate" and tag.name != "boundaryEvent":
        note("unsupported", "Compensation is started by people (roll back, abort), not by the process.", tag)
    elif found.kind not in _ALLOWED[tag.name]:
        note("unsupported", f"An element {tag.name} with {found.kind} is not supported.", tag)
    return found


def _trigger(tag: Tag, definition: Tag, named: Mapping[str, Tag], note: Note) -> Trigger:
    kind = definition.name.removesuffix("EventDefinition")
    if kind == "timer":
        return _timer(tag, definition, note)
    if kind == "conditional":
        condition = next(iter(definition.of(MODEL, "condition")), None)
        if condition is None or not condition.text.strip():
            note("no_condition", "The condition of the event is missing.", tag)
            return Trigger(kind)
        return Trigger(kind, expression=expression(condition))
    if kind == "message":
        return Trigger(kind, reference(definition, "messageRef", named, note, tag) or tag.get("name"))
    if kind == "error":
        error = named.get(definition.get("errorRef").rpartition(":")[2])
        if definition.get("errorRef") and error is None:
            note("unknown_reference", f"There is no error “{definition.get('errorRef')[:40]}”.", tag)
        code = (error.get("errorCode") or error.get("name")) if error is not None else ""
        return Trigger(kind, error.get("name") if error is not None else "", code)
    return Trigger(kind, definition.get("name"))


def reference(
    tag: Tag, attribute: str, named: Mapping[str, Tag], note: Note, owner: Tag | None = None
) -> str:
    """Return the name of what an attribute refers to; empty without the attribute."""
    wanted = tag.get(attribute).rpartition(":")[2]
    if wanted and wanted not in named:
        note("unknown_reference", f"There is no element “{wanted[:40]}”.", owner or tag)
    return named[wanted].get("name", wanted) if wanted in named else ""


def _timer(tag: Tag, definition: Tag, note: Note) -> Trigger:
    given = [each for each in definition.of(MODEL, *_FORMS) if each.text.strip()]
    if len(given) != 1:
        note("no_time", "The timer has no time, or several.", tag)
        return Trigger("timer")
    found = expression(given[0])
    form, text = times.simplified(_FORMS[given[0].name], found.text)
    return Trigger("timer", form=form, expression=replace(found, text=text))
