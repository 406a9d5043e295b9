"""Reading what an event waits for or does."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from flows.languages.bpmn import times
from flows.languages.bpmn.document.vocabulary import MODEL
from flows.languages.bpmn.document.xml import Tag, local
from flows.languages.bpmn.model import Expression, Trigger

Note = Callable[..., None]
_FORMS = {"timeDuration": "duration", "timeDate": "date", "timeCycle": "cycle"}


def check_settings(tag: Tag, note: Note) -> None:
    """Reject settings of an element whose meaning the flow could not have."""
    if {tag.get("startQuantity", "1"), tag.get("completionQuantity", "1")} != {"1"}:
        note("unsupported", "An activity takes and gives one token at a time.", tag)


def is_given(tag: Tag) -> bool:
    """Return whether an expression is written; some modellers write that it is not."""
    return tag.text.strip().lower() not in ("", "undefined", "_undefined", "null")


_EVALUATED = re.compile(r"eval\s*\((.*)\)\s*;?", re.DOTALL)


def expression(tag: Tag) -> Expression:
    """Return the expression that an element has as its text; of a rule of Drools, what it evaluates."""
    text, language = tag.text.strip(), tag.get("language")
    evaluated = _EVALUATED.fullmatch(text) if language.endswith("drools/rule") else None
    if evaluated is not None:
        text, language = evaluated[1].strip(), "java"
    return Expression(text, language, tag.line, tag.column)


def triggers(tag: Tag, named: Mapping[str, Tag], note: Note) -> tuple[Trigger, ...]:
    """Return the triggers of an event, one for each of its definitions, or that of an event without any."""
    definitions = [
        each
        for each in tag.children
        if each.space == MODEL
        and (each.name.endswith("EventDefinition") or each.name == "eventDefinitionRef")
    ]
    return tuple(_defined(tag, each, named, note) for each in definitions) or (Trigger(),)


def _defined(tag: Tag, definition: Tag, named: Mapping[str, Tag], note: Note) -> Trigger:
    """Return the trigger of a definition, or of the one that it refers to."""
    if definition.name == "eventDefinitionRef":
        wanted = local(definition.text)
        if wanted not in named:
            note("unknown_reference", f"There is no element “{wanted[:40]}”.", tag, "warning")
            return Trigger()
        definition = named[wanted]
    return _trigger(tag, definition, named, note)


def _trigger(tag: Tag, definition: Tag, named: Mapping[str, Tag], note: Note) -> Trigger:
    kind = definition.name.removesuffix("EventDefinition")
    if kind == "timer":
        return _timer(tag, definition, note)
    if kind == "conditional":
        given = (expression(each) for each in definition.of(MODEL, "condition") if is_given(each))
        return Trigger(kind, expression=next(given, None))
    if kind == "message":
        return Trigger(kind, reference(definition, "messageRef", named, note, tag) or tag.get("name"))
    if kind == "signal":
        return _signal(tag, definition, named)
    if kind in ("error", "escalation"):
        return _coded(tag, definition, kind, named, note)
    waits = kind != "compensate" or definition.flag("waitForCompletion", True)
    return Trigger(kind, _shown(tag, definition, kind), waits=waits)


def _shown(tag: Tag, definition: Tag, kind: str) -> str:
    """Return the name of a link, or of the activity that is to be undone."""
    if kind == "compensate":
        return definition.get("activityRef").rpartition(":")[2]
    return definition.get("name") or (tag.get("name") if kind == "link" else "")


def _signal(tag: Tag, definition: Tag, named: Mapping[str, Tag]) -> Trigger:
    """Return a signal; some modellers write its name instead of a reference."""
    wanted = definition.get("signalRef").rpartition(":")[2]
    name = named[wanted].get("name", wanted) if wanted in named else wanted
    return Trigger("signal", name or tag.get("name"))


def _coded(tag: Tag, definition: Tag, kind: str, named: Mapping[str, Tag], note: Note) -> Trigger:
    """Return an error or an escalation, with its code."""
    wanted = definition.get(f"{kind}Ref").rpartition(":")[2]
    found = named.get(wanted)
    if wanted and found is None:
        sentences = {
            "error": f"There is no error “{wanted[:40]}”: this is its code.",
            "escalation": f"There is no escalation “{wanted[:40]}”: this is its code.",
        }
        note("unknown_reference", sentences[kind], tag, "warning")
    if found is None:
        return Trigger(kind, wanted, wanted)
    return Trigger(kind, found.get("name"), found.get(f"{kind}Code") or found.get("name"))


def reference(
    tag: Tag, attribute: str, named: Mapping[str, Tag], note: Note, owner: Tag | None = None
) -> str:
    """Return the name of what an attribute refers to, or its id in another file; empty without it."""
    wanted = tag.get(attribute).rpartition(":")[2]
    if wanted and wanted not in named:
        message = f"There is no element “{wanted[:40]}” in the file: this is its name."
        note("unknown_reference", message, owner or tag, "warning")
    return named[wanted].get("name", wanted) if wanted in named else wanted


def _timer(tag: Tag, definition: Tag, note: Note) -> Trigger:
    given = [each for each in definition.of(MODEL, *_FORMS) if is_given(each)]
    if len(given) > 1:
        note("no_time", "The timer has several times.", tag)
    if len(given) != 1:
        return Trigger("timer")
    found = expression(given[0])
    form, text = times.simplified(_FORMS[given[0].name], found.text)
    return Trigger("timer", form=form, expression=replace(found, text=text))
