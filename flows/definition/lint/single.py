"""Checks of one rule by itself, and of attributes that no rule uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from flows.definition.lint.classes import Leaf
from flows.definition.lint.findings import Finding, Rule, identity
from flows.definition.lint.tables import State, Table

Attributes = Mapping[str, Mapping[str, Any]]
_IN_BRACES = re.compile(r"\{([^{}]+)\}")
_WORD = re.compile(r"[a-z][a-z0-9_]*")


def alone(rule: Rule, attributes: Attributes) -> Iterator[Finding]:
    """Return the findings about a rule without the others."""
    table = rule.table
    if table and "t" not in table.held:
        message = _("The condition of {rule} is true on no state.").format(rule=rule.title)
        yield rule.found("never_true", "warning", "proved", message, hint=_("It never fires."))
    if table and set(table.held) == {"t"}:
        message = _("The condition of {rule} is true on every state.").format(rule=rule.title)
        state = table.first("t")
        yield rule.found(
            "always_true", "warning", "proved", message, hint=_("It fires at each step."), state=state
        )
    yield from _leaves_itself_true(rule)
    for leaf in rule.leaves:
        yield from _leaf(rule, leaf, attributes)


def _leaves_itself_true(rule: Rule) -> Iterator[Finding]:
    if rule.writes is None or not rule.reads or rule.trigger.get("fire_once"):
        return
    others = sorted(rule.writes & rule.reads)
    hint = _("After it is done its condition still holds, and it fires again.")
    if not others:
        message = _("{rule} writes none of the attributes that its condition reads.").format(rule=rule.title)
        state = rule.table.first("t") if rule.table else None
        if rule.table is None or state is not None:
            yield rule.found("leaves_itself_true", "warning", "declared", message, hint=hint, state=state)
        return
    state = _unchangeable(rule.table, rule.writes) if rule.table else None
    if state is not None:
        message = _("On some states no result of {rule} makes its condition false.").format(rule=rule.title)
        yield rule.found(
            "leaves_itself_true", "warning", "proved", message, hint=hint, state=state, others=others
        )


def _unchangeable(table: Table, writes: frozenset[str]) -> State | None:
    """Return a state on which a condition stays true whatever these attributes become; None without one."""
    names = sorted(table.reads - writes)
    true, other = table.parts("t", names), table.parts("fue", names)
    part = next((part for part in true if part not in other), None)
    return None if part is None else table.state(true[part])


def _leaf(rule: Rule, leaf: Leaf, attributes: Attributes) -> Iterator[Finding]:
    constants = leaf.constants()
    if constants is None:
        return
    name = leaf.attributes[0]
    place: dict[str, Any] = {"position": leaf.position, "length": leaf.length, "others": [str(leaf.position)]}
    if attributes[name].get("type") == "enum":
        yield from _no_option(rule, name, attributes[name].get("options") or [], constants, place)
    if "null" in constants and leaf.never_with_null:
        message = _("A comparison with null is never true.")
        hint = _("Write {name} is null, or is not null.").format(name=name)
        yield rule.found("compared_with_null", "warning", "proved", message, hint=hint, **place)
    elif leaf.negative and attributes[name].get("default") is None:
        message = _("While {name} is null, this is not true.").format(name=name)
        hint = _("Write {name} is distinct from ... if null should count as different.").format(name=name)
        state = rule.table.first("u") if rule.table else None
        yield rule.found("null_is_not_different", "info", "proved", message, hint=hint, state=state, **place)


def _no_option(
    rule: Rule, name: str, options: Sequence[str], constants: Sequence[str], place: dict[str, Any]
) -> Iterator[Finding]:
    for lost in (one for one in constants if one not in [*options, "null"]):
        message = _("“{value}” is not one of the options of {name}.").format(value=lost, name=name)
        hint = _("Options: {options}.").format(options=", ".join(options))
        yield rule.found("no_option", "warning", "proved", message, hint=hint, **place)


def _about_children(trigger: Mapping[str, Any]) -> str:
    """Return the expressions about children of a trigger, and the attributes that their result sets."""
    single = [trigger.get("child_count"), trigger.get("child_wait")]
    lines = [line.partition("=")[2] for line in trigger.get("child_set") or ()]
    return " ".join(str(text or "") for text in (*single, *lines, *(trigger.get("child_result") or ())))


def _about_people(trigger: Mapping[str, Any]) -> str:
    """Return the options of a task that name attributes, and the conditions and fields of its form."""
    single = [trigger.get("candidate"), trigger.get("application"), trigger.get("sets_when_taken")]
    sections = (trigger.get("form") or {}).get("sections") or ()
    fields = [
        str(value)
        for section in sections
        for field in section.get("fields") or ()
        for value in field.values()
    ]
    return " ".join(str(text or "") for text in (*single, *(trigger.get("outcomes") or ()), *fields))


def unused(attributes: Attributes, rules: Sequence[Rule]) -> Iterator[Finding]:
    """Return the attributes that no rule reads or declares that it writes."""
    used = {name for rule in rules for name in rule.reads}
    used |= {name for rule in rules for name in rule.trigger.get("writes") or ()}
    used |= {str(rule.trigger.get("due_attr")) for rule in rules}
    used |= {name for rule in rules for name in _IN_BRACES.findall(str(rule.trigger.get("lock") or ""))}
    used |= {name for rule in rules for name in _WORD.findall(_about_children(rule.trigger))}
    used |= {name for rule in rules for name in _WORD.findall(_about_people(rule.trigger))}
    for place, (name, attribute) in enumerate(attributes.items()):
        if name not in used and not attribute.get("business_key"):
            message = _("No rule reads {name}, and none declares that it writes it.").format(name=name)
            path = ("attributes", place, "name")
            yield Finding(identity("unused", name), "unused", "info", "declared", path, message)
