"""The formats of an export: each makes the pieces of a file from a head and rows of values."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows import json_text
from flows.definition.option_labels import value_label
from monitor.export.xlsx import workbook

BOM = "\ufeff"
# A spreadsheet reads a text that begins so as a formula, also in their full-width and small forms.
FORMULA = ("=", "+", "-", "@")
ROWS_PER_PIECE = 200


@dataclass(frozen=True)
class Column:
    """One column: its name for programs, its title for people, and the type of its values."""

    name: str
    title: str
    type: str = "text"

    @property
    def is_number(self) -> bool:
        return self.type in ("integer", "numeric")

    def said(self, value: Any) -> str:
        """Return a value for people: an option by its label."""
        text = shown(value)
        return value_label(self.type, text) if text else ""


Rows = Iterable[list[Any]]


def shown(value: Any) -> str:
    """Return a value as text; times as ISO 8601 with their offset."""
    if value is None:
        return ""
    return value.isoformat() if isinstance(value, datetime) else str(value)


def neutral(text: str, column: Column) -> str:
    """Return a text that no spreadsheet reads as a formula; numbers stay as they are."""
    return f"'{text}" if not column.is_number and _may_be_formula(text) else text


def _may_be_formula(text: str) -> bool:
    """Return whether a text begins with a control character, or, after what is not seen, with a formula."""
    if not text or text[0].isalnum():
        return False
    if unicodedata.category(text[0]) == "Cc":
        return True
    first = next((each for each in text if unicodedata.category(each)[0] not in "CZ"), "")
    return unicodedata.normalize("NFKC", first).startswith(FORMULA)


def as_csv(columns: list[Column], rows: Rows) -> Iterator[bytes]:
    """Yield a CSV file in UTF-8 with a byte order mark, by which Excel knows the encoding."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    buffer.write(BOM)
    writer.writerow([neutral(column.title, Column(column.name, column.title)) for column in columns])
    for place, row in enumerate(rows):
        writer.writerow([neutral(c.said(v), c) for v, c in zip(row, columns, strict=True)])
        if place % ROWS_PER_PIECE == 0:
            yield _taken(buffer)
    yield _taken(buffer)


def _taken(buffer: io.StringIO) -> bytes:
    piece = buffer.getvalue().encode()
    buffer.seek(0)
    buffer.truncate()
    return piece


def as_json_lines(columns: list[Column], rows: Rows) -> Iterator[bytes]:
    """Yield one JSON object per line, with the names of attributes; their values are typed."""
    for row in rows:
        found = {c.name: _typed(v, c) for v, c in zip(row, columns, strict=True)}
        yield json_text.encode(found, str).encode() + b"\n"


def _typed(value: Any, column: Column) -> Any:
    if not isinstance(value, str):
        return shown(value) if isinstance(value, datetime) else value
    if column.type == "boolean":
        return value == "true"
    if column.type == "jsonb":
        return json_text.decode(value)
    if column.type == "integer":
        return int(value)
    return value


def as_xlsx(columns: list[Column], rows: Rows) -> Iterator[bytes]:
    """Yield a workbook with one sheet; its texts are never formulas."""
    titles = [column.title for column in columns]
    numbers = [column.is_number for column in columns]
    cells = ([c.said(v) for v, c in zip(row, columns, strict=True)] for row in rows)
    return workbook(titles, numbers, cells)


# The content type and the writer of each format, by the ending of its file.
FORMATS: dict[str, tuple[str, Callable[[list[Column], Rows], Iterator[bytes]]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", as_xlsx),
    "jsonl": ("application/x-ndjson", as_json_lines),
}
