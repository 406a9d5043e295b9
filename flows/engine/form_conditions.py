"""Checks of the conditions in the forms of tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from flows.definition.lint import Finding, Rule
from flows.engine.connection import JSON, value

OPTIONS = ("shown", "required", "readonly")


def form_conditions(definition: Mapping[str, Any], rules: Sequence[Rule], conn: Any) -> Iterator[Finding]:
    """Return the conditions of fields that are true on no state, as far as the kernel can prove it."""
    found = [(rule, *one) for rule in rules for one in _conditions(rule.trigger)]
    if not found:
        return
    types = {one["name"]: one.get("type") or "text" for one in definition["attributes"]}
    texts = [text for _rule, _name, _option, text in found]
    for place in value(conn, "select wedsql.never_true(%s, %s::text[])", (JSON(types), texts)):
        rule, name, option, _text = found[place - 1]
        message = _("The condition “{option}” of the field {name} in the form of {rule} is true on no state.")
        message = message.format(option=option, name=name, rule=rule.title)
        path = ("triggers", rule.place, "form")
        yield rule.found("never_true", "warning", "proved", message, others=[name, option], path=path)


def _conditions(trigger: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Return the conditions of a form: the attribute, the option, and the text."""
    for section in (trigger.get("form") or {}).get("sections") or ():
        for field in section.get("fields") or ():
            for option in OPTIONS:
                if isinstance(field.get(option), str):
                    yield str(field.get("attribute")), option, field[option]
