"""Values of a state as texts of form fields, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from django.utils.translation import gettext as _

from flows import json_text
from flows.definition.option_labels import type_of, value_label
from flows.labels import translate_label
from pages.labels import BOOLEAN

# How an empty text is typed; an empty field is null.
EMPTY = "''"
_TRUE, _FALSE = {"true", "t", "yes", "y", "on", "1"}, {"false", "f", "no", "n", "off", "0"}
LONGEST_VALUE = 100_000
# How much is shown of texts for which a form has no field any more.
_SHOWN, _MOST_SHOWN = 2_000, 20


@dataclass(frozen=True)
class Field:
    """One attribute of a state as a form field; `error` is why its text cannot be read.

    A browser sends some texts otherwise than it got them. `filled` is what the control gets; `was` is the
    exact text beside it, from which `posted` restores what was not changed.
    """

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
    def is_multiline(self) -> bool:
        """Return whether its control has lines: an input without them would join those of a text."""
        return self.type == "jsonb" or "\n" in lines(self.text)

    @property
    def is_time(self) -> bool:
        """Return whether its text is a time without a zone, which is in UTC."""
        return self.type == "timestamptz" and _time(self.text) is not None

    @property
    def filled(self) -> str:
        """Return the text with which the control is filled, as a browser sends it back."""
        found = _time(self.text) if self.input == "datetime-local" and self.text else None
        return _in_milliseconds(found) if found else lines(self.text)

    @property
    def was(self) -> str:
        """Return the exact text in ASCII, "" if the control gives it back."""
        return "" if self.filled == self.text else json.dumps(self.text)

    @property
    def shown(self) -> str | None:
        """Return the value as a page shows it outside of a form; None for null."""
        return None if self.text == "" else unquoted(self.text)

    @property
    def keyboard(self) -> str:
        """Return which keyboard a phone shows."""
        return {"integer": "numeric", "numeric": "decimal"}.get(self.type, "")


class BadValue(ValueError):
    """A text that is no value of its attribute's type."""


def posted(given: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of the fields of a form, by field; what was not changed is exactly as it was."""
    return {
        name: _restored(text, exact(given.get(f"was-{name}", "")))
        for name, text in given.items()
        if name.startswith("value-")
    }


def exact(was: str) -> str | None:
    """Return the text that a form has beside its control; None without one."""
    try:
        found = json.loads(was) if was else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, str) else None


def _restored(text: str, was: str | None) -> str:
    """Return the text that a control sent, with `was` beside it; browsers send CR LF for a line break."""
    if was is None:
        return lines(text)
    if lines(text) == lines(was):
        return was
    if (time := _time(was)) and (sent := _time(text)):
        return was if _in_milliseconds(sent) == _in_milliseconds(time) else text
    only_crlf = lines(was).count("\n") == was.count("\r\n") > 0
    return lines(text).replace("\n", "\r\n") if only_crlf else lines(text)


def lines(text: str) -> str:
    """Return a text with the line breaks that a control has."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def texts(attributes: Iterable[Mapping[str, Any]], state: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts, by field, with which fields named after these attributes show values of a state."""
    kinds = {str(one["name"]): str(one.get("type") or "text") for one in attributes}
    return {f"value-{name}": as_text(value, kinds[name]) for name, value in state.items() if name in kinds}


def fields(
    definition: Mapping[str, Any], state: Mapping[str, Any], typed: Mapping[str, str] | None = None
) -> list[Field]:
    """Return a field per attribute with its value in the state, or with what was typed."""
    named = enumerate(definition["attributes"])
    return [_field(f"value-{n}", attribute, state, typed or {}) for n, attribute in named]


def named_fields(
    attributes: Iterable[Mapping[str, Any]], state: Mapping[str, Any], typed: Mapping[str, str]
) -> list[Field]:
    """Return the result of `fields`, named after the attributes, which are unique in a running flow.

    What was typed stays with its attribute when another version of the flow is published meanwhile.
    """
    return [_field(f"value-{one['name']}", one, state, typed) for one in attributes]


def check_asked(found: Iterable[Field], typed: Mapping[str, str]) -> None:
    """Reject texts for attributes that a form no longer has: they would be lost without a word.

    Raises BadValue, which says them.
    """
    known = {field.field for field in found}
    lost = [
        f"{name.removeprefix('value-')[:63]}: “{text[:_SHOWN]}”"
        for name, text in typed.items()
        if name not in known and text
    ]
    if lost:
        raise BadValue(
            _(
                "This form no longer asks for %(typed)s: the flow, or what is chosen, has changed since it "
                "was opened. Check the values, then send it again."
            )
            % {"typed": "; ".join(lost[:_MOST_SHOWN])}
        )


def _field(
    field: str, attribute: Mapping[str, Any], state: Mapping[str, Any], typed: Mapping[str, str]
) -> Field:
    name, kind = str(attribute.get("name") or ""), type_of(attribute)
    text = _plain(typed.get(field, as_text(state.get(name), kind)), kind)
    if kind == "enum":  # an option comes back with the line breaks of a browser
        options = [as_text(str(each)) for each in attribute.get("options") or []]
        text = text if text in options else next((o for o in options if lines(o) == lines(text)), text)
    error = ""
    try:
        as_value(text, kind)
    except BadValue as bad:
        error = str(bad)
    label = translate_label(str(attribute.get("label") or "")) or name
    return Field(name, field, label, kind, _options(attribute, kind, text), text, error)


def _options(attribute: Mapping[str, Any], kind: str, text: str) -> list[tuple[str, str]]:
    if kind == "boolean":
        known = dict.fromkeys(["", "true", "false", text])
        return [(each, str(BOOLEAN.get(each, each))) for each in known]
    if kind != "enum":
        return []
    offered = [as_text(str(option)) for option in attribute.get("options") or []]
    known = dict.fromkeys(["", *offered, text])
    return [(each, value_label(kind, unquoted(each)) if each else "") for each in known]


def _plain(text: str, kind: str) -> str:
    """Return a text in the form that the field of its type shows; a time is in UTC."""
    if kind == "boolean":
        word = text.lower()
        return "true" if word in _TRUE else "false" if word in _FALSE else text
    if kind == "timestamptz" and (time := _time(text)):
        return time.replace(tzinfo=None).isoformat()
    found = day(text) if kind == "date" else None
    return found.isoformat() if found else text


def day(text: str) -> date | None:
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


def _in_milliseconds(time: datetime) -> str:
    """Return a time as an input of times can show it."""
    shown = time.replace(tzinfo=None, microsecond=time.microsecond // 1000 * 1000)
    return shown.isoformat(timespec="milliseconds" if shown.microsecond else "seconds")


def as_text(value: Any, kind: str = "text") -> str:
    """Return the text of a field with this value, from which `as_value` makes the same value.

    A text of an even number of quotation marks, as the empty one, gets two more.
    """
    if value is None:
        return ""
    if not isinstance(value, str) or kind == "jsonb":
        return json_text.encode(value)
    return value + EMPTY if _is_quotes(value) else value


def _is_quotes(text: str) -> bool:
    return len(text) % 2 == 0 and not text.strip("'")


def unquoted(text: str) -> str:
    """Return the text that the text of a field means."""
    return text.removesuffix(EMPTY) if _is_quotes(text) else text


def as_value(text: str, kind: str) -> Any:
    """Return the value that a text means. Raises BadValue; the kernel checks the rest when it is used."""
    if len(text) > LONGEST_VALUE or "\0" in text:
        raise BadValue(_("This text is too long or contains characters that are not allowed."))
    if text == "":
        return None
    if kind == "jsonb":
        try:
            return json_text.decode_typed(text)
        except (ValueError, RecursionError) as error:
            raise BadValue(_('This is not JSON: write for example {"a": 1} or "text".')) from error
    if kind == "timestamptz" and (found := _time(text)):
        return found.isoformat()
    return unquoted(text)


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
        if field.text != _plain(as_text(state.get(field.name), field.type), field.type)
    }


# The types of inputs of days and times, and what reads the texts that these can show.
_INPUTS: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "date": ("date", day),
    "timestamptz": ("datetime-local", _time),
}
