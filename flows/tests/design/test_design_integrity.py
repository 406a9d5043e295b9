"""Integrity conditions and what undoes a step, in the designer's forms."""

from __future__ import annotations

import pytest
from django.test import Client

from flows import api
from flows.tests.pages import opened
from flows.tests.publication.drafting import at, draft, rule, send, text_of

pytestmark = pytest.mark.django_db


def test_an_integrity_condition_is_added_listed_changed_published_and_deleted(
    alice: Client, fig2: str
) -> None:
    form = at(fig2, query="?rule=new&integrity=always")
    assert opened(alice, form)["integrity"] == "always"
    assert "New integrity condition" in alice.get(form).content.decode()
    send(alice, form, predicate="a3 <> 'x'", name="no_x", label="Never x")
    assert rule(fig2, 5) == {
        "name": "no_x", "predicate": "a3 <> 'x'", "integrity": "always", "label": "Never x",
        "timeout": "00:01:00",
    }  # fmt: skip
    text = text_of(alice.get(at(fig2)))
    assert "Integrity conditions: Never x" in text and "integrity: always" in text
    send(alice, at(fig2, query="?rule=5"), integrity="final")
    assert rule(fig2, 5)["integrity"] == "final"
    api.flows.publish(fig2, draft(fig2).definition)
    assert api.drafts.running_definition(fig2)[1]["triggers"][4]["integrity"] == "final"
    send(alice, at(fig2, query="?rule=5"), "delete")
    assert "Integrity conditions:" not in text_of(alice.get(at(fig2)))


def test_what_is_wrong_with_an_integrity_condition_is_said_at_its_field(alice: Client, fig2: str) -> None:
    answer = send(
        alice, at(fig2, query="?rule=new&integrity=always"), predicate="a3 <> 'x'", transition="tr_x"
    )
    assert "An integrity condition fires no transition" in text_of(answer)
    answer = send(alice, at(fig2, query="?rule=5"), transition="")
    assert "An integrity condition needs a name" in text_of(answer)


def test_the_form_of_a_rule_says_what_undoes_its_steps(alice: Client, fig2: str) -> None:
    given = {"compensation": "transition", "compensated_by": "tr_back", "class": "compensatable"}
    send(alice, at(fig2, query="?rule=1"), **given)
    assert {name: rule(fig2, 1)[name] for name in given} == given
    answer = send(alice, at(fig2, query="?rule=1"), compensated_by="")
    assert "has no transition that performs it" in text_of(answer)
    send(alice, at(fig2, query="?rule=1"), compensation="none", **{"class": "retriable"})
    assert not given.keys() & rule(fig2, 1).keys()
