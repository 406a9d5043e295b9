"""Rows of a spreadsheet, pasted as rules or attributes: each cell is the value of an option."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from flows.definition import Option, Options
from flows.designer.draft.edits import OPTIONS, Definition, Edit
from flows.designer.editor.fields import OptionsForm
from flows.summaries import Summary

LARGEST, MOST_ROWS = 1_000_000, 2_000
# The columns of rows without headings.
USUAL = {
    "attributes": ("name", "type", "options", "default", "label"),
    "triggers": ("name", "predicate", "transition", "timeout"),
}
_YES, _NO = ("true", "yes", "sim", "x", "1", "verdadeiro"), ("false", "no", "não", "nao", "0", "falso", "")


class NoRows(ValueError):
    """The text cannot be read as rows at all."""


@dataclass(frozen=True)
class Row:
    """One row: its number in the text, its cells by option, their problems, and the values that they give."""

    number: int
    cells: Mapping[str, str]
    problems: Mapping[str, Sequence[str]]
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """What was pasted: the options of the columns, problems of the headings, and the rows."""

    columns: tuple[Option, ...]
    unknown: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def wrong(self) -> bool:
        return bool(self.unknown) or any(row.problems for row in self.rows)


def read(part: str, text: str) -> Table:
    """Read rows with tabs between the cells; the first may have headings. Raises NoRows."""
    if len(text) > LARGEST:
        raise NoRows(
            _("The text has %(n)s characters; at most %(most)s are read.") % {"n": len(text), "most": LARGEST}
        )
    try:
        found = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t"))
    except csv.Error as error:
        raise NoRows(_("The rows cannot be read: %(why)s.") % {"why": error}) from error
    lines = [
        (n, [cell.strip() for cell in cells])
        for n, cells in enumerate(found, 1)
        if any(map(str.strip, cells))
    ]
    if not lines:
        raise NoRows(_("There are no rows."))
    if len(lines) > MOST_ROWS:
        raise NoRows(
            _("There are %(n)s rows; at most %(most)s are read.") % {"n": len(lines), "most": MOST_ROWS}
        )
    columns, unknown = _columns(part, lines[0][1])
    if columns is None:
        columns = [OPTIONS[part][name] for name in USUAL[part]]
    else:
        lines = lines[1:]
    rows = [_row(part, n, cells, columns) for n, cells in lines]
    shown = tuple(column for column in columns if column is not None)
    return Table(shown, tuple(unknown), tuple(_once(part, rows)))


def _columns(part: str, cells: Sequence[str]) -> tuple[list[Option | None] | None, list[str]]:
    """Return the options that the cells name and the cells that name none; None if they are no headings."""
    names = headings(OPTIONS[part])
    found = [names.get(cell.casefold()) for cell in cells]
    if 2 * sum(each is not None for each in found) < sum(map(bool, cells)):
        return None, []
    unknown = [cell for cell, option in zip(cells, found, strict=True) if cell and option is None]
    twice = [str(each.label) for n, each in enumerate(found) if each is not None and each in found[:n]]
    return found, unknown + twice


def headings(options: Options) -> dict[str, Option]:
    """Return the options by their names and by their labels in each language.

    What pages show wins over names in code: `condition`, the name of one option, is the label of
    another. Where languages differ about a label, that of the reader wins.
    """
    found = {name: option for option in options.shown for name in (option.name, option.column)}
    for language in [*dict(settings.LANGUAGES), get_language() or settings.LANGUAGE_CODE]:
        with override(language):
            found |= {str(option.label).casefold(): option for option in options.shown}
    return found


def _row(part: str, number: int, cells: Sequence[str], columns: Sequence[Option | None]) -> Row:
    given = {option.name: cell for option, cell in zip(columns, cells, strict=False) if option is not None}
    typed = {name: _typed(OPTIONS[part][name], cell) for name, cell in given.items()}
    form = OptionsForm(OPTIONS[part], {}, typed, required="name" if part == "attributes" else "")
    form.is_valid()
    problems = {name: [str(each) for each in errors] for name, errors in form.errors.items()}
    for name, cell in given.items():
        if OPTIONS[part][name].type == "boolean" and cell.casefold() not in (*_YES, *_NO):
            problems[name] = [_("“%(value)s” is neither yes nor no.") % {"value": cell}]
    extra = [cell for cell in cells[len(columns) :] if cell]
    if extra:
        problems[""] = [_("There is no column for “%(value)s”.") % {"value": extra[0][:80]}]
    values = {name: value for name, value in form.values().items() if name in given}
    return Row(number, given, problems, values)


def _typed(option: Option, cell: str) -> str:
    """Return the text that a user would type into the field of an option for a cell."""
    if option.type == "boolean":
        return "on" if cell.casefold() in _YES else ""
    if option.type == "text[]" and "\n" not in cell:
        return "\n".join(part.strip() for part in cell.replace(";", ",").split(","))
    if option.choices:
        return _choice(option, cell)
    return cell


def _choice(option: Option, cell: str) -> str:
    for language, _name in settings.LANGUAGES:
        with override(language):
            for value, label in option.choices.items():
                if cell.casefold() in (value, str(label).casefold()):
                    return value
    return cell or str(option.default or "")


def _once(part: str, rows: Iterable[Row]) -> Iterable[Row]:
    """Yield the rows; one whose name an earlier one has is a problem of its name."""
    seen: set[str] = set()
    for row in rows:
        name = row.cells.get("name", "")
        if name and name in seen:
            text = _("An earlier row has this name.")
            row = Row(row.number, row.cells, {**row.problems, "name": [text]}, row.values)
        seen.add(name)
        yield row


@dataclass(frozen=True)
class Pasting:
    """Rows that become rules or attributes: one with the name of a present item changes it."""

    part: str
    rows: tuple[Row, ...]

    def applied(self, definition: Definition) -> tuple[Definition, Summary, None]:
        """Return the changed definition and a summary."""
        for place, row in zip(self.places(definition), self.rows, strict=True):
            there = place < len(definition[self.part])
            edit = Edit(self.part, "save" if there else "add", place if there else None, row.values)
            definition = edit.applied(definition)[0]
        summary = Summary("%(n)s row pasted", {"n": len(self.rows)}, plural="%(n)s rows pasted")
        return definition, summary, None

    def places(self, definition: Definition) -> list[int]:
        """Return where each row is in the changed definition; new ones are after the present ones."""
        items = definition[self.part]
        names = [item.get("name") for item in items]
        places, last = [], len(items)
        for row in self.rows:
            name = row.values.get("name")
            known = bool(name) and names.count(name) == 1
            places.append(names.index(name) if known else last)
            last += not known
        return places

    def renames(self, _definition: Definition) -> list[tuple[str, str]]:
        """Return nothing: rows find their items by name."""
        return []
