"""Values of a state as texts of form fields, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from django.utils.translation import gettext as _

from flows.labels import translate_label
from pages.labels import BOOLEAN

# How an empty text is typed; an empty field is null.
EMPTY = "''"
_TRUE, _FALSE = {"true", "t", "yes", "y", "on", "1"}, {"false", "f", "no", "n", "off", "0"}
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

    @property
    def input(self) -> str:
        """Return the type of the input; one of a day or time shows no other texts, such as infinity."""
        kind, read = _INPUTS.get(self.type, ("text", as_text))
        return kind if not self.text or read(self.text) else "text"

    @property
    def shown(self) -> str | None:
        """Return the value as a page shows it outside of a form; None for null."""
        return None if self.text == "" else "" if self.text == EMPTY else self.text

    @property
    def keyboard(self) -> str:
        """Return which keyboard a phone shows."""
        return {"integer": "numeric", "numeric": "decimal"}.get(self.type, "")


class BadValue(ValueError):
    """A text that is no value of its attribute's type."""


def fields(
    definition: Mapping[str, Any], state: Mapping[str, Any], typed: Mapping[str, str] | None = None
) -> list[Field]:
    """Return a field per attribute with its value in the state, or with what was typed."""
    named = enumerate(definition["attributes"])
    return [_field(f"value-{n}", attribute, state, typed or {}) for n, attribute in named]


def named_fields(
    attributes: Iterable[Mapping[str, Any]], state: Mapping[str, Any], typed: Mapping[str, str]
) -> list[Field]:
    """Return what `fields` does, each field named after its attribute, which is unique in a flow that runs.

    What was typed stays with its attribute when another version of the flow is published meanwhile.
    """
    return [_field(f"value-{one['name']}", one, state, typed) for one in attributes]


def _field(
    field: str, attribute: Mapping[str, Any], state: Mapping[str, Any], typed: Mapping[str, str]
) -> Field:
    name, kind = str(attribute.get("name") or ""), str(attribute.get("type") or "text")
    text = _plain(typed.get(field, as_text(state.get(name))), kind)
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


def _plain(text: str, kind: str) -> str:
    """Return a text in the form that the field of its type shows; a time is in UTC, in milliseconds."""
    if kind == "boolean":
        word = text.lower()
        return "true" if word in _TRUE else "false" if word in _FALSE else text
    found = _time(text) if kind == "timestamptz" else None
    if found:
        return found.replace(tzinfo=None).isoformat(
            timespec="milliseconds" if found.microsecond else "seconds"
        )
    return text


def _day(text: str) -> date | None:
    """Return the day that a text says; None for other texts."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _time(text: str) -> datetime | None:
    """Return the time that a text says, in UTC, as one without a zone is; None for other texts."""
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


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
        raise BadValue(_("This text is too long or contains characters that are not allowed."))
    if text == "":
        return None
    if kind == "jsonb":
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadValue(_('This is not JSON: write for example {"a": 1} or "text".')) from error
    if kind == "timestamptz" and (found := _time(text)):
        return found.isoformat()
    return "" if text == EMPTY else text


def changes(
    definition: Mapping[str, Any], state: Mapping[str, Any], typed: Mapping[str, str]
) -> dict[str, Any]:
    """Return the values that differ from the state. Raises BadValue."""
    return changed(fields(definition, state, typed), state)


def changed(found: Iterable[Field], state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of fields that differ from the state. Raises BadValue."""
    return {
        field.name: as_value(field.text, field.type)
        for field in found
        if field.text != _plain(as_text(state.get(field.name)), field.type)
    }


# The types of inputs of days and times, and what reads the texts that these can show.
_INPUTS: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "date": ("date", _day),
    "timestamptz": ("datetime-local", _time),
}
