"""The page for statements of WSQL: checked and shown as SQL, then saved in the draft as one change."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.test import Client

from flows import api
from flows.languages.wsql import Session
from flows.tests.pages import opened
from flows.tests.publication.drafting import at, draft, fields_of, send, submit, text_of

pytestmark = pytest.mark.django_db


def enter(client: Client, flow: str, text: str, do: str = "save") -> Any:
    fields = opened(client, at(flow, "wsql"))
    return submit(client, at(flow, "wsql"), fields | {"statements": text}, do)


def test_statements_are_shown_as_sql_and_then_saved(alice: Client, fig2: str) -> None:
    text = "CREATE WED-ATTRIBUTE n integer;\nC = {c9: n > 3};\nG = {late: (c9, tr_a2)}"

    checked = enter(alice, fig2, text, "check")

    shown = unescape(text_of(checked))
    assert "INSERT INTO wed_attr (aname, type) VALUES ('n', 'integer');" in shown
    assert "$$n > 3$$" in shown
    assert not api.drafts.list(fig2)
    saved = submit(alice, at(fig2, "wsql"), fields_of(checked), "publish")
    assert "Saved in the draft: 3 statements." in text_of(saved)
    assert draft(fig2).revision == 2
    trigger = draft(fig2).definition["triggers"][-1]
    assert (trigger["name"], trigger["predicate"]) == ("late", "n > 3")
    assert saved.redirect_chain[-1][0].endswith("/publish/")


@pytest.mark.parametrize("do", ["check", "save"])
@pytest.mark.parametrize("text", ["", "  ", "-- later"])
def test_a_text_without_statements_is_not_saved(alice: Client, fig2: str, text: str, do: str) -> None:
    answer = enter(alice, fig2, text, do)
    assert "There is no statement in the text." in text_of(answer)
    assert 'value="save"' not in answer.content.decode() and not api.drafts.list(fig2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("CREATE WED-ATRIBUTE n", "line 1, column 8: “WED-ATRIBUTE” is not expected here"),
        ("A = {n};\nCREATE WED-TRIGGER g AS (tr_a2, c WITH PREDICATE m > 3)", "line 2, column 50:"),
        ("LIST INSTANCES", "does not change the definition"),
        ("BEGIN; A = {n}; ROLLBACK", "does not change the definition"),
        ("CREATE WED-FLOW other", "does not change the definition"),
        ("CREATE WED-CONDITION c9 WITH PREDICATE a1 = 'x'", "No trigger has the condition “c9”"),
        ("T = {later}", "No trigger has the transition “later”"),
    ],
)
@pytest.mark.parametrize("do", ["check", "save"])
def test_an_error_saves_nothing_and_keeps_the_text(
    alice: Client, fig2: str, text: str, said: str, do: str
) -> None:
    answer = enter(alice, fig2, text, do)

    assert said in text_of(answer)
    assert fields_of(answer)["statements"] == text
    assert not api.drafts.list(fig2)


def test_a_draft_with_another_problem_can_be_changed(alice: Client, fig2: str) -> None:
    wrong = {**api.drafts.running_definition(fig2)[1]}
    wrong["triggers"] = [*wrong["triggers"], {"name": "bad", "transition": "t", "predicate": "nothing > 3"}]
    api.drafts.open(fig2, definition=wrong)

    enter(alice, fig2, "BEGIN; UPDATE WED-TRANSITION tr_a2 SET TIMEOUT 1h; COMMIT")

    assert draft(fig2).definition["triggers"][0]["timeout"] == "1h"


def test_a_stored_condition_can_be_used(alice: Client, fig2: str) -> None:
    list(Session(fig2).run("CREATE WED-CONDITION stored WITH PREDICATE a2 = 'x'"))

    enter(alice, fig2, "CREATE WED-TRIGGER g AS (tr_new WITH TIMEOUT 1h, stored)")

    assert draft(fig2).definition["triggers"][-1]["predicate"] == "a2 = 'x'"


def test_an_incomplete_form_saves_nothing(alice: Client, fig2: str) -> None:
    answer = send(alice, at(fig2, "wsql"), statements="A = {n}", seen=None)

    assert "The form was sent incompletely" in text_of(answer)
    assert not api.drafts.list(fig2)
