"""Options of attributes and rules that a file gives its elements in the namespace of WED-SQL.

They are attributes of the element (`wedsql:timeout="1h"`), or properties that modellers can edit, whose name
begins with `wedsql.`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from flows import json_text
from flows.definition.options import Option, Options
from flows.languages.bpmn.document.vocabulary import OWN, VENDORS
from flows.languages.bpmn.document.xml import Tag

_PREFIX = "wedsql."
_WHOLE = re.compile(r"-?[0-9]{1,10}")
_LARGEST = 2**31


def given(tag: Tag) -> dict[str, str]:
    """Return the options of an element as texts."""
    found = {name: value for (space, name), value in tag.attributes.items() if space == OWN}
    for extension in tag.children:
        if extension.name == "extensionElements":
            for part in extension.walk():
                name = part.get("name")
                if part.space in VENDORS and part.name == "property" and name.startswith(_PREFIX):
                    found[name.removeprefix(_PREFIX)] = part.get("value")
    return found


def converted(options: Mapping[str, str], known: Options, also: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return options as a definition has them; those that are left empty as None.

    Raises ValueError with the reason.
    """
    found: dict[str, Any] = {}
    for name, text in options.items():
        if name in also:
            continue
        if name not in known:
            raise ValueError(f"“{name[:40]}” is no option here.")
        found[name] = None if _is_none(known[name], text) else _converted(text, known[name].type, name)
    return found


def _is_none(option: Option, text: str) -> bool:
    """Return whether a text leaves an option without a value: no limit, no due time, no candidate.

    An empty list is another value than none, and so is an empty default of a text.
    """
    other = option.type == "text[]" or option.name == "default"
    return not text.strip() and (option.type == "interval" or (option.nullable and not other))


def _converted(text: str, type_: str, name: str) -> Any:
    if type_ == "boolean":
        if text not in ("true", "false"):
            raise ValueError(f"“{name}” is true or false, not “{text[:40]}”.")
        return text == "true"
    if type_ in ("integer", "smallint"):
        if not _WHOLE.fullmatch(text) or not -_LARGEST <= int(text) < _LARGEST:
            raise ValueError(f"“{name}” is a whole number, not “{text[:40]}”.")
        return int(text)
    if type_ == "jsonb":
        try:
            return json_text.decode(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"“{name}” is JSON, not “{text[:40]}”.") from error
    return _items(text, name) if type_ == "text[]" else text


def _items(text: str, name: str) -> list[str]:
    """Return the items of a list: those between the signs, or, where items have the sign, those of JSON."""
    if text.startswith("["):
        try:
            found = json_text.decode(text)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, list) and all(isinstance(item, str) for item in found):
            return found
    return [part.strip() for part in text.split(_sign(name)) if part.strip()]


def _sign(name: str) -> str:
    return ";" if name == "outcomes" else ","  # what outcomes set has commas


def texts(options: Mapping[str, Any], known: Options) -> dict[str, str]:
    """Return options as a file has them, which `converted` reads as the same."""
    found = {name: _text(value, known.get(name, Option(name=name))) for name, value in options.items()}
    return {name: text for name, text in found.items() if text is not None}


def _text(value: Any, option: Option) -> str | None:
    """Return an option as a text; None for one that is not given."""
    if value is None:
        return "" if option.type == "interval" and option.default is not None else None  # no limit
    if option.type == "jsonb":
        return json_text.encode(value)
    if not isinstance(value, list):
        return _plain(value)
    items = [_plain(item) for item in value]
    joined = f"{_sign(option.name)} ".join(items)
    return joined if _items(joined, option.name) == items else json_text.encode(items)


def _plain(value: Any) -> str:
    return json_text.encode(value) if isinstance(value, bool | dict | list) else str(value)
