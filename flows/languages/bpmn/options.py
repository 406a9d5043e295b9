"""Options of attributes and rules that a file gives its elements in the namespace of WED-SQL.

They are attributes of the element (`wedsql:timeout="1h"`), or properties that modellers can edit, whose name
begins with `wedsql.`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows import json_text
from flows.definition.options import Options
from flows.languages.bpmn.vocabulary import OWN, VENDORS
from flows.languages.bpmn.xml import Tag

_PREFIX = "wedsql."


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
    """Return options as a definition has them. Raises ValueError with the reason."""
    found: dict[str, Any] = {}
    for name, text in options.items():
        if name in also:
            continue
        if name not in known:
            raise ValueError(f"“{name[:40]}” is no option here.")
        found[name] = _converted(text, known[name].type, name)
    return found


def _converted(text: str, type_: str, name: str) -> Any:
    if type_ == "interval" and not text.strip():
        return None  # no limit
    if type_ == "boolean":
        if text not in ("true", "false"):
            raise ValueError(f"“{name}” is true or false, not “{text[:40]}”.")
        return text == "true"
    if type_ in ("integer", "smallint"):
        if not text.lstrip("-").isdigit() or len(text) > 9:
            raise ValueError(f"“{name}” is a whole number, not “{text[:40]}”.")
        return int(text)
    if type_ == "jsonb":
        try:
            return json_text.decode(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"“{name}” is JSON, not “{text[:40]}”.") from error
    sign = ";" if name == "outcomes" else ","  # what outcomes set has commas
    return [part.strip() for part in text.split(sign) if part.strip()] if type_ == "text[]" else text
