"""The tabs that edit the draft of a flow: rules, attributes, settings, undo, two people, a new flow."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from flows import api
from flows.designer.draft import count_changes
from flows.models import Flow
from flows.tests.designer import browser
from flows.tests.pages import Form, opened, unique
from flows.types import Draft, DraftAt

pytestmark = pytest.mark.django_db


def at(flow: str, tab: str = "rules", query: str = "") -> str:
    return reverse(f"admin:flows_flow_{tab}", args=(Flow.objects.get(name=flow).pk,)) + query


def send(client: Client, address: str, do: str = "save", **typed: str | None) -> Any:
    """Open the page, fill fields of its form and press a button; None clears a check box."""
    return submit(client, address, opened(client, address), do, **typed)


def submit(
    client: Client, address: str, fields: dict[str, str], do: str = "save", **typed: str | None
) -> Any:
    fields = fields | {"do": do} | {name: text for name, text in typed.items() if text is not None}
    for name in (name for name, text in typed.items() if text is None):
        fields.pop(name, None)
    return client.post(address.partition("?")[0], fields, follow=True)


def text_of(response: Any) -> str:
    """Return the text of the page without markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def draft(flow: str) -> Draft:
    return api.read_draft(flow)


def rule(flow: str, place: int) -> dict[str, Any]:
    return draft(flow).definition["triggers"][place - 1]


@pytest.fixture
def bob(db: None) -> Client:
    """A second person who designs."""
    return browser(User.objects.create_superuser("bob"))


# Rules


def test_the_first_save_of_a_rule_opens_a_draft_and_leaves_what_runs(alice: Client, fig2: str) -> None:
    before = api.running_definition(fig2)

    answer = send(
        alice, at(fig2, query="?rule=1"), predicate="a1 = 'ready' and\r\na2 is null", timeout="5 min"
    )

    assert (
        rule(fig2, 1)["predicate"] == "a1 = 'ready' and\na2 is null" and rule(fig2, 1)["timeout"] == "5 min"
    )
    assert rule(fig2, 1)["id"] == before[1]["triggers"][0]["id"]
    assert (draft(fig2).base_version, draft(fig2).changed_by) == (before[0], "alice")
    assert api.running_definition(fig2) == before
    assert "Saved in the draft: t1: predicate, timeout." in text_of(answer)
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


def test_undo_and_redo_say_what_they_do(alice: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=1"), label="First")
    send(alice, at(fig2, query="?rule=2"), label="Second")
    page = alice.get(at(fig2)).content.decode()
    assert 'title="t2: label">↶ Undo' in page and "↷" not in page

    for expected in ("t1: label", None):
        page = button(alice, fig2, "undo")
        assert (f'title="{expected}">↶' in page) if expected else ("↶" not in page)
    assert draft(fig2).definition == draft(fig2).base
    assert 'title="First: label">↷' in page or 'title="t1: label">↷' in page
    button(alice, fig2, "redo")
    assert rule(fig2, 1)["label"] == "First" and "label" not in rule(fig2, 2)


def button(client: Client, flow: str, do: str) -> str:
    answer = client.post(at(flow, "draft"), {"seen": opened(client, at(flow))["seen"], "do": do}, follow=True)
    return answer.content.decode()


# Two people


def test_changes_of_two_people_are_merged(alice: Client, bob: Client, fig2: str) -> None:
    pages = [(client, opened(client, at(fig2, query="?rule=1"))) for client in (alice, bob)]
    submit(alice, at(fig2), pages[0][1], predicate="a1 = 'go'")
    answer = submit(bob, at(fig2), pages[1][1], label="Of Bob")

    assert (rule(fig2, 1)["predicate"], rule(fig2, 1)["label"]) == ("a1 = 'go'", "Of Bob")
    assert "It was merged with what alice saved meanwhile." in text_of(answer)


@pytest.mark.parametrize("side", ["mine", "theirs"])
def test_of_two_changes_of_one_option_a_person_chooses(
    alice: Client, bob: Client, fig2: str, side: str
) -> None:
    seen = opened(bob, at(fig2, query="?rule=1"))
    send(alice, at(fig2, query="?rule=1"), predicate="a1 = 'alice'")
    asked = submit(bob, at(fig2), seen, predicate="a1 = 'bob'", label="  Kept\n")

    assert asked.status_code == 409 and rule(fig2, 1)["predicate"] == "a1 = 'alice'"
    shown = text_of(asked)
    assert all(
        text in shown for text in ("rule 1: predicate", "a1=&#x27;ready&#x27;", "a1 = &#x27;bob&#x27;")
    )
    fields = fields_of(asked)
    unsure = bob.post(at(fig2), fields)
    assert unsure.status_code == 409 and "Choose at each of them." in text_of(unsure)
    bob.post(at(fig2), fields | {"side-0": side})
    assert rule(fig2, 1)["predicate"] == {"mine": "a1 = 'bob'", "theirs": "a1 = 'alice'"}[side]
    assert rule(fig2, 1)["label"] == "Kept"


def fields_of(response: Any) -> dict[str, str]:
    """Return the fields that a browser would send; no radio button of the page is chosen."""
    fields = Form(response.content.decode()).fields
    return {name: value for name, value in fields.items() if not name.startswith("side-")}


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
    fields = fields_of(submit(bob, at(fig2), seen, label="Still here"))

    bob.post(at(fig2), fields | {"side-0": "mine"})
    assert rule(fig2, 1)["label"] == "Still here"


def test_what_was_typed_is_kept_when_the_draft_was_discarded(alice: Client, bob: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=1"), label="Once")
    seen = opened(bob, at(fig2, query="?rule=2"))
    api.discard_draft(draft(fig2).at)
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
    running = api.running_definition(fig2)[1]
    running["triggers"][1]["label"] = "Published"
    api.publish(fig2, running, actor="carol")
    assert "Version 2 runs now; this draft was made from version 1." in text_of(alice.get(at(fig2)))

    page = button(alice, fig2, "update")
    assert "The draft now changes version 2." in page and not draft(fig2).stale
    assert (rule(fig2, 1)["label"], rule(fig2, 2)["label"]) == ("Mine", "Published")


# Attributes and settings


def test_attributes_are_added_changed_and_deleted(alice: Client, fig2: str) -> None:
    send(alice, at(fig2, "attributes", "?attribute=new"), name="a4", type="enum", options="one\r\ntwo")
    assert draft(fig2).definition["attributes"][3] == {
        "name": "a4",
        "type": "enum",
        "options": ["one", "two"],
    }
    answer = send(alice, at(fig2, "attributes", "?attribute=2"), "delete")
    assert [a["name"] for a in draft(fig2).definition["attributes"]] == ["a1", "a3", "a4"]
    assert "There is no attribute &quot;a2&quot;" in text_of(answer)
    rows = alice.get(at(fig2)).content.decode()
    assert rows.count('<p class="row-problem">') == 2


def test_an_attribute_needs_a_name_and_what_was_typed_stays(alice: Client, fig2: str) -> None:
    answer = send(alice, at(fig2, "attributes", "?attribute=new"), label="Typed")

    assert answer.status_code == 200 and fields_of(answer)["label"] == "Typed"
    assert "This field is required." in text_of(answer) and not api.list_drafts(fig2)


def test_the_settings_of_the_flow_are_saved(alice: Client, fig2: str) -> None:
    answer = send(alice, at(fig2, "settings"), label="Figure two", notify_trace=None, retention="")

    found = draft(fig2).definition
    assert (found["label"], found.get("notify_trace", True), found["retention"]) == (
        "Figure two",
        False,
        None,
    )
    assert "<h1>Figure two</h1>" in answer.content.decode()


# A new flow


def test_a_new_flow_is_a_draft_until_it_is_published(alice: Client) -> None:
    name, new = unique(), reverse("admin:flows_flow_new")
    answer = alice.post(new, opened(alice, new) | {"name": name, "label": "Orders"}, follow=True)
    tab = answer.request["PATH_INFO"]
    assert "never published" in text_of(answer) and not Flow.objects.filter(name=name).exists()

    send(alice, f"{tab}?attribute=new", name="a")
    rules = reverse("admin:flows_flow_new_rules", args=(name,))
    send(alice, f"{rules}?rule=new", predicate="a is not null", final="on")
    assert f'href="{rules}"' in alice.get(reverse("admin:flows_flow_changelist")).content.decode()
    assert api.request_publication(draft(name).at, actor="alice").status == "published"
    assert alice.get(rules).headers["Location"] == at(name)


@pytest.mark.parametrize("name", ["Bad Name", "", "pg_x", "wedsql", "x" * 64, "a\0b", "public"])
def test_a_name_that_no_flow_can_have_is_rejected_at_its_field(alice: Client, name: str) -> None:
    new = reverse("admin:flows_flow_new")
    answer = alice.post(new, {"name": name, "label": ""})

    assert answer.status_code == 200 and 'class="field-error"' in answer.content.decode()


def test_the_draft_of_a_new_flow_is_discarded_after_asking(alice: Client) -> None:
    name = unique()
    api.open_draft(name, actor="alice")
    asked = reverse("admin:flows_flow_new_draft", args=(name,))

    fields = opened(alice, asked)
    assert api.list_drafts(name)
    alice.post(asked, fields | {"do": "discard"})
    assert not api.list_drafts(name)


# Bad input, rights, size


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"seen": "x"},
        {"seen": "1/0/", "item": "99", "do": "delete"},
        {"seen": "1/0/", "item": "0", "do": "save"},
        {"seen": "1/0/", "item": "-1"},
        {"seen": "1/0/", "item": "9" * 50},
        {"seen": "1/0/", "item": "1", "do": "explode"},
        {"seen": "99/0/", "item": "1", "predicate": "a1 is null"},
        {"seen": "1/77/2020-01-01", "item": "1", "predicate": "a1 is null"},
        {"seen": "1/0/", "item": "1", "predicate": "a\0b"},
        {"seen": "1/0/", "item": "1", "predicate": "x" * 200_000},
        {"seen": "1/0/", "item": "1", "mode": "forged", "priority": "40000", "max_attempts": "many"},
        {"seen": "1/0/", "item": "1", "writes": "a\0b"},
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
    number = api.running_definition(fig2)[1]["triggers"][1]["id"]
    assert 'id="panel-title">t2<' in alice.get(at(fig2, query=f"?rule=id:{number}")).content.decode()


def test_a_draft_with_values_of_any_form_is_shown(alice: Client, fig2: str) -> None:
    api.open_draft(fig2)
    odd: list[Any] = [None, 7, True, [1], {"x": 1}, "\u2028"]
    options = ("name", "predicate", "timeout", "mode", "writes", "final", "priority", "label", "due_attr")
    items = [dict.fromkeys(options, value) for value in odd]
    names = [{"name": value, "type": value, "options": value, "default": value} for value in odd]
    wrong = {"label": [1], "retention": {"a": 1}, "attributes": names, "triggers": items, "more": 1}
    api.save_draft(DraftAt(fig2, "main", 1), wrong)

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
    assert not api.list_drafts(fig2)


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
    api.create_flow(name)
    api.publish(name, {"attributes": attributes, "triggers": [*rules, final]})
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
