"""What undo and redo would do is said in the language of the reader, whoever saved it."""

from __future__ import annotations

import html

import pytest
from django.test import Client
from django.utils import translation

from flows import api
from flows.designer.draft.edits import Edit
from flows.summaries import Summary, read, said
from flows.tests.publication.publish_page import address

pytestmark = pytest.mark.django_db(transaction=True)


def undo_button(client: Client, flow: str, language: str) -> str:
    page = html.unescape(client.get(address("rules", flow), HTTP_ACCEPT_LANGUAGE=language).content.decode())
    return page.partition('value="undo" title="')[2].partition('"')[0]


@pytest.mark.parametrize("saved_in", ["en", "pt-br"])
def test_each_reader_sees_a_change_in_their_own_language(alice: Client, fig2: str, saved_in: str) -> None:
    draft = api.drafts.open(fig2, actor="alice")
    with translation.override(saved_in):
        edit = Edit("attributes", "save", 0, {"type": "integer", "label": "50 % of it"})
        changed, summary, _ = edit.applied(draft.definition)
        api.drafts.save(draft.at, changed, summary=summary, actor="alice")
    assert api.drafts.history(fig2)[0].summary == "a1: type, label"
    assert undo_button(alice, fig2, "en") == "a1: type, label"
    assert undo_button(alice, fig2, "pt-br") == "a1: tipo, rótulo"


def test_the_text_of_a_person_is_shown_as_it_is(alice: Client, fig2: str) -> None:
    draft = api.drafts.open(fig2, actor="alice")
    api.drafts.save(draft.at, draft.definition | {"label": "x"}, summary="opened 100 %(x)s", actor="alice")
    assert undo_button(alice, fig2, "pt-br") == "opened 100 %(x)s"


def test_what_publishing_did_is_said_and_not_undone(alice: Client, fig2: str) -> None:
    draft = api.drafts.open(fig2, actor="alice")
    at = api.drafts.save(draft.at, draft.definition | {"label": "x"}, actor="alice").at
    version = api.publications.request(at, actor="alice").version
    with translation.override("pt-br"):
        last = api.drafts.history(fig2)[0]
        assert said(last.summary_parts, last.summary) == f"publicado como versão {version}"
    assert undo_button(alice, fig2, "pt-br") == ""  # it returns to no draft that was published


@pytest.mark.parametrize("n", [1, 2])
def test_a_summary_is_the_same_after_it_was_stored(n: int) -> None:
    inner = Summary("%(item)s copied", {"item": Summary("100 %", context="label")})
    summary = Summary(
        "%(summary)s; %(n)s rule has the new name",
        {"summary": inner, "n": n},
        plural="%(summary)s; %(n)s rules have the new name",
    )
    assert read(summary.parts) == summary
    ending = "1 rule has the new name" if n == 1 else "2 rules have the new name"
    assert summary.english == f"100 % copied; {ending}"
    with translation.override("pt-br"):
        assert said(summary.parts, "") == str(summary) != summary.english
    assert said({"template": "%(gone)s", "facts": {"n": 1}}, "as text") == "as text"
