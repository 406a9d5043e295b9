"""The cells of lists: every kind of cell escapes what it shows, and every column has cells."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser

import pytest
from django.template.defaultfilters import truncatechars
from django.utils import translation
from django.utils.safestring import SafeString

from monitor.tests.hostile_rows import COLUMNS, HOSTILE, VALUES, cells, rows
from pages.cells import Cells, Column, bad, beside, clamped, cut, small, spaced, tag
from pages.clock import NOTHING, Clock

TAGS = {"td", "a", "b", "div", "span", "time"}
ATTRIBUTES = {"role", "class", "data-label", "href", "title", "datetime", "data-age"}
# A text that none of these cells shows is a number, a time, or words of the page.
HAS_TEXT = {
    "jobs": {"instance", "transition", "role", "holder", "error", "waits"},
    "cases": {"instance", "cause", "flow", "state", "waits", "queue", "severity"},
    "approvals": {"instance", "flow", "operation", "reason", "maker", "state", "waits"},
    "alerts": {"state", "flow", "condition", "limit", "waits", "receivers", "author"},
    "tasks": {"instance", "flow", "for", "state", "holder", "outcome"},
}


class Parsed(HTMLParser):
    """What a browser finds in a cell: its elements, the names of their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: dict[str, str | None] = {}
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= dict(attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def shown(of: str, name: str, title: str = HOSTILE) -> list[Parsed]:
    made = cells(of, {name: title})
    return [Parsed(made.row(row)) for row in rows(of)]


@pytest.mark.parametrize(
    ("of", "name"),
    [(of, name) for of, known in COLUMNS.items()
     for name in (*known, *([] if of == "alerts" else VALUES))],
)  # fmt: skip
def test_a_cell_escapes_whatever_it_shows(of: str, name: str) -> None:
    found = shown(of, name)
    for cell in found:
        assert set(cell.tags) <= TAGS and cell.tags.count("td") == 1
        assert cell.attributes.keys() <= ATTRIBUTES
        assert cell.attributes["data-label"] == HOSTILE
    if name in HAS_TEXT[of] or name in VALUES:
        assert any(HOSTILE in cell.text for cell in found)
    assert any(cell.text.strip() for cell in found)


@pytest.mark.parametrize("made", [small, beside, tag, bad, clamped, lambda text: spaced((text, text))])
def test_each_part_of_a_cell_escapes_text_and_keeps_html(made: object) -> None:
    text = made(HOSTILE)  # type: ignore[operator]
    assert "<script>" not in text and "&lt;script&gt;" in text
    assert "<i>x</i>" in made(SafeString("<i>x</i>"))  # type: ignore[operator]


def test_a_cell_of_nothing_but_spaces_is_empty() -> None:
    made: Cells[str] = Cells({"a": "A"}, {"a": Column(lambda row: row, "num")})
    assert made.row(" \n ") == made.row("") == '<td role="cell" class="num" data-label="A"></td>'
    assert made.row("x") == '<td role="cell" class="num" data-label="A">x</td>'


def test_a_column_that_a_list_does_not_have_is_an_error() -> None:
    with pytest.raises(KeyError):
        Cells({"b": "B"}, {"a": Column(str)})


@pytest.mark.parametrize("text", ["", "short", "e\u0301" * 5, "x" * 10, "x" * 11, "e\u0301" * 11])
def test_a_text_is_cut_as_the_filter_of_templates_cuts_it(text: str) -> None:
    assert cut(text, 10) == truncatechars(text, 10)


@pytest.mark.parametrize(
    ("age", "words"),
    [(-5, "0 s ago"), (0, "0 s ago"), (59, "59 s ago"), (60, "1 min ago"), (3599, "59 min ago"),
     (3600, "1 h ago"), (86399, "23 h ago"), (86400, "1 d ago"), (200000, "2 d ago")],
)  # fmt: skip
def test_an_age_is_in_its_largest_unit(age: int, words: str) -> None:
    at = datetime.now(UTC) - timedelta(seconds=age)
    clock = Clock()
    assert f">{words}</time>" in clock.ago(at) and clock.is_past(at) == (age >= 0)


def test_a_clock_speaks_the_language_of_its_page() -> None:
    at = datetime.now(UTC) - timedelta(days=3)
    english = Clock().ago(at)
    with translation.override("pt-br"):
        clock = Clock()
        assert clock.ago(at) != english and "3" in clock.ago(at)
        assert f"{at:%d/%m/%Y}" in clock.moment(at)
    assert clock.ago(None) == clock.moment(None) == NOTHING
    assert clock.ago(None, none="") == clock.moment(None, none="") == ""
