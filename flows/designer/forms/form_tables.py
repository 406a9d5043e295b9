"""Tables of forms: the rows of a list as controls, and back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as made
from typing import Any

from django.http import QueryDict

from flows import json_text
from flows.designer.trial.values import as_text, day, lines, unquoted

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
        """Return the possible choices, with the current value."""
        known = ["", *map(as_text, self.column.get("options", []))]
        return known if self.text in known else [*known, self.text]

    @property
    def is_other(self) -> bool:
        """Return whether a cell of yes or no has another value."""
        return self.text not in ("", "true", "false")

    @property
    def is_multiline(self) -> bool:
        """Return whether its control has lines: an input without them would join those of a text."""
        return "\n" in lines(self.text)

    @property
    def is_day(self) -> bool:
        """Return whether an input of days can show it."""
        return self.type == "date" and (not self.text or day(self.text) is not None)


@dataclass(frozen=True)
class Row:
    """A row of a table: its place in the value, and its cells."""

    place: int
    cells: list[Cell] = made(default_factory=list)


def rows(
    given: Mapping[str, Any], found: Sequence[Mapping[str, Any]], wrong: Iterable[Mapping[str, Any]]
) -> list[Row]:
    """Return the rows of a field with this value; `wrong` has the cells that the kernel rejected."""
    marked = {(each.get("row"), each.get("column")) for each in wrong}
    kept = [*found, *({} for _place in range(SPARE if given["writable"] else 0))]
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


def listed(text: str) -> list[Any] | None:
    """Return the rows that a text of JSON is, [] for none; None for a value that a table cannot show."""
    found = decoded(text)
    fits = isinstance(found, list) and len(found) <= MOST_ROWS and all(isinstance(one, dict) for one in found)
    return found if fits else None


def decoded(text: str) -> Any:
    """Return the value of JSON that a text is, [] for an empty one; None for others."""
    try:
        return json_text.decode_typed(text) if text else []
    except (ValueError, RecursionError):
        return None


def posted(
    each: Mapping[str, Any], given: QueryDict, before: Sequence[Mapping[str, Any]]
) -> list[Any] | None:
    """Return the rows that a form sends, in its order; None if they are those before, of which it was made.

    Cells that were not changed keep their values, rows what is not shown.
    """
    name, found = str(each["attribute"]), []
    places = _places(name, given)
    is_changed = [place for place in places if place < len(before)] != [*range(len(before))]
    for place in places:
        was = before[place] if place < len(before) else {}
        typed = _typed(each, given, place, was)
        is_changed = is_changed or bool(typed)
        row = {**was, **typed}
        if (place < len(before) and not typed) or any(value not in ("", None) for value in row.values()):
            found.append(row)
    return found if is_changed else None


def _typed(each: Mapping[str, Any], given: QueryDict, place: int, was: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the cells of a row that were changed; a browser sends CR LF for a line break."""
    found = {}
    for column in each["columns"]:
        text = given.get(f"cell-{each['attribute']}-{place}-{column['name']}")
        if text is not None and lines(text) != lines(as_text(was.get(column["name"]))):
            found[column["name"]] = _value(lines(text).replace("\x00", ""), str(column.get("type") or "text"))
    return found


def _value(text: str, kind: str) -> Any:
    """Return the value that the text of a cell means; one that is none stays a text, which is rejected."""
    if kind in ("text", "choice"):
        return unquoted(text) if text.strip() else None
    text = text.strip()
    if kind in ("integer", "numeric") and NUMBER.fullmatch(text):
        return json_text.decode_typed(re.sub(r"^([+-]?)0+(?=\d)", r"\1", text).removeprefix("+"))
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    return text or None


def _places(name: str, given: QueryDict) -> list[int]:
    """Return which rows a form has sent, in their order."""
    found = {}
    for key in given:
        place = key.removeprefix(f"cell-{name}-").partition("-")[0] if key.startswith(f"cell-{name}-") else ""
        if place.isascii() and place.isdigit() and len(place) < 5:
            found[int(place)] = True
    return list(found)[:MOST_ROWS]
