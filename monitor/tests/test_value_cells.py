"""The cells of a row of values: one tag for a row gives what a tag for each value gave."""

from __future__ import annotations

import pytest
from django.template import Context, Template

from flows.definition.option_labels import EnumType
from flows.queries.definitions import Attribute, FlowInfo, Trigger

KINDS = ["text", "integer", "numeric", "boolean", "date", EnumType.of(["a<b"], ["a<b = A & B"]), "text"]
CELLS = ["<b>", "1234567", "0.50", "true", "2026-01-31", "a<b", None]
LONG = "x" * 30 + '"<'


def rendered(cells: list[str | None], kinds: list[str]) -> str:
    template = Template("{% load components %}{% value_cells cells kinds %}")
    return template.render(Context({"cells": cells, "kinds": kinds}))


@pytest.mark.parametrize("place", range(len(KINDS)))
def test_each_cell_has_the_reader_s_form_of_its_value(place: int) -> None:
    one = "{% load components %}{% value cell kind 120 %}"
    expected = Template(one).render(Context({"cell": CELLS[place], "kind": KINDS[place]}))
    cell = rendered(CELLS, KINDS).split("\n")[place]
    assert cell.startswith('<td class="cell num">' if place in (1, 2) else '<td class="cell">')
    assert expected in cell and "<b>" not in cell


def test_a_long_value_is_the_title_of_its_cell_and_nothing_is_unescaped() -> None:
    assert rendered([LONG], ["text"]) == (
        f'<td class="cell" title="{"x" * 30}&quot;&lt;">{"x" * 30}&quot;&lt;</td>'
    )
    assert rendered([], []) == ""


@pytest.mark.parametrize(("text", "shown"), [("7", "7"), ("999", "999"), ("1000", "1,000"), ("-7", "-7")])
def test_numbers_are_shown_as_before(text: str, shown: str) -> None:
    assert f">{shown}<" in rendered([text], ["integer"]).replace(f'<span title="{text}">', "").replace(
        "</span>", ""
    )


def test_titles_of_transitions_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = Trigger(1, "t", "tr_t", "c", "a", False, True, None, "Do it", None, False, None, "")
    flow = FlowInfo(1, "f", "", "", 1, False, (Attribute("a", "text", (), "", ""),), (rule,))
    assert flow.transition_titles == {"tr_t": "Do it"}
    monkeypatch.setattr("flows.queries.definitions.translate_label", lambda label: "again")
    assert flow.transition_titles == {"tr_t": "Do it"}
