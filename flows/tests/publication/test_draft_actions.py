"""Undo, redo, merge and discard: what a form asks that no page shows, and what the kernel rejects."""

from __future__ import annotations

import pytest
from django.test import Client

from flows import api
from flows.designer.draft import submission
from flows.designer.draft.content import Seen
from flows.tests.publication.drafting import at, draft, rule, send, text_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("sent", [None, {"do": "undo", "seen": "1/1/then"}])
def test_without_a_draft_the_rules_are_shown(alice: Client, fig2: str, sent: dict[str, str] | None) -> None:
    page = at(fig2, "draft")
    answer = alice.get(page, follow=True) if sent is None else alice.post(page, sent, follow=True)

    assert "This flow has no draft any more." in text_of(answer)


def test_an_unknown_action_is_a_form_that_was_sent_incompletely(alice: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=1"), label="First")
    sent = {"do": "explode", "seen": str(Seen.of(draft(fig2)))}

    assert "sent incompletely" in text_of(alice.post(at(fig2, "draft"), sent, follow=True))


def test_what_was_saved_after_the_page_was_opened_is_not_undone(alice: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=1"), label="First")
    seen = str(Seen.of(draft(fig2)))
    send(alice, at(fig2, query="?rule=1"), label="Second")

    answer = alice.post(at(fig2, "draft"), {"do": "undo", "seen": seen}, follow=True)

    assert "saved the draft after you opened this page" in text_of(answer)
    assert rule(fig2, 1)["label"] == "Second"


def test_what_the_kernel_rejects_is_a_message(alice: Client, fig2: str) -> None:
    opened = api.drafts.open(fig2, actor="alice")

    answer = alice.post(at(fig2, "draft"), {"do": "undo", "seen": str(Seen.of(opened))}, follow=True)

    assert 'class="note note-error' in answer.content.decode() and draft(fig2).at == opened.at


def test_looking_for_a_revision_that_is_not_kept_leaves_the_transaction_usable(fig2: str) -> None:
    opened = api.drafts.open(fig2, actor="alice")

    with pytest.raises(submission.Forgotten):
        submission.content(Seen(1, 77, opened.created_at.isoformat()), opened)

    assert draft(fig2).at == opened.at
