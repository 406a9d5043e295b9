"""Says in sentences how a definition changes, for people who decide about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext

from flows import json_text
from flows.definition.attribute import ATTRIBUTE
from flows.definition.conditions import added_and_removed, conjuncts, disjuncts
from flows.definition.flow import FLOW
from flows.definition.merge import ATTRIBUTE_KEYS, TRIGGER_KEYS, reordered
from flows.definition.options import Options
from flows.definition.trigger import TRIGGER
from flows.labels import rule_name, rule_title, translate_label
from flows.types import Change

Values = Mapping[str, Any]
Read = Callable[[str], str]  # says a condition, or a part of one
_LONGEST = 200


def sentences(changes: Iterable[Change], read: Read = str) -> list[str]:
    """Return the sentences for the result of `flows.api.flows.difference`, in the active language.

    `read` says a condition with the labels of attributes; without it conditions are SQL.
    """
    return [sentence for change in changes for sentence in describe(change, read)]


def order_sentences(old: Values, new: Values) -> list[str]:
    """Return the sentences for attributes and rules that both definitions have, in another order."""
    found = []
    if reordered(old["attributes"], new["attributes"], ATTRIBUTE_KEYS):
        names = [_attribute_title(each) for each in new["attributes"]]
        found.append(gettext("The order of attributes changes: %(names)s.") % {"names": _text(names)})
    if reordered(old["triggers"], new["triggers"], TRIGGER_KEYS):
        names = [_place(each) for each in new["triggers"]]
        found.append(gettext("The order of rules changes: %(names)s.") % {"names": _text(names)})
    return found


def _place(trigger: Values) -> str:
    """Return the title of a rule in a list of rules."""
    if trigger.get("final"):
        return gettext("the final condition")
    return _rule_title(trigger)


def describe(change: Change, read: Read = str) -> list[str]:
    """Return the sentences for one change."""
    made = {"setting": _setting, "attribute": _attribute, "trigger": _trigger}[change.part]
    return [text[:1].upper() + text[1:] for text in made(change, read)]


def _setting(change: Change, read: Read) -> Iterator[str]:
    yield from _options(FLOW, change, gettext("the flow"))


def _attribute(change: Change, read: Read) -> Iterator[str]:
    old, new = change.old, change.new
    name = gettext("attribute %(name)s") % {"name": _attribute_title(new or old)}
    if change.kind == "added":
        kind = _shown(ATTRIBUTE, "type", new.get("type", "text"))
        yield gettext("%(item)s (%(type)s) is new.") % {"item": name, "type": kind}
    elif change.kind == "removed":
        yield gettext("%(item)s is removed.") % {"item": name}
    else:
        yield from _renamed(gettext("attribute %(name)s") % {"name": old.get("name", "")}, old, new)
        yield from _enum(name, old.get("options") or [], new.get("options") or [])
        yield from _options(ATTRIBUTE, change, name, besides=("name", "options"))


def _renamed(item: str, old: Values, new: Values) -> Iterator[str]:
    if old.get("name") != new.get("name"):
        named = new.get("name") or gettext("nothing")
        yield gettext("%(item)s is renamed to %(name)s.") % {"item": item, "name": named}


def _enum(name: str, old: list[str], new: list[str]) -> Iterator[str]:
    more, fewer = ([one for one in a if one not in b] for a, b in ((new, old), (old, new)))
    if more:
        yield gettext("%(item)s may now also be %(values)s.") % {"item": name, "values": ", ".join(more)}
    if fewer:
        yield gettext("%(item)s may no longer be %(values)s.") % {"item": name, "values": ", ".join(fewer)}


def _attribute_title(attribute: Values) -> str:
    return translate_label(str(attribute.get("label") or "")) or str(attribute.get("name") or "")


def _rule_title(rule: Values) -> str:
    """Return the title of a rule; for one without any name its condition."""
    return rule_title(rule) if rule.get("label") or rule_name(rule) else str(rule.get("predicate") or "")


def _trigger(change: Change, read: Read) -> Iterator[str]:
    old, new = change.old, change.new
    rule = _rule({**(old or new), "label": new.get("label") or old.get("label")})
    if change.kind == "added":
        yield _new_rule(rule, new, read)
    elif change.kind == "removed":
        yield gettext("%(item)s is removed; its pending jobs are withdrawn.") % {"item": rule}
    else:
        yield from _renamed(rule, old, new)
        yield from _condition(rule, old.get("predicate", ""), new.get("predicate", ""), read)
        yield from _fired(rule, old.get("transition"), new.get("transition"))
        yield from _options(TRIGGER, change, rule, besides=("name", "predicate", "transition"))


def _rule(trigger: Values) -> str:
    if trigger.get("final"):
        return gettext("the final condition")
    return gettext("rule %(name)s") % {"name": _rule_title(trigger)}


def _new_rule(rule: str, new: Values, read: Read) -> str:
    facts = {"item": rule, "condition": read(new.get("predicate", "")), "transition": new.get("transition")}
    if new.get("final"):
        return gettext("%(item)s is new: an instance ends when %(condition)s.") % facts
    if new.get("integrity"):
        return gettext("%(item)s is new: every state must satisfy %(condition)s.") % facts
    return gettext("%(item)s is new: it fires %(transition)s when %(condition)s.") % facts


def _fired(rule: str, old: str | None, new: str | None) -> Iterator[str]:
    if old != new and old and new:
        facts = {"item": rule, "new": _text(new), "old": _text(old)}
        yield gettext("%(item)s now fires %(new)s instead of %(old)s.") % facts


def _condition(rule: str, old: str, new: str, read: Read) -> Iterator[str]:
    """Say what was added to or removed from a condition, or else both conditions."""
    if old == new:
        return
    for split, word in ((conjuncts, gettext("and")), (disjuncts, gettext("or"))):
        more, fewer = added_and_removed(split(old), split(new))
        if len(fewer) < len(split(old)) and len(more) < len(split(new)) and not (more and fewer):
            parts = [read(part) for part in more or fewer]
            yield from _parts(rule, parts, word, bool(more), split is conjuncts)
            return
    facts = {"item": rule, "old": read(old), "new": read(new)}
    yield gettext("the condition of %(item)s was %(old)s and is now %(new)s.") % facts


def _parts(rule: str, parts: list[str], word: str, added: bool, required: bool) -> Iterator[str]:
    facts = {"item": rule, "parts": f" {word} ".join(parts)}
    if not parts:
        return  # only spaces, case or the order of the parts differ
    if required and added:
        yield gettext("%(item)s now also requires %(parts)s.") % facts
    elif required:
        yield gettext("%(item)s no longer requires %(parts)s.") % facts
    elif added:
        yield gettext("%(item)s is now also met by %(parts)s.") % facts
    else:
        yield gettext("%(item)s is no longer met by %(parts)s.") % facts


def _options(options: Options, change: Change, item: str, besides: Iterable[str] = ()) -> Iterator[str]:
    """Say which other options have another value."""
    for name in options:
        if name in besides or not (name in change.old or name in change.new):
            continue
        old, new = (side.get(name, options[name].default) for side in (change.old, change.new))
        if old != new:
            facts = {"item": item, "option": options[name].label or name}
            shown = {"old": _shown(options, name, old), "new": _shown(options, name, new)}
            yield gettext("%(item)s: “%(option)s” is now %(new)s (was %(old)s).") % (facts | shown)


def _shown(options: Options, name: str, value: Any) -> str:
    choices = options[name].choices
    if name == "writes" and not value:
        return gettext("every attribute") if value is None else gettext("no attribute")
    return str(choices[value]) if isinstance(value, str) and value in choices else _text(value)


def _text(value: Any) -> str:
    if value is None or value == "" or value == []:
        return gettext("empty")
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, dict):
        value = json_text.encode(value)
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
