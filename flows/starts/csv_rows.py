"""The rows of a CSV file as states of a flow, with what is wrong at which line and column.

UTF-8 with or without a byte order mark, separated by commas or semicolons. The first row has names of
attributes, and `key` for the start key where no attribute is called so. Values are read as those of the form
of an instance: an empty cell is null, '' an empty text. A column that is left out has its initial value; one
whose name begins with # is for people.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from flows.definition.option_labels import option_meant, type_of
from flows.designer.trial.values import BadValue, as_value
from flows.engine.connection import to_json
from flows.errors import Refused

MAX_BYTES = 1_000_000
MAX_ROWS = 5_000
MAX_KEY = 200
KEY = "key"
_SHOWN = 60


@dataclass(frozen=True)
class Problem:
    """What is wrong in a file; without a line it is about the whole of it."""

    message: str
    line: int | None = None
    column: str = ""


@dataclass(frozen=True)
class Row:
    """The state of a row, its line in the file, its cells as they were written, and its start key."""

    line: int
    state: Mapping[str, Any]
    cells: list[str]
    key: str | None = None


@dataclass(frozen=True)
class Upload:
    """What was read of a file. A `fault` concerns all of it, so that it has no rows.

    `unread` are the rows with problems.
    """

    columns: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    fault: Problem | None = None
    unread: list[Row] = field(default_factory=list)


class _Fault(ValueError):
    """A file that cannot be read at all."""

    def __init__(self, message: str, line: int | None = None, column: str = "") -> None:
        self.problem = Problem(message, line, column)
        super().__init__(message)


def text_of(data: bytes) -> str:
    """Return the text of a file with plain line breaks. Raises ValueError, whose text is for people."""
    if len(data) > MAX_BYTES:
        raise _Fault(_("The file is larger than 1 MB. Divide it."))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _Fault(_("The file is not in UTF-8. Save it as “CSV UTF-8”."), line) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read(data: bytes, definition: Mapping[str, Any]) -> Upload:
    """Return the rows of a file for a flow with this definition, and what is wrong in it."""
    kinds = {str(each["name"]): type_of(each) for each in definition["attributes"]}
    try:
        text = text_of(data)
        records = _records(text, _separator(text, kinds))
        columns = _columns(records, kinds)
        found, problems, unread = _rows(records, columns, kinds)
    except _Fault as fault:
        return Upload(fault=fault.problem)
    return Upload(columns, found, problems, unread=unread)


def _separator(text: str, kinds: Mapping[str, str]) -> str:
    """Return the separator that finds more names of attributes in the first row."""
    first = next((line for line in text.split("\n") if line.strip(' \t,;"')), "")
    return max(",;", key=lambda each: sum(name.strip(' "') in kinds for name in first.split(each)))


def _records(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row that is not empty, with the line in which it begins. Raises _Fault."""
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise _Fault(_("The file has the character NUL: it is no text."), line)
    reader, line = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True), 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        problem = _("This row cannot be read: a quotation mark is not closed, or a text is too long.")
        raise _Fault(problem, line) from error


def _columns(records: Iterator[tuple[int, list[str]]], kinds: Mapping[str, str]) -> list[str]:
    """Return the names in the first row. Raises _Fault."""
    line, names = next(records, (1, list[str]()))
    names = _without_blank_end([name.strip() for name in names])
    if not names:
        raise _Fault(_("The file is empty. Its first row has the names of attributes."))
    for place, name in enumerate(names):
        column = name[:_SHOWN] or str(place + 1)
        if not name:
            raise _Fault(_("This column has no name in the first row."), line, column)
        if name not in kinds and name != KEY and not name.startswith("#"):
            known = ", ".join(sorted(kinds))
            raise _Fault(
                _("The flow has no such attribute. It has: %(known)s.") % {"known": known}, line, column
            )
        if name in names[:place]:
            raise _Fault(_("This column is there twice."), line, column)
    return names


def _without_blank_end(cells: list[str]) -> list[str]:
    """Return cells without the blank ones at the end, which spreadsheets add."""
    return cells[: next((n for n in range(len(cells), 0, -1) if cells[n - 1].strip()), 0)]


def _rows(
    records: Iterator[tuple[int, list[str]]], columns: list[str], kinds: Mapping[str, str]
) -> tuple[list[Row], list[Problem], list[Row]]:
    """Return the rows without problems, and the problems of the others, and those. Raises _Fault."""
    found: list[Row] = []
    unread: list[Row] = []
    problems: list[Problem] = []
    keys: dict[str, int] = {}
    for number, (line, cells) in enumerate(records, 1):
        if number > MAX_ROWS:
            raise _Fault(_("The file has more than %(n)s rows. Divide it.") % {"n": MAX_ROWS}, line)
        row, wrong = _row(line, cells, columns, kinds)
        if row.key is not None and not wrong:
            if row.key in keys:
                wrong = [Problem(_("Line %(n)s has the same key.") % {"n": keys[row.key]}, line, KEY)]
            keys.setdefault(row.key, line)
        problems += wrong
        (unread if wrong else found).append(row)
    if number_of(found, problems) == 0:
        raise _Fault(_("The file has no rows after the first, which has the names."))
    return found, problems, unread


def number_of(found: list[Row], problems: list[Problem]) -> int:
    """Return the number of rows, with those that cannot be read."""
    return len(found) + len({each.line for each in problems})


def _row(
    line: int, cells: list[str], columns: list[str], kinds: Mapping[str, str]
) -> tuple[Row, list[Problem]]:
    """Return a row, and what is wrong in it."""
    if len(cells) > len(columns):
        cells = cells[: max(len(columns), len(_without_blank_end(cells)))]
    if len(cells) != len(columns):
        message = _("This row has %(n)s cells, the first one %(columns)s.")
        return Row(line, {}, cells), [Problem(message % {"n": len(cells), "columns": len(columns)}, line)]
    state: dict[str, Any] = {}
    problems: list[Problem] = []
    key = None
    for name, cell in zip(columns, cells, strict=True):
        if name.startswith("#") and name not in kinds:
            continue
        if name not in kinds:
            key = cell.strip() or None
            if key and len(key) > MAX_KEY:
                problems.append(
                    Problem(_("A key has at most %(n)s characters.") % {"n": MAX_KEY}, line, name)
                )
            continue
        try:
            state[name] = as_value(option_meant(kinds[name], cell), kinds[name])
            to_json(state[name])  # JSON for Python is not always JSON for the database
        except (BadValue, Refused) as bad:
            problems.append(Problem(str(bad), line, name))
    return Row(line, state, cells, key), problems
