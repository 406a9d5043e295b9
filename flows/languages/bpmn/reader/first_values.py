"""The values that data objects begin with, as Activiti and Flowable write them: <activiti:value>."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from flows import json_text
from flows.languages.bpmn import iso
from flows.languages.bpmn.document.references import Note
from flows.languages.bpmn.document.vocabulary import ACTIVITI, FLOWABLE
from flows.languages.bpmn.document.xml import Tag
from flows.languages.bpmn.reader.loops import Used

_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_NUMBER = re.compile(r"[+-]?([0-9]{1,100}(\.[0-9]{0,100})?|\.[0-9]{1,100})([eE][+-]?[0-9]{1,2})?")


def first_value(shown: Sequence[Tag], type_: str, note: Note, used: Used) -> dict[str, str]:
    """Return the default of the attribute of a data object, none where its type has no such value."""
    for tag in _values(shown):
        used.add((id(tag), ""))
        text = tag.text if type_ in ("", "text") else tag.text.strip()
        if not text:
            continue
        found = _read(text, type_)
        if found is not None:
            return {"default": found}
        message = f"The value “{text[:40]}” has no effect: the data object has the type {type_}."
        note("not_used", message, shown[0], "warning")
    return {}


def _values(shown: Sequence[Tag]) -> Iterator[Tag]:
    for each in shown:
        for extension in each.children:
            if extension.name == "extensionElements":
                yield from (
                    part
                    for part in extension.children
                    if part.space in (ACTIVITI, FLOWABLE) and part.name == "value"
                )


def _read(text: str, type_: str) -> str | None:
    """Return a value as the database reads it, None for what is none of the type."""
    return _READERS.get(type_, str)(text)


def _boolean(text: str) -> str | None:
    return text.lower() if text.lower() in ("true", "false") else None


def _json(text: str) -> str | None:
    try:
        json_text.decode(text)
    except (ValueError, RecursionError):
        return None
    return text


_READERS: dict[str, Callable[[str], str | None]] = {
    "boolean": _boolean,
    "integer": lambda text: text if _WHOLE.fullmatch(text) else None,
    "numeric": lambda text: text if _NUMBER.fullmatch(text) else None,
    "date": iso.day,
    "timestamptz": lambda text: iso.moment(text, local=True),
    "interval": lambda text: text if iso.is_duration(text) else None,
    "jsonb": _json,
}
