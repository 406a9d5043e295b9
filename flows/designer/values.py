"""Values of a state as texts of form fields, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from flows.labels import translate_label
from pages.labels import BOOLEAN

# How an empty text is typed; an empty field is null.
EMPTY = "''"
LONGEST_VALUE = 100_000


@dataclass(frozen=True)
class Field:
    """One attribute of a state as a form field; `error` is why its text cannot be read."""

    name: str
    field: str
    label: str
    type: str
    options: list[tuple[str, str]]
    text: str
    error: str = ""


class BadValue(ValueError):
    """A text that is no value of its attribute's type."""


def fields(
    definition: Mapping[str, Any], state: Mapping[str, Any], typed: Mapping[str, str] | None = None
) -> list[Field]:
    """Return a field per attribute with its value in the state, or with what was typed."""
    return [_field(n, attribute, state, typed or {}) for n, attribute in enumerate(definition["attributes"])]


def _field(n: int, attribute: Mapping[str, Any], state: Mapping[str, Any], typed: Mapping[str, str]) -> Field:
    name, kind = str(attribute.get("name") or ""), str(attribute.get("type") or "text")
    field = f"value-{n}"
    text = typed.get(field, as_text(state.get(name)))
    error = ""
    try:
        as_value(text, kind)
    except BadValue as bad:
        error = str(bad)
    label = translate_label(str(attribute.get("label") or "")) or name
    return Field(name, field, label, kind, _options(attribute, kind, text), text, error)


def _options(attribute: Mapping[str, Any], kind: str, text: str) -> list[tuple[str, str]]:
    if kind == "boolean":
        return [("", ""), *((each, str(BOOLEAN[each])) for each in ("true", "false"))]
    if kind != "enum":
        return []
    offered = [str(option) for option in attribute.get("options") or []]
    return [(each, each) for each in dict.fromkeys(["", *offered, text])]


def as_text(value: Any) -> str:
    """Return the text of a field with this value."""
    if value is None:
        return ""
    if value == "":
        return EMPTY
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def as_value(text: str, kind: str) -> Any:
    """Return the value that a text means. Raises BadValue; the kernel checks the rest when it is used."""
    if len(text) > LONGEST_VALUE or "\0" in text:
        raise BadValue(_("This text is too long or has characters that no text may have."))
    if text == "":
        return None
    if kind == "jsonb":
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadValue(_('This is not JSON: write for example {"a": 1} or "text".')) from error
    return "" if text == EMPTY else text


def changes(
    definition: Mapping[str, Any], state: Mapping[str, Any], typed: Mapping[str, str]
) -> dict[str, Any]:
    """Return the values that differ from the state. Raises BadValue."""
    return {
        field.name: as_value(field.text, field.type)
        for field in fields(definition, state, typed)
        if field.text != as_text(state.get(field.name))
    }
