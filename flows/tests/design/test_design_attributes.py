"""The tabs that edit the attributes and settings of a draft, and the draft of a new flow."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.urls import reverse

from flows import api
from flows.errors import UnknownFlow
from flows.models import Flow
from flows.tests.designer import browser
from flows.tests.pages import opened, unique
from flows.tests.publication.drafting import at, button, draft, fields_of, rule, send, text_of

pytestmark = pytest.mark.django_db


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


def test_a_renamed_attribute_is_renamed_in_the_rules_that_use_it(alice: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=1"), writes="a2\r\na1", predicate="lower(A2) <> 'a2' or a2 is null")
    before = draft(fig2)
    answer = send(alice, at(fig2, "attributes", "?attribute=2"), name="remark", label="Remark")

    assert (rule(fig2, 1)["predicate"], rule(fig2, 1)["writes"]) == (
        "lower(remark) <> 'a2' or remark is null",
        ["remark", "a1"],
    )
    assert draft(fig2).definition["attributes"][1]["name"] == "remark" and "no problems" in text_of(answer)
    assert "a2: name, label; 2 rules have the new name." in text_of(answer)
    assert draft(fig2).revision == before.revision + 1
    button(alice, fig2, "undo")
    assert draft(fig2).definition == before.definition


def test_what_a_rule_may_write_is_chosen_among_the_attributes(
    alice: Client, fig2: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def boxes() -> list[tuple[str, bool]]:
        page = alice.get(at(fig2, query="?rule=1")).content.decode()
        found = re.findall(r'<input type="checkbox" name="writes" value="(\w+)"[^>]*?( checked)?>', page)
        return [(name, bool(checked)) for name, checked in found]

    assert boxes() == [("a1", False), ("a2", False), ("a3", False)]

    send(alice, at(fig2, query="?rule=1"), writes="a3\r\nlost\r\na1")  # as two boxes and a name that is gone

    assert boxes() == [("a3", True), ("lost", True), ("a1", True), ("a2", False)], "the order is kept"
    fields = opened(alice, at(fig2, query="?rule=1")) | {"do": "save", "writes": ["a3", "a2"]}
    alice.post(at(fig2), fields)
    assert rule(fig2, 1)["writes"] == ["a3", "a2"]
    monkeypatch.setattr("flows.designer.editor.tabs.MOST_BOXES", 2)
    page = alice.get(at(fig2, query="?rule=1")).content.decode()
    assert boxes() == [] and re.search(r'<textarea name="writes"[^>]*>\s*a3\s+a2</textarea>', page)


@pytest.mark.parametrize("most_boxes", [40, 2])
def test_a_rule_that_may_write_nothing_differs_from_one_that_may_write_all(
    alice: Client, fig2: str, most_boxes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.designer.editor.tabs.MOST_BOXES", most_boxes)
    page = at(fig2, query="?rule=1")
    send(alice, page, writes="-")
    assert rule(fig2, 1)["writes"] == []

    shown = send(alice, page, label="Another change")
    assert rule(fig2, 1)["writes"] == [] and "writes nothing" in text_of(shown)
    refused = send(alice, page, writes="a1\r\n-")
    assert "Choose attributes, or that nothing may be written." in text_of(refused)
    assert rule(fig2, 1)["writes"] == []
    send(alice, page, writes=None)
    assert "writes" not in rule(fig2, 1)


def test_a_reader_sees_whether_a_rule_may_write_nothing_or_all(alice: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=1"), writes="-")
    user = User.objects.create_user(unique())
    user.user_permissions.add(Permission.objects.get(codename="view_flow"))
    reader = browser(user)

    texts = [text_of(reader.get(at(fig2, query=f"?rule={place}"))) for place in (1, 2)]

    assert "may write no attribute" in texts[0] and "may write every attribute" in texts[1]


def test_a_condition_that_cannot_be_rewritten_is_left_and_shown(alice: Client, fig2: str) -> None:
    send(alice, at(fig2, query="?rule=1"), predicate="a2 = 'half typed", due_attr="a2")
    answer = send(alice, at(fig2, "attributes", "?attribute=2"), name="remark")

    assert rule(fig2, 1)["predicate"] == "a2 = 'half typed" and rule(fig2, 1)["due_attr"] == "remark"
    rows = alice.get(at(fig2)).content.decode()
    assert "problem" in text_of(answer) and '<p class="row-problem">' in rows


@pytest.mark.parametrize("name", ["a3", "user", "Two words"])
def test_no_rule_follows_a_name_that_is_taken_or_means_something_else(
    alice: Client, fig2: str, name: str
) -> None:
    before = api.drafts.running_definition(fig2)[1]["triggers"]
    send(alice, at(fig2, "attributes", "?attribute=2"), name=name)

    assert draft(fig2).definition["triggers"] == before


def test_an_attribute_needs_a_name_and_what_was_typed_stays(alice: Client, fig2: str) -> None:
    answer = send(alice, at(fig2, "attributes", "?attribute=new"), label="Typed")

    assert answer.status_code == 200 and fields_of(answer)["label"] == "Typed"
    assert "This field is required." in text_of(answer) and not api.drafts.list(fig2)


def test_the_settings_of_the_flow_are_saved(alice: Client, fig2: str) -> None:
    answer = send(alice, at(fig2, "settings"), label="Figure two", notify_trace=None, retention="")

    found = draft(fig2).definition
    assert (found["label"], found.get("notify_trace", True), found["retention"]) == (
        "Figure two",
        False,
        None,
    )
    assert "<h1>Figure two</h1>" in answer.content.decode()


def test_the_settings_say_why_notifications_contain_no_state(alice: Client, fig2: str) -> None:
    def said() -> list[str]:
        shown = alice.get(at(fig2, "settings")).content.decode()
        return re.findall(r"Notifications of jobs contain no state[^<]*", shown)

    with connection.cursor() as cursor:
        cursor.execute("select r from wedsql.state_withheld(%s) w, unnest(w.names) r", [fig2])
        for (role,) in cursor.fetchall():  # of earlier tests
            cursor.execute(f'alter role "{role}" nologin')
        assert said() == []
        cursor.execute("create role spy login")
        assert said() == [
            "Notifications of jobs contain no state: roles without access to it may log in (spy)."
        ]
        cursor.execute("alter role spy nologin")
        cursor.execute("update wedsql.flow set notify_state = false where name = %s", [fig2])
        hidden = "update wedsql.attr a set visibility = 'hidden' from wedsql.flow f where f.id = a.flow_id"
        cursor.execute(f"{hidden} and f.name = %s and a.aname = 'a3'", [fig2])
    assert said() == [
        "Notifications of jobs contain no state, as set below.",
        "Notifications of jobs contain no state: it has masked or hidden attributes (a3).",
    ]


def test_a_new_flow_is_a_draft_until_it_is_published(alice: Client) -> None:
    name, new = unique(), reverse("admin:flows_flow_new")
    answer = alice.post(new, opened(alice, new) | {"name": name, "label": "Orders"}, follow=True)
    tab = answer.request["PATH_INFO"]
    assert "never published" in text_of(answer) and not Flow.objects.filter(name=name).exists()

    send(alice, f"{tab}?attribute=new", name="a")
    rules = reverse("admin:flows_flow_new_rules", args=(name,))
    send(alice, f"{rules}?rule=new", predicate="a is not null", final="on")
    assert f'href="{rules}"' in alice.get(reverse("admin:flows_flow_changelist")).content.decode()
    assert api.publications.request(draft(name).at, actor="alice").status == "published"
    assert alice.get(rules).headers["Location"] == at(name)


@pytest.mark.parametrize("name", ["Bad Name", "", "pg_x", "wedsql", "x" * 64, "a\0b", "public"])
def test_a_name_that_no_flow_can_have_is_rejected_at_its_field(alice: Client, name: str) -> None:
    new = reverse("admin:flows_flow_new")
    answer = alice.post(new, {"name": name, "label": ""})

    assert answer.status_code == 200 and 'class="field-error"' in answer.content.decode()


def test_the_draft_of_a_new_flow_is_discarded_after_asking(alice: Client) -> None:
    name = unique()
    api.drafts.open(name, actor="alice")
    asked = reverse("admin:flows_flow_new_draft", args=(name,))

    fields = opened(alice, asked)
    assert api.drafts.list(name)
    alice.post(asked, fields | {"do": "discard"})
    with pytest.raises(UnknownFlow):  # neither a flow nor a draft of one
        api.drafts.list(name)
