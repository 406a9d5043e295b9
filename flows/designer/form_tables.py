"""Tables of forms: the rows of a list as controls, and back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as made
from typing import Any

from django.http import QueryDict

from flows import json_text
from flows.designer.values import as_text

SPARE = 2  # empty rows of a table, for browsers without scripts
MOST_ROWS = 500
NUMBER = re.compile(r"[+-]?\d{1,400}(\.\d{1,400})?", re.ASCII)


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its column as the definition describes it, its text, and whether it is wrong."""

    column: Mapping[str, Any]
    text: str
    wrong: bool = False

    @property
    def name(self) -> str:
        return str(self.column["name"])

    @property
    def type(self) -> str:
        return str(self.column.get("type") or "text")

    @property
    def label(self) -> str:
        return str(self.column.get("label") or self.name)

    @property
    def options(self) -> list[str]:
        """Return what can be chosen, with what is there."""
        known = ["", *self.column.get("options", [])]
        return known if self.text in known else [*known, self.text]


@dataclass(frozen=True)
class Row:
    """A row of a table: its place in the value, and its cells."""

    place: int
    cells: list[Cell] = made(default_factory=list)


def rows(given: Mapping[str, Any], found: Sequence[Any], wrong: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Return the rows of a field whose value is a list; `wrong` has the cells that the kernel rejected."""
    marked = {(each.get("row"), each.get("column")) for each in wrong}
    kept = [each if isinstance(each, dict) else {} for each in found]
    kept += [{}] * (SPARE if given["writable"] else 0)
    return [
        Row(
            place,
            [
                Cell(one, as_text(row.get(one["name"])), (place + 1, one["name"]) in marked)
                for one in given["columns"]
            ],
        )
        for place, row in enumerate(kept)
    ]


def listed(text: str) -> list[Any]:
    """Return the list that a text of JSON is; an empty one for others."""
    try:
        found = json_text.decode(text) if text else []
    except (ValueError, RecursionError):
        return []
    return found[:MOST_ROWS] if isinstance(found, list) else []


def posted(each: Mapping[str, Any], given: QueryDict, before: list[Any]) -> list[Any]:
    """Return the rows that a form sends, in its order.

    Cells that were not changed keep their values, rows what is not shown.
    """
    name, found = str(each["attribute"]), []
    for place in _places(name, given):
        was = before[place] if place < len(before) and isinstance(before[place], dict) else {}
        cells: dict[str, Any] = dict(was)
        for column in each["columns"]:
            text = given.get(f"cell-{name}-{place}-{column['name']}", "").strip().replace("\x00", "")
            if text != as_text(was.get(column["name"])):
                cells[column["name"]] = _value(text, str(column.get("type") or "text"))
        if any(value not in ("", None) for value in cells.values()):
            found.append(cells)
    return found


def _value(text: str, kind: str) -> Any:
    """Return the value that the text of a cell means; one that is none stays a text, which is rejected."""
    if kind in ("integer", "numeric") and NUMBER.fullmatch(text):
        return json_text.decode(re.sub(r"^([+-]?)0+(?=\d)", r"\1", text).removeprefix("+"))
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    return None if kind != "text" and not text else text


def _places(name: str, given: QueryDict) -> list[int]:
    """Return which rows a form has sent, in their order."""
    found = {}
    for key in given:
        place = key.removeprefix(f"cell-{name}-").partition("-")[0] if key.startswith(f"cell-{name}-") else ""
        if place.isascii() and place.isdigit() and len(place) < 5:
            found[int(place)] = True
    return list(found)[:MOST_ROWS]
