"""Limits of the pages of the designer: lists, comparisons, examined instances, values of options."""

from __future__ import annotations

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from flows import api
from flows.designer.flows import waiting
from flows.designer.publication import open_warnings, versions
from flows.designer.publication.impact import groups_of
from flows.engine.recent import Recent
from flows.tests.pages import opened, unique
from flows.tests.publication.drafting import at, draft, send, text_of
from flows.tests.publication.publish_page import drafted, member
from flows.types import GroupChoices
from testkit.slow import slow_statements

pytestmark = pytest.mark.django_db
FLOWS = "admin:flows_flow_changelist"


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("priority", "40000"),
        ("max_attempts", "9999999999"),
        ("max_attempts", "many"),
        ("mode", "forged"),
        ("predicate", "x" * 100_001),
    ],
)
def test_what_no_option_can_have_is_marked_at_its_field(
    alice: Client, fig2: str, name: str, typed: str
) -> None:
    answer = send(alice, at(fig2, query="?rule=1"), **{name: typed})

    assert "Correct what is marked below" in text_of(answer) and not api.drafts.list(fig2)
    assert name in answer.context["form"].errors


def test_a_place_beyond_the_list_is_its_end(alice: Client, fig2: str) -> None:
    sent = {"seen": opened(alice, at(fig2))["seen"], "do": "move", "item": "1", "to": "99"}

    assert "moved to place 4" in text_of(alice.post(at(fig2), sent, follow=True))


def test_copies_of_an_attribute_have_names_of_their_own(alice: Client, fig2: str) -> None:
    for _time in range(2):
        send(alice, at(fig2, "attributes", "?attribute=1"), "copy")

    assert [each["name"] for each in draft(fig2).definition["attributes"]] == [
        "a1",
        "a1_3",
        "a1_2",
        "a2",
        "a3",
    ]


def test_the_list_of_flows_has_pages(alice: Client, fig2: str, monkeypatch: pytest.MonkeyPatch) -> None:
    second = unique("z")
    api.flows.create(second)
    monkeypatch.setattr("flows.designer.flows.PER_PAGE", 1)

    first = alice.get(reverse(FLOWS), {"q": ""})
    assert len(first.context["flows"]) == 1
    after = alice.get(reverse(FLOWS), {"after": first.context["more"]})
    assert after.context["flows"][0].flow.name > first.context["flows"][0].flow.name
    assert alice.get(reverse(FLOWS), {"q": "a\0b", "after": "\0"}).status_code == 200


def test_what_waits_is_said_to_those_who_design_the_flow(fig2: str) -> None:
    drafted(fig2, "a2 is null")

    assert [each.title for each in waiting(member(f"flow:{fig2}:design"))] == [fig2]
    assert waiting(member(f"flow:{fig2}")) == waiting(member("flow:other:design")) == []


def test_choices_that_name_no_rule_are_left_out() -> None:
    form = QueryDict("withdraw=x&withdraw=-1&withdraw=1000000&withdraw=&later=0&later=3")

    assert groups_of(form) == GroupChoices((), (0, 3), False)


def test_long_texts_of_versions_are_not_compared_by_lines(fig2: str, monkeypatch: pytest.MonkeyPatch) -> None:
    version = api.drafts.running_definition(fig2)[0]
    assert versions.compare(fig2, 0, version).lines
    monkeypatch.setattr(versions, "MOST_LINES", 5)

    assert versions.compare(fig2, 0, version).lines is None


def test_what_if_examines_no_more_instances_than_a_page_may(
    alice: Client, fig2: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.instances.start_many(fig2, [{}] * 6)
    monkeypatch.setattr("flows.designer.editor.whatif.LIMIT", 2)

    page = alice.get(at(fig2, "whatif"), {"condition": "a1 = 'ready'"})

    assert page.context["found"]["living"] == 6 and page.context["found"]["examined"] < 6
    monkeypatch.setattr("flows.designer.editor.whatif.SECONDS", -1.0)
    page = alice.get(at(fig2, "whatif"), {"condition": "a1 = 'ready'"})
    assert page.context["found"]["examined"] == 0


def test_warnings_that_cannot_be_found_in_time_do_not_keep_from_publishing(
    fig2: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    definition = api.drafts.running_definition(fig2)[1]
    monkeypatch.setattr("flows.engine.checks._known_tables", Recent(1))
    with slow_statements("wedsql.evaluate_classes"):
        open_warnings.ask(fig2, definition, "")


def test_a_reader_gets_no_form_for_a_new_rule(fig2: str) -> None:
    reader = Client()
    reader.force_login(member(f"flow:{fig2}"))

    page = reader.get(at(fig2, query="?rule=new"))

    assert page.context["form"] is None and 'name="predicate"' not in page.content.decode()


@pytest.mark.parametrize("item", ["0", "-1", "x", ""])
def test_a_form_without_a_place_says_that_nothing_was_saved(alice: Client, fig2: str, item: str) -> None:
    sent = {"seen": opened(alice, at(fig2))["seen"], "do": "save", "item": item}

    assert "sent incompletely" in text_of(alice.post(at(fig2), sent, follow=True))
    assert not api.drafts.list(fig2)


def test_texts_of_a_rule_are_escaped_in_the_list_and_in_the_form(alice: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=1"), label="<b>&amp;</b>")

    page = alice.get(at(fig2, query="?rule=1")).content.decode()

    assert "<b>&amp;</b>" not in page and page.count("&lt;b&gt;&amp;amp;&lt;/b&gt;") >= 2
