"""The cells of a list as HTML, made row by row: of typed contents, each escaped by its kind.

A list has hundreds of cells. A template of each costs more than all else of its page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from unicodedata import is_normalized

from django.template.defaultfilters import truncatechars
from django.utils.safestring import SafeString

from pages.addresses import Place
from pages.markup import escaped, format_html

Row = TypeVar("Row")
# What a cell shows: HTML as SafeString; anything else is text, which is escaped.
Content = Any


@dataclass(frozen=True)
class Column(Generic[Row]):
    """What a column shows of a row, and the class of its cells."""

    content: Callable[[Row], Content]
    css: str = ""


class Cells(Generic[Row]):
    """Makes the cells of the rows of a list; what is the same in each row is made once."""

    def __init__(
        self,
        titles: Mapping[str, object],
        known: Mapping[str, Column[Row]],
        other: Callable[[str], Column[Row]] | None = None,
    ) -> None:
        """Take the columns of a list with their titles.

        known: the columns by name; `other` makes one of another name. Raises KeyError without it.
        """
        self._columns = [
            (opening(str(title), column.css), column.content)
            for name, title in titles.items()
            for column in [known[name] if name in known or other is None else other(name)]
        ]

    def row(self, row: Row) -> SafeString:
        """Return the cells of a row; a card does not show an empty one, so only spaces count as empty."""
        shown = ((start, str(escaped(content(row)))) for start, content in self._columns)
        return SafeString(
            "\n".join([f"{start}{'' if text.isspace() else text}</td>" for start, text in shown])
        )


def opening(label: str, css: str = "") -> SafeString:
    """Return the start tag of a cell; a card shows its label before it."""
    named = {"class": css, "data-label": label}
    attributes = "".join(f' {name}="{escaped(text)}"' for name, text in named.items() if text)
    return SafeString(f'<td role="cell"{attributes}>')


def cut(text: str, most: int) -> str:
    """Return a text of at most so many characters, as the filter `truncatechars` does."""
    return text if len(text) <= most and is_normalized("NFC", text) else truncatechars(text, most)


def small(text: str) -> SafeString:
    """Return a text that matters less than what is before it."""
    return format_html('<span class="small">{}</span>', text)


def beside(text: Content) -> SafeString:
    """Return a text beside the content before it, in faint small letters."""
    return format_html('<span class="dim small">{}</span>', text)


def tag(text: object) -> SafeString:
    """Return a text as a tag, such as a state."""
    return format_html('<span class="tag">{}</span>', text)


def bad(text: object) -> SafeString:
    """Return a text about something that is wrong or late."""
    return format_html('<span class="bad">{}</span>', text)


def clamped(text: str) -> SafeString:
    """Return a long text of which a few lines are shown."""
    return format_html('<div class="clamp">{}</div>', text)


def spaced(contents: Iterable[Content]) -> Content:
    """Return contents after each other with spaces between, without empty ones."""
    parts = [each for each in map(escaped, contents) if each]
    return SafeString(" ".join(parts))


class Links:
    """Makes links to pages of a site; where the site is, is asked once."""

    def __init__(self) -> None:
        self._place = Place.present()

    def to(self, view: str, given: object, text: object) -> SafeString:
        """Return a link to a view. Raises NoReverseMatch."""
        return format_html('<a href="{}">{}</a>', self._place.address(view, (given,), {}), text)
