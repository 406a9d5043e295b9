"""The option for the form of a task in the designer: its field, its preview, what is wrong with it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from flows.tests.pages import opened
from flows.tests.publication.drafting import at, draft, rule, send, text_of

pytestmark = pytest.mark.django_db
FORM: dict[str, Any] = {
    "sections": [
        {
            "title": "Look",
            "fields": [{"attribute": "a1", "label": "First", "unit": "kg", "shown": "a2 = 'x'"}],
        }
    ]
}


def preview(alice: Client, fig2: str, form: str) -> str:
    fields = {**opened(alice, at(fig2, query="?rule=1")), "form": form, "do": "form", "prefix": "phone-"}
    return alice.post(at(fig2), fields).content.decode()


def test_a_form_is_kept_as_json_and_shown_again_as_such(alice: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=1"), form=json.dumps(FORM))
    assert rule(fig2, 1)["form"] == FORM
    assert json.loads(opened(alice, at(fig2, query="?rule=1"))["form"]) == FORM
    before = draft(fig2).revision
    send(alice, at(fig2, query="?rule=1"))
    assert draft(fig2).revision == before
    send(alice, at(fig2, query="?rule=1"), form="")
    assert rule(fig2, 1).get("form") is None


def test_what_is_no_json_is_told_and_what_was_typed_stays(alice: Client, fig2: str) -> None:
    answer = send(alice, at(fig2, query="?rule=1"), form='{"sections": [')
    assert "This is not JSON" in text_of(answer) and "{&quot;sections&quot;: [" in text_of(answer)


def test_a_form_that_cannot_work_is_a_problem_of_its_rule(alice: Client, fig2: str) -> None:
    wrong = {"sections": [{"fields": [{"attribute": "a1", "shown": "none = 'x'"}]}]}
    send(alice, at(fig2, query="?rule=1"), form=json.dumps(wrong))
    assert rule(fig2, 1)["form"] == wrong
    shown = alice.get(at(fig2, query="?rule=1")).content.decode()
    assert "There is no attribute &quot;none&quot;" in shown


def test_a_renamed_attribute_is_renamed_in_forms_and_options_of_people(alice: Client, fig2: str) -> None:
    options = {"outcomes": "Yes: a2 = 'x'", "candidate": "a2", "application": "/x/{a2}/"}
    send(alice, at(fig2, query="?rule=1"), form=json.dumps(FORM), **options)
    send(alice, at(fig2, "attributes", "?attribute=2"), name="remark")
    found = rule(fig2, 1)
    assert found["form"]["sections"][0]["fields"][0]["shown"] == "remark = 'x'"
    assert (found["outcomes"], found["candidate"], found["application"]) == (
        ["Yes: remark = 'x'"], "remark", "/x/{remark}/"
    )  # fmt: skip


def test_the_preview_shows_the_form_or_what_is_wrong_with_it(alice: Client, fig2: str) -> None:
    shown = preview(alice, fig2, json.dumps(FORM))
    assert 'id="phone-value-a1"' in shown and "kg" in shown and "a2 = &#x27;x&#x27;" in shown
    assert preview(alice, fig2, "").strip() == ""
    assert "This is not JSON" in preview(alice, fig2, "{")
    wrong = {"sections": [{"fields": [{"attribute": "a1", "shown": "a1 > 1"}]}]}
    assert "a1, shown:" in preview(alice, fig2, json.dumps(wrong))
