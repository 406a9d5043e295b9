"""Two people edit one draft: their changes are merged, or a person chooses."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from django.utils.http import urlencode

from flows import api
from flows.designer.draft import conflicts, submission
from flows.designer.draft.submission import Choices
from flows.errors import StaleDraft
from flows.tests.designer import browser
from flows.tests.pages import opened
from flows.tests.publication.drafting import at, button, draft, fields_of, rule, send, submit, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def bob(db: None) -> Client:
    """A second person who designs."""
    return browser(User.objects.create_superuser("bob"))


def test_changes_of_two_people_are_merged(alice: Client, bob: Client, fig2: str) -> None:
    pages = [(client, opened(client, at(fig2, query="?rule=1"))) for client in (alice, bob)]
    submit(alice, at(fig2), pages[0][1], predicate="a1 = 'go'")
    answer = submit(bob, at(fig2), pages[1][1], label="Of Bob")

    assert (rule(fig2, 1)["predicate"], rule(fig2, 1)["label"]) == ("a1 = 'go'", "Of Bob")
    assert "It was merged with what alice saved in the meantime." in text_of(answer)


@pytest.mark.parametrize("side", ["mine", "theirs"])
def test_of_two_changes_of_one_option_a_person_chooses(
    alice: Client, bob: Client, fig2: str, side: str
) -> None:
    seen = opened(bob, at(fig2, query="?rule=1"))
    send(alice, at(fig2, query="?rule=1"), predicate="a1 = 'alice'")
    sent = seen | {"csrfmiddlewaretoken": "of the first form"}
    asked = submit(bob, at(fig2), sent, predicate="a1 = 'bob'", label="  Kept\n")

    assert asked.status_code == 409 and rule(fig2, 1)["predicate"] == "a1 = 'alice'"
    shown = text_of(asked)
    assert all(
        text in shown for text in ("rule 1 (Kept): condition", "a1=&#x27;ready&#x27;", "a1 = &#x27;bob&#x27;")
    )
    assert "csrfmiddlewaretoken" not in dict(asked.context["repeated"])
    fields = fields_of(asked)
    unsure = bob.post(at(fig2), fields)
    assert unsure.status_code == 409 and "Choose at each of them." in text_of(unsure)
    bob.post(at(fig2), fields | {"side-0": side})
    assert rule(fig2, 1)["predicate"] == {"mine": "a1 = 'bob'", "theirs": "a1 = 'alice'"}[side]
    assert rule(fig2, 1)["label"] == "Kept"


def test_a_choice_does_not_count_for_what_was_saved_after_it_was_shown(
    alice: Client, bob: Client, fig2: str
) -> None:
    seen = opened(bob, at(fig2, query="?rule=1"))
    send(alice, at(fig2, query="?rule=1"), predicate="a1 = 'alice'")
    fields = fields_of(submit(bob, at(fig2), seen, predicate="a1 = 'bob'")) | {"side-0": "mine"}
    send(alice, at(fig2, query="?rule=1"), predicate="a1 = 'alice again'")

    assert bob.post(at(fig2), fields).status_code == 409
    assert rule(fig2, 1)["predicate"] == "a1 = 'alice again'"


def test_a_rule_that_was_deleted_meanwhile_is_a_conflict(alice: Client, bob: Client, fig2: str) -> None:
    seen = opened(bob, at(fig2, query="?rule=1"))
    send(alice, at(fig2, query="?rule=1"), "delete")
    asked = submit(bob, at(fig2), seen, label="Still here")
    assert "rule 1 (Still here)" in text_of(asked)
    fields = fields_of(asked)

    bob.post(at(fig2), fields | {"side-0": "mine"})
    assert rule(fig2, 1)["label"] == "Still here"


def test_what_was_typed_is_kept_when_the_draft_was_discarded(alice: Client, bob: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=1"), label="Once")
    seen = opened(bob, at(fig2, query="?rule=2"))
    api.drafts.discard(draft(fig2).at)
    send(alice, at(fig2, query="?rule=1"), label="Twice")  # another draft with the same revisions
    answer = submit(bob, at(fig2), seen, label="Typed by Bob")

    assert answer.status_code == 409 and "The draft was discarded" in text_of(answer)
    assert fields_of(answer)["label"] == "Typed by Bob"
    assert "label" not in rule(fig2, 2)


def test_a_double_click_adds_one_rule(alice: Client, fig2: str) -> None:
    fields = opened(alice, at(fig2, query="?rule=new")) | {"transition": "tr_x", "predicate": "a1 = 'x'"}
    for _time in range(2):
        submit(alice, at(fig2), fields)

    assert len(draft(fig2).definition["triggers"]) == 5


@pytest.mark.django_db(transaction=True)  # a version is one transaction
def test_a_draft_of_an_older_version_is_brought_up_to_date(alice: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=1"), label="Mine")
    running = api.drafts.running_definition(fig2)[1]
    running["triggers"][1]["label"] = "Published"
    api.flows.publish(fig2, running, actor="carol")
    assert "Version 2 runs now; this draft was made from version 1." in text_of(alice.get(at(fig2)))

    page = button(alice, fig2, "update")
    assert "The draft now changes version 2." in page and not draft(fig2).stale
    assert (rule(fig2, 1)["label"], rule(fig2, 2)["label"]) == ("Mine", "Published")


@pytest.mark.django_db(transaction=True)  # a version is one transaction
def test_a_contradiction_with_what_was_published_is_decided_by_a_person(alice: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=1"), label="Mine")
    running = api.drafts.running_definition(fig2)[1]
    running["triggers"][0]["label"] = "Published"
    api.flows.publish(fig2, running, actor="carol")
    asked = alice.post(at(fig2, "draft"), {"seen": opened(alice, at(fig2))["seen"], "do": "update"})
    fields = fields_of(asked)

    for answer in ({}, {"side-0": "theirs", "settled": "1/1/another draft"}):
        assert alice.post(at(fig2, "draft"), fields | answer).status_code == 409
    assert rule(fig2, 1)["label"] == "Mine" and draft(fig2).stale
    alice.post(at(fig2, "draft"), fields | {"side-0": "theirs"})
    assert rule(fig2, 1)["label"] == "Published" and not draft(fig2).stale


def test_choices_that_no_page_sends_do_not_count() -> None:
    sent = {
        "side-0": "mine",
        "side-1": "both",
        "side-x": "mine",
        "side-²": "mine",
        f"side-{'9' * 5_000}": "mine",
    }
    form = urlencode(sent | {"settled": "1/1/then"})
    request = RequestFactory().post("/", form, content_type="application/x-www-form-urlencoded")

    assert conflicts.choices(request) == Choices("1/1/then", {0: "mine"})


@pytest.mark.parametrize("seen", ["99/0/", "0/0/", "1/77/{opened}", "1/1/then"])
def test_a_change_of_a_definition_that_is_not_kept_is_not_saved(alice: Client, fig2: str, seen: str) -> None:
    send(alice, at(fig2, query="?rule=1"), label="Before")
    before = draft(fig2)
    fields = opened(alice, at(fig2, query="?rule=1")) | {"label": "Typed"}
    sent = fields | {"seen": seen.format(opened=before.created_at.isoformat())}

    answer = alice.post(at(fig2), sent)

    assert answer.status_code == 409 and "The draft was discarded" in text_of(answer)
    assert draft(fig2).at == before.at


def test_a_change_is_tried_again_where_another_was_saved_before_it(
    alice: Client, bob: Client, fig2: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, tried = submission.content, []

    def content(*given: Any) -> Any:
        found = real(*given)
        tried.append(found)
        if len(tried) == 1:
            send(alice, at(fig2, query="?rule=2"), label="Of Alice")
        return found

    send(alice, at(fig2, query="?rule=1"), label="Before")
    fields = opened(bob, at(fig2, query="?rule=1"))
    monkeypatch.setattr(submission, "content", content)
    submit(bob, at(fig2), fields, label="Of Bob")

    assert rule(fig2, 1)["label"] == "Of Bob" and len(tried) == 3


def test_a_change_is_not_tried_without_end(alice: Client, fig2: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def stale(*given: Any) -> Any:
        tried.append(given)
        raise StaleDraft(f"attempt {len(tried)}")

    monkeypatch.setattr(submission, "content", stale)
    answer = send(alice, at(fig2, query="?rule=1"), label="Mine")

    assert "attempt 5" in text_of(answer) and len(tried) == 5
