"""What several lists of the monitor show in a cell: an instance, and values of its attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from pages.cells import Column, Content, Links, cut, small, spaced
from pages.templatetags.components import LONGEST_CELL, value

Row = TypeVar("Row")
Values = Mapping[str, tuple[str, str | None]]
LONGEST_KEY = 40


def instance(links: Links, wid: int, key: str) -> Content:
    """Return the number of an instance as a link, with its business key."""
    return spaced((links.to("monitor:instance", wid, wid), named(key)))


def named(key: str) -> Content:
    """Return a business key; nothing where there is none."""
    return small(cut(key, LONGEST_KEY)) if key else ""


def attribute(values: Callable[[Row], Values]) -> Callable[[str], Column[Row]]:
    """Return the maker of the column of an attribute, by name; `values` are those of a row by column."""

    def column(name: str) -> Column[Row]:
        return Column(lambda row: _shown(values(row), name), "cell")

    return column


def _shown(values: Values, name: str) -> Content:
    kind, text = values.get(name, ("", None))
    return "" if text is None else value(text, kind, LONGEST_CELL, plain=True)
