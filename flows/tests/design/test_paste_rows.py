"""Rows of a spreadsheet become rules or attributes: previewed with problems per cell, one revision."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils.translation import override

from flows import api
from flows.designer.draft.edits import OPTIONS
from flows.designer.editor import rows
from flows.tests.pages import opened
from flows.tests.publication.drafting import at, draft, fields_of, rule, send, submit, text_of

pytestmark = pytest.mark.django_db


def paste(client: Client, flow: str, part: str, text: str, do: str = "save") -> Any:
    fields = opened(client, at(flow, "paste", f"?part={part}"))
    return submit(client, at(flow, "paste"), fields | {"rows": text}, do)


@pytest.mark.parametrize(
    "text",
    [
        "name\ttype\toptions\tdefault\tlabel\nkind\tenum\tbig, small\tbig\tKind\nnote\t\t\t\t",
        "Nome\tTipo\tOpções\tValor inicial\tRótulo\r\nkind\tuma das opções\tbig;small\tbig\tKind\r\nnote\r\n",
        'kind\tenum\t"big\nsmall"\tbig\tKind\n\nnote\ttext',
    ],
)
def test_rows_become_attributes_in_one_revision(alice: Client, fig2: str, text: str) -> None:
    answer = paste(alice, fig2, "attributes", text)

    kind, note = draft(fig2).definition["attributes"][3:]
    assert kind == {
        "name": "kind", "type": "enum", "options": ["big", "small"], "default": "big", "label": "Kind",
    }  # fmt: skip
    assert note == {"name": "note"}
    assert draft(fig2).revision == 2 and "Saved in the draft: 2 rows pasted." in text_of(answer)


def test_a_row_with_a_known_name_changes_only_its_columns(alice: Client, fig2: str) -> None:
    before = api.drafts.running_definition(fig2)[1]["triggers"]
    paste(alice, fig2, "triggers", "rule name\tname\tlabel\n", "preview")
    paste(alice, fig2, "triggers", "name\tenabled\tpredicate\nt2\tno\ta1 = 'x'\nt9\tyes\ta1 = 'y'\n")

    found = draft(fig2).definition["triggers"]
    assert found[1] == before[1] | {"enabled": False, "predicate": "a1 = 'x'"}
    assert found[4] == {"name": "t9", "predicate": "a1 = 'y'", "timeout": "00:01:00"}
    assert (found[0], found[2], found[3]) == (before[0], before[2], before[3])


def test_the_preview_shows_problems_per_cell_and_saves_nothing(alice: Client, fig2: str) -> None:
    text = "name\tpredicate\ttransition\ttimeout\nt1\ta1 = and\ttr_a2\tsoon\nnew\ta1 is null\tTr!\t\n"
    answer = paste(alice, fig2, "triggers", text, "preview")

    cells = answer.content.decode().split('<td role="cell"')
    assert any("a1 = and" in cell and "is reserved" in cell for cell in cells)
    assert any(">soon<" in cell and "row-problem" in cell for cell in cells)
    assert any(">Tr!<" in cell and "row-problem" in cell for cell in cells)
    assert not api.drafts.list(fig2) and fields_of(answer)["rows"] == text
    submit(alice, at(fig2, "paste"), fields_of(answer))
    assert draft(fig2).definition["triggers"][0]["predicate"] == "a1 = and"  # a draft may have problems


@pytest.mark.parametrize(
    ("part", "text", "expected"),
    [
        ("triggers", "name\tmax_attempts\nt1\toften", "Enter a whole number"),
        ("triggers", "name\tenabled\nt1\tperhaps", "neither yes nor no"),
        ("triggers", "name\tpredicate\tmood\nt1\ta1 is null\tgood", "mood"),
        ("attributes", "name\ttype\n\ttext", "This field is required"),
        ("attributes", "name\ttype\nx\ttext\nx\ttext", "An earlier row has this name"),
        ("attributes", "name\ttype\nx\ttext\tmore", "no column for"),
        ("attributes", " \t \n", "no rows"),
        ("attributes", "x\n" * (rows.MOST_ROWS + 1), "at most 2000"),
        ("attributes", "x" * (rows.LARGEST + 1), "at most 1000000"),
        ("attributes", '"' + "x" * 200_000, "cannot be read"),
    ],
)
def test_a_cell_that_is_no_value_saves_nothing(
    alice: Client, fig2: str, part: str, text: str, expected: str
) -> None:
    answer = paste(alice, fig2, part, text)

    assert expected in text_of(answer)
    assert not api.drafts.list(fig2)


def test_rows_are_merged_with_what_was_saved_meanwhile(alice: Client, fig2: str) -> None:
    fields = opened(alice, at(fig2, "paste", "?part=attributes"))
    paste(alice, fig2, "attributes", "first\ttext")
    submit(alice, at(fig2, "paste"), fields | {"rows": "second\tinteger"})

    names = [attribute["name"] for attribute in draft(fig2).definition["attributes"]]
    assert names == ["a1", "a2", "a3", "first", "second"]


def test_a_request_that_no_page_sends_pastes_nothing(alice: Client, fig2: str) -> None:
    assert alice.get(at(fig2, "paste", "?part=settings")).status_code == 404
    answer = alice.post(at(fig2, "paste"), {"part": "triggers", "rows": "x", "seen": "x"}, follow=True)

    assert "The form was sent incompletely." in text_of(answer) and not api.drafts.list(fig2)


def test_a_heading_that_is_there_twice_and_a_name_of_two_rules(alice: Client, fig2: str) -> None:
    twice = paste(alice, fig2, "triggers", "name\tlabel\tlabel\nt1\tone\ttwo")
    assert "label" in text_of(twice) and not api.drafts.list(fig2)
    send(alice, at(fig2, query="?rule=2"), name="t1")

    paste(alice, fig2, "triggers", "name\tlabel\nt1\tNew")

    labels = [each.get("label") for each in draft(fig2).definition["triggers"]]
    assert labels == [None, None, None, None, "New"], "which of the two is meant is not known"


def test_rows_that_contradict_what_was_saved_meanwhile_are_a_conflict(alice: Client, fig2: str) -> None:
    fields = opened(alice, at(fig2, "paste", "?part=triggers")) | {"rows": "name\tlabel\nt1\tPasted"}
    send(alice, at(fig2, query="?rule=1"), label="Typed")

    asked = submit(alice, at(fig2, "paste"), fields)

    assert asked.status_code == 409 and rule(fig2, 1)["label"] == "Typed"
    submit(alice, at(fig2, "paste"), fields_of(asked) | {"side-0": "mine"})
    assert rule(fig2, 1)["label"] == "Pasted"


def test_rows_stay_where_the_draft_was_discarded_meanwhile(alice: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=1"), label="Once")
    fields = opened(alice, at(fig2, "paste", "?part=triggers")) | {"rows": "name\tlabel\nt2\tPasted"}
    api.drafts.discard(draft(fig2).at)
    send(alice, at(fig2, query="?rule=1"), label="Twice")

    answer = submit(alice, at(fig2, "paste"), fields)

    assert answer.status_code == 409 and "The draft was discarded" in text_of(answer)
    assert fields_of(answer)["rows"] == fields["rows"] and "label" not in rule(fig2, 2)


@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
@pytest.mark.parametrize("part", sorted(OPTIONS))
def test_a_heading_is_what_the_page_calls_the_option(part: str, language: str) -> None:
    with override(language):
        found = rows.headings(OPTIONS[part])
        labels = [(str(option.label).casefold(), option.name) for option in OPTIONS[part].shown]
    assert [(label, found[label].name) for label, _name in labels] == labels


def test_a_column_headed_condition_is_the_condition(alice: Client, fig2: str) -> None:
    paste(alice, fig2, "triggers", "name\ttransition\tcondition\nt9\ttr_x\ta1 = 'y'\n")

    assert draft(fig2).definition["triggers"][4]["predicate"] == "a1 = 'y'"
