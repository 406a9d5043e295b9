"""The limits that the forms of engines set to the values of a field, as those of a form here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from flows import json_text
from flows.languages.bpmn.document.xml import Tag
from flows.languages.bpmn.reader.js_patterns import translated

_NUMBER = re.compile(r"[+-]?(0|[1-9]\d{0,29})(\.\d{1,30})?")
_LENGTH = re.compile(r"0|[1-9]\d{0,6}")
NUMBERS, LENGTHS = ("min", "max"), ("min_length", "max_length")
LIMITS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(NUMBERS, ("integer", "numeric")),
    **dict.fromkeys((*LENGTHS, "pattern"), ("text",)),
}
"""The types whose values each limit of an engine's form is for."""
_OF_CONSTRAINTS = {"minlength": "min_length", "maxlength": "max_length"}


def of_constraints(constraints: Iterable[Tag], type_: str) -> tuple[dict[str, Any], list[str]]:
    """Return the limits in constraints of Camunda 7, and the names of constraints that are none here."""
    found: dict[str, Any] = {}
    ignored = []
    for each in constraints:
        name, config = each.get("name"), each.get("config").strip()
        if name in ("readonly", "required"):
            continue
        option = _OF_CONSTRAINTS.get(name, name)
        text = f"^(?:{config})$" if option == "pattern" and config else config
        limit = limit_of(option, text, type_)
        if limit is None or option in found:
            ignored.append(name)
        else:
            found[option] = limit
    return found, [*ignored, *dropped(found)]


def limit_of(option: str, text: str, type_: str) -> Any:
    """Return the value of a limit that a text gives; None where it is none for a type."""
    if type_ not in LIMITS.get(option, ()):
        return None
    if option == "pattern":
        return translated(text) or None
    if option in LENGTHS:
        return (int(text) or None) if _LENGTH.fullmatch(text) else None
    found = _NUMBER.fullmatch(text)
    return json_text.decode(text.removeprefix("+")) if found else None


def dropped(found: dict[str, Any]) -> list[str]:
    """Remove the upper limit where it is below the lower one; return its name, in a list."""
    for least, most in (NUMBERS, LENGTHS):
        if least in found and most in found and Decimal(found[most]) < Decimal(found[least]):
            del found[most]
            return [most]
    return []
