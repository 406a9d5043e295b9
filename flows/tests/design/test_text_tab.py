"""The tab Text: the whole definition as YAML or JSON, saved with the merge of the other tabs."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from flows import api
from flows.definition.places import DEEPEST
from flows.tests.designer import browser
from flows.tests.pages import opened
from flows.tests.publication.drafting import at, draft, fields_of, rule, send, submit, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def bob(db: None) -> Client:
    """A second person who designs."""
    return browser(User.objects.create_superuser("bob"))


def save(client: Client, flow: str, old: str, new: str, query: str = "") -> Any:
    """Open the tab, replace a part of the text and save."""
    fields = opened(client, at(flow, "text", query))
    assert old in fields["text"], fields["text"]
    return submit(client, at(flow, "text"), fields | {"text": fields["text"].replace(old, new)})


@pytest.mark.parametrize("query", ["", "?format=json"])
def test_saving_the_text_unchanged_changes_nothing(alice: Client, fig2: str, query: str) -> None:
    send(alice, at(fig2, "text", query))

    assert draft(fig2).definition == draft(fig2).base


def test_the_text_has_no_numbers_and_items_keep_theirs(alice: Client, fig2: str) -> None:
    assert "id:" not in opened(alice, at(fig2, "text"))["text"]
    answer = save(alice, fig2, "tr_a2", "tr_one")

    assert rule(fig2, 1)["transition"] == "tr_one"
    assert [t.get("id") for t in draft(fig2).definition["triggers"]] == [
        t["id"] for t in draft(fig2).base["triggers"]
    ]
    assert "Saved in the draft: text: 1 change." in text_of(answer)


def test_a_problem_is_shown_at_its_line_and_column(alice: Client, fig2: str) -> None:
    answer = save(alice, fig2, "tr_a2", "tr_a2\n  mood: good")
    html = answer.content.decode()
    text = fields_of(answer)["text"].split("\n")
    line = next(n for n, each in enumerate(text, 1) if "mood" in each)

    assert "unknown option &quot;mood&quot;" in html and f'data-line="{line}" data-column="9"' in html
    send(alice, at(fig2, query="?rule=1"), predicate="a1 = 'x'\nand wrong")
    html = alice.get(at(fig2, "text")).content.decode()
    shown = opened(alice, at(fig2, "text"))["text"].split("\n")
    line = next(n for n, each in enumerate(shown, 1) if "and wrong" in each)
    column = shown[line - 1].index("wrong") + 1
    assert f'data-line="{line}" data-column="{column}"' in html


def test_a_problem_of_a_draft_that_no_text_can_say_has_no_place(alice: Client, fig2: str) -> None:
    found = api.drafts.open(fig2, actor="alice")
    deep: Any = "x"
    for _ in range(DEEPEST):
        deep = [deep]
    api.drafts.save(found.at, found.definition | {"mood": deep}, actor="alice")
    answer = alice.get(at(fig2, "text"))

    assert answer.status_code == 200 and answer.context["marks"] == []
    assert [each["place"] for each in answer.context["found"]] == [None]


def test_a_text_that_cannot_be_read_stays_and_saves_nothing(alice: Client, fig2: str) -> None:
    fields = opened(alice, at(fig2, "text"))
    answer = submit(alice, at(fig2, "text"), fields | {"text": "attributes: []\n triggers: []"})

    assert "line 2, column" in text_of(answer) and not api.drafts.list(fig2)
    assert fields_of(answer)["text"] == "attributes: []\n triggers: []"
    for bomb in ("a: &a [1]\nb: *a\nattributes: []\ntriggers: []", "x" * 1_000_001, "[" * 50_000):
        assert "cannot be read" in text_of(submit(alice, at(fig2, "text"), fields | {"text": bomb}))
    assert not api.drafts.list(fig2)


def test_what_was_typed_is_still_merged_after_it_could_not_be_read(
    alice: Client, bob: Client, fig2: str
) -> None:
    seen = opened(bob, at(fig2, "text"))
    send(alice, at(fig2, query="?rule=2"), label="Of Alice")
    wrong = submit(bob, at(fig2, "text"), seen | {"text": seen["text"] + "\n- : ["})
    answer = submit(
        bob, at(fig2, "text"), fields_of(wrong) | {"text": seen["text"].replace("label: ''", "label: Of Bob")}
    )

    assert "merged with what alice saved" in text_of(answer)
    assert (rule(fig2, 2)["label"], draft(fig2).definition["label"]) == ("Of Alice", "Of Bob")


def test_a_conflict_is_asked(alice: Client, bob: Client, fig2: str) -> None:
    seen = opened(bob, at(fig2, "text"))
    send(alice, at(fig2, query="?rule=1"), transition="tr_alice")
    asked = submit(bob, at(fig2, "text"), seen | {"text": seen["text"].replace("tr_a2", "tr_bob")})

    assert asked.status_code == 409 and rule(fig2, 1)["transition"] == "tr_alice"
    bob.post(at(fig2, "text"), fields_of(asked) | {"side-0": "mine"})
    assert rule(fig2, 1)["transition"] == "tr_bob"


@pytest.mark.parametrize("answer", ["new", "earlier"])
def test_a_rename_is_asked_about(alice: Client, fig2: str, answer: str) -> None:
    number = api.drafts.running_definition(fig2)[1]["attributes"][1]["id"]
    asked = save(alice, fig2, "name: a2", "name: remark")
    assert not api.drafts.list(fig2) and "Attribute remark is" in text_of(asked)
    again = submit(alice, at(fig2, "text"), fields_of(asked))
    assert not api.drafts.list(fig2) and "the earlier a2" in text_of(again)

    chosen = {"new": "new", "earlier": "1"}[answer]
    submit(alice, at(fig2, "text"), fields_of(asked) | {"same-attributes-1": chosen})
    renamed = draft(fig2).definition["attributes"][1]
    assert renamed.get("id") == {"new": None, "earlier": number}[answer]
    assert {"new": "(a2 is null)", "earlier": "(remark is null)"}[answer] in rule(fig2, 1)["predicate"]


def test_an_answer_does_not_count_for_another_text(alice: Client, fig2: str) -> None:
    asked = fields_of(save(alice, fig2, "name: a2", "name: remark"))
    changed = asked | {"text": asked["text"].replace("remark", "note"), "same-attributes-1": "1"}

    assert "Attribute note is" in text_of(submit(alice, at(fig2, "text"), changed))
    assert not api.drafts.list(fig2)


def test_an_earlier_name_answers_the_question(alice: Client, fig2: str) -> None:
    save(alice, fig2, "name: a2", "name: remark\n  was: a2")

    attribute = draft(fig2).definition["attributes"][1]
    assert (attribute["id"], attribute["name"]) == (draft(fig2).base["attributes"][1]["id"], "remark")
    assert "was" not in attribute


def test_what_no_option_has_and_defaults_are_kept(alice: Client, fig2: str) -> None:
    save(alice, fig2, "attributes:", "odd: [1, 2]\nattributes:")
    found = yaml.safe_load(opened(alice, at(fig2, "text"))["text"])

    assert found["odd"] == [1, 2] and draft(fig2).definition["odd"] == [1, 2]
    assert re.search("Text</a>", alice.get(at(fig2)).content.decode())


def test_one_earlier_attribute_is_not_two_new_ones_and_an_answer_is_one_of_the_choices(
    alice: Client, fig2: str
) -> None:
    fields = opened(alice, at(fig2, "text"))
    changed = re.sub(r"name: (a2|a3)\b", r"name: new_\1", fields["text"])
    asked = fields_of(submit(alice, at(fig2, "text"), fields | {"text": changed}))

    for answers in (("1", "1"), ("1", "0"), ("1", "x"), ("1", "77")):
        given = dict(zip(("same-attributes-1", "same-attributes-2"), answers, strict=True))
        assert "Attribute new_a3 is" in text_of(submit(alice, at(fig2, "text"), asked | given)), answers
    assert not api.drafts.list(fig2)


def test_the_text_stays_where_the_draft_was_discarded_meanwhile(alice: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=1"), label="Once")
    fields = opened(alice, at(fig2, "text"))
    api.drafts.discard(draft(fig2).at)
    send(alice, at(fig2, query="?rule=1"), label="Twice")

    answer = submit(alice, at(fig2, "text"), fields | {"text": fields["text"].replace("tr_a3", "tr_new")})

    assert answer.status_code == 409 and "The draft was discarded" in text_of(answer)
    assert "tr_new" in fields_of(answer)["text"] and rule(fig2, 2)["transition"] == "tr_a3"


def test_a_form_without_its_text_saves_nothing(alice: Client, fig2: str) -> None:
    for sent in ({"seen": "1/0/"}, {"seen": "x", "text": "attributes: []"}, {"do": "upload"}):
        answer = alice.post(at(fig2, "text"), {"do": "save"} | sent, follow=True)
        assert re.search("sent incompletely|Choose a file first", text_of(answer))
    assert not api.drafts.list(fig2)


def test_the_text_of_a_new_flow_leads_to_that_of_the_flow_once_it_is_published(
    alice: Client, fig2: str
) -> None:
    answer = alice.get(reverse("admin:flows_flow_new_text", args=[fig2]))

    assert answer.status_code == 302 and answer["Location"] == at(fig2, "text")
