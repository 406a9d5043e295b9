"""The tabs that edit the draft of a flow: rules, bad input, rights, size."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from flows import api
from flows.designer.draft.content import count_changes
from flows.tests.designer import browser
from flows.tests.pages import opened, unique
from flows.tests.publication.drafting import at, button, draft, rule, send, text_of
from flows.tests.publication.publish_page import member
from flows.types import DraftAt

pytestmark = pytest.mark.django_db


def test_the_first_save_of_a_rule_opens_a_draft_and_leaves_what_runs(alice: Client, fig2: str) -> None:
    before = api.drafts.running_definition(fig2)

    answer = send(
        alice, at(fig2, query="?rule=1"), predicate="a1 = 'ready' and\r\na2 is null", timeout="5 min"
    )

    assert (
        rule(fig2, 1)["predicate"] == "a1 = 'ready' and\na2 is null" and rule(fig2, 1)["timeout"] == "5 min"
    )
    assert rule(fig2, 1)["id"] == before[1]["triggers"][0]["id"]
    assert (draft(fig2).base_version, draft(fig2).changed_by) == (before[0], "alice")
    assert api.drafts.running_definition(fig2) == before
    assert "Saved in the draft: t1: condition, timeout." in text_of(answer)
    assert "1 change to version 1" in text_of(answer) and "no problems" in text_of(answer)


def test_saving_without_a_change_writes_nothing_into_the_definition(alice: Client, fig2: str) -> None:
    for place in range(1, 5):
        send(alice, at(fig2, query=f"?rule={place}"))
    for place in range(1, 4):
        send(alice, at(fig2, "attributes", f"?attribute={place}"))
    send(alice, at(fig2, "settings"))

    assert draft(fig2).definition == draft(fig2).base


def test_rules_are_added_copied_moved_and_deleted(alice: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=new"), transition="tr_new", predicate="a3 = 'x'", name="t9")
    assert rule(fig2, 5) == {
        "name": "t9",
        "transition": "tr_new",
        "predicate": "a3 = 'x'",
        "timeout": "00:01:00",
    }
    send(alice, at(fig2, query="?rule=5"), "up")
    assert rule(fig2, 4)["name"] == "t9"
    send(alice, at(fig2, query="?rule=1"), "copy")
    assert rule(fig2, 2) == {name: v for name, v in rule(fig2, 1).items() if name != "id"}
    answer = send(alice, at(fig2, query="?rule=2"), "delete")
    assert [t.get("name") for t in draft(fig2).definition["triggers"]] == ["t1", "t2", "tf", "t9", None]
    assert "Saved in the draft: t1 deleted." in text_of(answer)


@pytest.mark.parametrize(
    ("item", "to", "order"), [(1, 3, "t2 tf t1"), (3, 1, "tf t1 t2"), (2, 99, "t1 tf t2")]
)
def test_a_rule_is_moved_to_a_place(alice: Client, fig2: str, item: int, to: int, order: str) -> None:
    fields = {"seen": opened(alice, at(fig2))["seen"], "do": "move", "item": str(item), "to": str(to)}
    answer = alice.post(at(fig2), fields, follow=True)

    assert [t["name"] for t in draft(fig2).definition["triggers"] if "name" in t] == order.split()
    assert draft(fig2).revision == 2 and "moved to place" in text_of(answer)


@pytest.mark.parametrize("fields", [{"item": "1"}, {"item": "1", "to": "x"}, {"item": "new", "to": "2"}])
def test_a_move_without_a_place_is_refused(alice: Client, fig2: str, fields: dict[str, str]) -> None:
    sent = {"seen": opened(alice, at(fig2))["seen"], "do": "move"} | fields
    answer = alice.post(at(fig2), sent, follow=True)

    assert "sent incompletely" in text_of(answer) and not api.drafts.list(fig2)


def test_what_was_typed_beside_the_button_that_moves_is_saved(alice: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=1"), "down", label="Typed before")

    assert rule(fig2, 2)["label"] == "Typed before" and rule(fig2, 2)["name"] == "t1"


def test_problems_are_shown_at_their_row_their_field_and_in_the_summary(alice: Client, fig2: str) -> None:
    answer = send(alice, at(fig2, query="?rule=2"), predicate="a1 = and", timeout="soon")

    html = answer.content.decode()
    row = re.search(r'<tr role="row" id="rule-2".*?</tr>', html, re.DOTALL)
    field = re.search(r'<textarea name="predicate".*?</code>', html, re.DOTALL)
    assert row and "The word &quot;and&quot; is reserved" in row[0]
    assert field and "The word &quot;and&quot; is reserved" in field[0] and "\n     ^" in field[0]
    assert f'href="{at(fig2)}?rule=2#panel">2 t2</a>' in html and "2 problems prevent publishing" in html
    assert rule(fig2, 2)["timeout"] == "soon"  # half-typed definitions are kept


def test_problems_are_shown_to_each_reader_in_their_language(alice: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=2"), predicate="a1 = nowhere")
    for language, expected in (("en", "There is no attribute"), ("pt-br", "Não há atributo")):
        assert expected in alice.get(at(fig2), HTTP_ACCEPT_LANGUAGE=language).content.decode()


def test_undo_and_redo_say_what_they_do(alice: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=1"), label="First")
    send(alice, at(fig2, query="?rule=2"), label="Second")
    page = alice.get(at(fig2)).content.decode()
    assert 'title="t2: name shown to people">↶ Undo' in page and "↷" not in page

    for expected in ("t1: name shown to people", None):
        page = button(alice, fig2, "undo")
        assert (f'title="{expected}">↶' in page) if expected else ("↶" not in page)
    assert draft(fig2).definition == draft(fig2).base
    assert 'title="First: label">↷' in page or 'title="t1: name shown to people">↷' in page
    button(alice, fig2, "redo")
    assert rule(fig2, 1)["label"] == "First" and "label" not in rule(fig2, 2)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"seen": "x"},
        {"seen": "1/0/", "item": "99", "do": "delete"},
        {"seen": "1/0/", "item": "0", "do": "save"},
        {"seen": "1/0/", "item": "-1"},
        {"seen": "1/0/", "item": "9" * 5_000},
        {"seen": "1/0/", "item": "1", "do": "explode"},
        {"seen": "99/0/", "item": "1", "predicate": "a1 is null"},
        {"seen": "1/77/2020-01-01", "item": "1", "predicate": "a1 is null"},
        {"seen": "1/0/", "item": "1", "predicate": "a\0b"},
        {"seen": "1/0/", "item": "1", "predicate": "x" * 200_000},
        {"seen": "1/0/", "item": "1", "mode": "forged", "priority": "40000", "max_attempts": "many"},
        {"seen": "1/0/", "item": "1", "writes": "a\0b"},
        {"seen": f"{'9' * 5_000}/0/", "item": "1", "predicate": "a1 is null"},
        {"seen": "1/0/", "settled": "x", "side-0": "other", "side-x": "mine", "item": "1"},
    ],
)  # fmt: skip
def test_bad_input_is_answered_with_a_message(alice: Client, fig2: str, fields: dict[str, str]) -> None:
    for tab in ("rules", "attributes", "settings", "draft"):
        answer = alice.post(at(fig2, tab), fields, follow=True)
        assert answer.status_code in (200, 409)
        assert 'class="note' in answer.content.decode()


@pytest.mark.parametrize("query", ["?rule=0", "?rule=99", "?rule=id:99", "?rule=x%00", "?rule=" + "9" * 99])
def test_a_rule_that_is_not_there_is_said(alice: Client, fig2: str, query: str) -> None:
    assert "There is no such rule in this draft." in text_of(alice.get(at(fig2, query=query)))


def test_a_rule_is_found_by_its_number(alice: Client, fig2: str) -> None:
    number = api.drafts.running_definition(fig2)[1]["triggers"][1]["id"]
    assert 'id="panel-title">t2<' in alice.get(at(fig2, query=f"?rule=id:{number}")).content.decode()


def test_a_draft_with_values_of_any_form_is_shown(alice: Client, fig2: str) -> None:
    api.drafts.open(fig2)
    odd: list[Any] = [None, 7, True, [1], {"x": 1}, "\u2028"]
    options = ("name", "predicate", "timeout", "mode", "writes", "final", "priority", "label", "due_attr")
    items = [dict.fromkeys(options, value) for value in odd]
    names = [{"name": value, "type": value, "options": value, "default": value} for value in odd]
    wrong = {"label": [1], "retention": {"a": 1}, "attributes": names, "triggers": items, "more": 1}
    api.drafts.save(DraftAt(fig2, "main", 1), wrong)

    for place in range(1, len(odd) + 1):
        assert alice.get(at(fig2, query=f"?rule={place}")).status_code == 200
        assert alice.get(at(fig2, "attributes", f"?attribute={place}")).status_code == 200
        assert send(alice, at(fig2, query=f"?rule={place}"), label="x").status_code == 200
    assert alice.get(at(fig2, "settings")).status_code == 200


def test_who_may_only_see_definitions_cannot_change_them(fig2: str) -> None:
    user = User.objects.create_user("eve", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_flow"))
    eve = browser(user)

    html = eve.get(at(fig2, query="?rule=1")).content.decode()
    assert "tr_a2" in html and 'value="save"' not in html and "Add a rule" not in html
    fields = {"seen": "1/0/", "item": "1", "predicate": "a1 is null"}
    for tab in ("rules", "attributes", "settings", "draft"):
        assert eve.post(at(fig2, tab), fields).status_code == 404
    assert not api.drafts.list(fig2)


def test_a_page_of_a_large_flow_needs_no_query_per_rule(
    alice: Client, django_assert_max_num_queries: Any
) -> None:
    name = unique()
    attributes = [{"name": f"a{n}"} for n in range(150)]
    rules = [
        {
            "name": f"t{n}",
            "transition": f"tr_{n}",
            "condition": f"c{n}",
            "predicate": f"a{n % 150} = 'x' and a1 is null",
        }
        for n in range(299)
    ]
    final = {"predicate": "a0 = 'done'", "final": True}
    api.flows.create(name)
    api.flows.publish(name, {"attributes": attributes, "triggers": [*rules, final]})
    send(alice, at(name, query="?rule=7"), label="Changed")

    with django_assert_max_num_queries(20):
        html = alice.get(at(name, query="?rule=7")).content
    assert len(html) < 300_000


def test_changes_are_counted_by_rule() -> None:
    base: dict[str, Any] = {
        "label": "",
        "attributes": [{"id": 1, "name": "a"}],
        "triggers": [{"id": 1}, {"id": 2}],
    }
    assert count_changes(base, base) == 0
    assert count_changes(base, base | {"label": "x", "triggers": [{"id": 2}, {"id": 1}]}) == 2
    assert (
        count_changes(base, base | {"attributes": [{"id": 1, "name": "b"}, {"name": "c"}], "triggers": []})
        == 4
    )


def test_a_page_has_one_primary_button_and_it_is_something_the_user_may_do(alice: Client, fig2: str) -> None:
    dana = browser(member(f"flow:{fig2}:design"))
    primary = re.compile(r'class="(?:button )?primary"[^>]*>([^<]+)')
    assert primary.findall(alice.get(at(fig2)).content.decode()) == ["Add a rule"]
    send(alice, at(fig2, query="?rule=1"), predicate="a1 = 'ready'")

    assert primary.findall(alice.get(at(fig2)).content.decode()) == ["Publish…"]
    assert primary.findall(dana.get(at(fig2)).content.decode()) == ["Add a rule"]
    for page in (at(fig2, query="?rule=1"), at(fig2, "settings"), at(fig2, "text")):
        assert primary.findall(alice.get(page).content.decode()) == ["Save"], page


# Sizes


def test_the_form_with_everything_at_once_is_for_small_flows(alice: Client) -> None:
    name = unique("large")
    api.flows.create(name)
    definition = api.flows.definition(name)
    definition["attributes"] = [{"name": f"a{n}"} for n in range(59)]
    definition["triggers"] = [{"name": "x", "transition": "tr_x", "predicate": "a1 = 'x'"}]
    api.flows.publish(name, definition)
    everything = alice.get(at(name, "change")).content.decode()
    assert "triggers-0-predicate" in everything and 'aria-current="page">All at once</a>' in everything
    assert "All at once" in text_of(alice.get(at(name)))

    api.flows.publish(name, definition | {"attributes": [*definition["attributes"], {"name": "one_more"}]})
    response = alice.get(at(name, "change"), follow=True)
    assert response.redirect_chain[-1][0] == at(name)
    assert "up to 60 attributes and rules" in text_of(response)
    assert "All at once" not in text_of(response)


def test_a_page_without_a_draft_checks_nothing_again(alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs has no problems; the check of 300 rules takes a second."""
    name = unique("shown")
    api.flows.create(name)
    definition = api.flows.definition(name)
    api.flows.publish(name, definition | {"attributes": [{"name": "a"}]})
    asked: list[str] = []
    monkeypatch.setattr(api.conditions, "check_definition", lambda flow, *_a, **_k: asked.append(flow) or [])
    assert alice.get(at(name, "publish")).status_code == 200
    assert asked == []
