"""Tests of the type of a value: `instance of` (DMN 1.5, 10.3.2.9)."""

from __future__ import annotations

from flows.languages.bpmn.feel.lists import NULL, Context, Listed, NoValue, Value, closed
from flows.languages.bpmn.feel.paths import Documents
from flows.languages.bpmn.feel.values import NUMBERS, TEXTS, Part

_DAYS, _MONTHS = "days and time duration", "years and months duration"
_OF_ATTRIBUTES = {
    **dict.fromkeys(NUMBERS, "number"),
    **dict.fromkeys(TEXTS, "string"),
    "boolean": "boolean",
    "date": "date",
    "time": "time",
    "timestamptz": "date and time",
    "text[]": "list",
}
_OF_JSON = {
    "number": "number",
    "string": "string",
    "boolean": "boolean",
    "list": "array",
    "context": "object",
}
TYPES = ("number", "string", "boolean", "date", "time", "date and time", _DAYS, _MONTHS, "list", "context")


def is_of(value: Value, type_: str) -> Part:
    """Return whether a value has a type of FEEL; null has none. Raises NoValue if that is not known."""
    if isinstance(value, Documents):
        found = value.single()
        value = Listed(()) if found is None else found
    if isinstance(value, Listed | Context):
        return Part(str(type_ == ("list" if isinstance(value, Listed) else "context")).lower(), "boolean")
    if value == NULL or not isinstance(value, Part):
        return Part("false", "boolean")
    if value.type == "jsonb":
        wanted = _OF_JSON.get(type_)
        test = f"coalesce(jsonb_typeof({value}) = '{wanted}', false)" if wanted else "false"
        return Part(test, "boolean")
    return Part(f"({closed(value)} is not null)" if _type_of(value, type_) == type_ else "false", "boolean")


def _type_of(part: Part, type_: str) -> str:
    if part.type == "interval":
        if type_ not in (_DAYS, _MONTHS):
            return _DAYS
        if part.months is None:
            raise NoValue("Whether the duration is one of months or of days is not known.")
        return _MONTHS if part.months else _DAYS
    if part.type not in _OF_ATTRIBUTES:
        raise NoValue("The type of the value is not known.")
    return _OF_ATTRIBUTES[part.type]
