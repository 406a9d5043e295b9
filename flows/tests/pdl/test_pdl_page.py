"""The page on which PDL is written: its problems and picture, and what is published."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from flows import api
from flows.languages.pdl.picture import MOST_ARROWS
from flows.languages.pdl.reader import LARGEST
from flows.models import Flow
from flows.tests.designer import browser
from flows.tests.pages import Form, unique
from flows.tests.pdl.pdl import workflow
from flows.tests.publication.publish_page import address, text_of

pytestmark = pytest.mark.django_db
NEW = "/admin/flows/flow/pdl/"
TEXT = workflow("a: m { ROLE r; }", "b: m { DEPENDS a -> SUCCEEDED; ROLE r; }")


def send(client: Client, text: str, do: str, page: str = NEW, **more: Any) -> Any:
    return client.post(page, {"text": text, "do": do} | more)


def press(client: Client, answer: Any, do: str, page: str = NEW, **more: Any) -> Any:
    """Press a button of the page that was answered."""
    return client.post(page, Form(answer.content.decode()).fields | {"do": do} | more, follow=True)


def places(answer: Any) -> list[tuple[int, int]]:
    found = re.findall(r'data-line="(\d+)"\s+data-column="(\d+)"', answer.content.decode())
    return [(int(line), int(column)) for line, column in found]


def test_a_workflow_is_written_checked_and_published_and_its_next_version_written(alice: Client) -> None:
    name = unique()
    assert f'href="{NEW}"' in alice.get("/admin/flows/flow/new/").content.decode()
    opened = alice.get(NEW)
    assert "WORKFLOW Example" in Form(opened.content.decode()).fields["text"]
    checked = press(alice, opened, "check", name=name, text=TEXT)
    assert "can be published" in text_of(checked) and not Flow.objects.filter(name=name).exists()
    done = press(alice, checked, "publish")
    assert "Version 1 is published." in text_of(done)
    source = api.flows.read_source(name)
    assert source is not None and source["text"] == TEXT

    page = address("pdl", name)
    assert f'href="{page}"' in alice.get(address("picture", name)).content.decode()
    opened = alice.get(page)
    assert Form(opened.content.decode()).fields["text"].strip() == TEXT.strip()
    checked = press(alice, opened, "check", page, text=LONGER)
    assert "Publish as the next version" in text_of(checked)
    assert "is published." in text_of(press(alice, checked, "publish", page))
    assert "c" in {each["name"] for each in api.drafts.running_definition(name)[1]["attributes"]}


def test_several_errors_have_line_column_and_what_was_expected_and_the_text_stays(alice: Client) -> None:
    wrong = TEXT.replace("SUCCEEDED", "SUCCEDED").replace("ROLE r; }", "ROL r; }", 1)
    for do in ("look", "check", "publish"):
        answer = send(alice, wrong, do, name=unique())
        said = text_of(answer)
        assert len(places(answer)) == 2 and all(line and column for line, column in places(answer))
        assert "“SUCCEDED” is not expected here, but: FAIL, READY, RUNNING, SUCCEEDED." in said
        assert "2 errors" in said and 'class="panel scroll bpmn"' in answer.content.decode()
        if do != "look":
            assert Form(answer.content.decode()).fields["text"].strip() == wrong.strip()


def test_what_is_looked_at_is_a_part_of_a_page_in_the_language_of_the_user(alice: Client) -> None:
    alice.cookies["django_language"] = "pt-br"
    answer = send(alice, TEXT.replace("ROLE", "ROL"), "look")
    said = text_of(answer)
    assert "<!doctype" not in answer.content.decode() and "2 erros" in said and "não é esperado aqui" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "There is no WORKFLOW in what was read"),
        ("x" * (LARGEST + 1), "more than 5 MB"),
        ("{" * 200_000, "more than 100000 braces"),
        ("\x00", "U+0000 cannot be stored"),
        (workflow(*(f"t{n}: m {{ ROLE r; }}" for n in range(241))), "at most 240"),
        (workflow("a: m { DEPENDS b -> READY; }", "b: m { DEPENDS a -> READY; }"), "depend on each other"),
        ("WORKFLOW v { TASK z: m { ROLE r; } }\n" + TEXT, "There are several workflows"),
    ],
    ids=range(7),
)  # fmt: skip
def test_a_text_that_is_no_workflow_is_answered_with_its_reason(alice: Client, text: str, said: str) -> None:
    for do in ("look", "check", "publish"):
        answer = send(alice, text, do, name=unique())
        assert answer.status_code == 200 and said in text_of(answer), text_of(answer)[:500]


def test_one_of_several_workflows_is_chosen(alice: Client) -> None:
    second = "WORKFLOW v { TASK z: m { ROLE r; } }\n"
    answer = send(alice, second + TEXT, "check", name=unique(), workflow="v")
    assert "can be published" in text_of(answer) and 'value="v"' in answer.content.decode()


def test_a_picture_with_too_many_arrows_is_not_drawn(alice: Client) -> None:
    count = 60
    names = [f"t{n}" for n in range(count)]
    rules = [
        "DEPENDS OR(" + ", ".join(f"{one} -> READY" for one in names[:n]) + ");" if n else ""
        for n in range(count)
    ]
    assert sum(rule.count("->") for rule in rules) > MOST_ARROWS
    answer = send(
        alice,
        workflow(*(f"{one}: m {{ {rule} ROLE r; }}" for one, rule in zip(names, rules, strict=True))),
        "look",
    )
    assert "too many activities or dependencies" in text_of(answer) and "<svg" not in answer.content.decode()


def test_a_version_that_was_published_meanwhile_is_not_replaced_unseen(alice: Client) -> None:
    name = unique()
    send(alice, TEXT, "publish", name=name)
    page = address("pdl", name)
    opened = alice.get(page)
    api.flows.publish(name, api.drafts.running_definition(name)[1] | {"label": "Other"}, actor="bob")
    mine = TEXT.replace("b: m", "mine: m")
    for do in ("publish", "check"):
        answer = press(alice, opened, do, page, text=mine)
        assert answer.status_code == 409 and "has another definition by now" in answer.content.decode()
        assert "mine: m" in Form(answer.content.decode()).fields["text"]
    assert api.drafts.running_definition(name)[1]["label"] == "Other"
    assert "is published." in text_of(press(alice, answer, "publish", page))


LONGER = TEXT.replace("b: m", "c: m { DEPENDS b -> SUCCEEDED; ROLE r; } TASK b: m")


def saved_in_draft(client: Client) -> str:
    """Publish a workflow, save a longer one in its draft, and return the name of the flow."""
    name = unique()
    send(client, TEXT, "publish", name=name)
    page = address("pdl", name)
    done = press(client, client.get(page), "draft", page, text=LONGER)
    assert "Saved in the draft: text: " in text_of(done)
    assert Form(done.content.decode()).fields["text"].strip() == LONGER.strip(), "the text of the draft"
    return name


def publish_draft(client: Client, name: str) -> None:
    """Publish the draft by its page, which asks first about what its checks warn of."""
    page, data = address("publish", name), {"do": "publish", "revision": str(api.drafts.read(name).revision)}
    asked = client.post(page, data, follow=True)
    token = re.search(r'name="confirmed" value="([0-9a-f]+)"', asked.content.decode())
    if token:
        asked = client.post(page, data | {"confirmed": token[1]}, follow=True)
    assert "Version 2 is published." in text_of(asked)


def test_a_text_is_saved_in_the_draft_and_stays_the_source_of_what_is_published(alice: Client) -> None:
    name = saved_in_draft(alice)
    source = api.flows.read_source(name)
    assert source is not None and (source["version"], source["text"]) == (1, TEXT)
    publish_draft(alice, name)
    source = api.flows.read_source(name)
    assert source is not None and source["text"] == LONGER
    assert "digest" not in source["map"] and api.flows.read_source(name, 0) is None
    assert Form(alice.get(address("pdl", name)).content.decode()).fields["text"].strip() == LONGER.strip()


def test_a_draft_that_was_changed_by_hand_is_not_published_as_pdl(alice: Client) -> None:
    name = saved_in_draft(alice)
    draft = api.drafts.read(name)
    api.drafts.save(draft.at, draft.definition | {"label": "By hand"}, actor="bob")
    assert api.drafts.read_source(name) is None
    publish_draft(alice, name)
    assert (
        api.drafts.running_definition(name)[1]["label"] == "By hand" and api.flows.read_source(name) is None
    )


def test_a_draft_that_was_saved_meanwhile_is_not_replaced_unseen(alice: Client) -> None:
    name = saved_in_draft(alice)
    page = address("pdl", name)
    opened = alice.get(page)
    draft = api.drafts.read(name)
    api.drafts.save(draft.at, draft.definition | {"label": "Hers"}, actor="bob")
    mine = TEXT.replace("b: m", "mine: m")
    answer = press(alice, opened, "draft", page, text=mine)
    assert answer.status_code == 409 and "has another definition by now" in answer.content.decode()
    assert api.drafts.read(name).definition["label"] == "Hers"
    assert "mine: m" in Form(answer.content.decode()).fields["text"]
    assert "Saved in the draft" in text_of(press(alice, answer, "draft", page))
    assert "mine" in {each["name"] for each in api.drafts.read(name).definition["attributes"]}


def test_a_text_with_errors_is_not_saved_in_the_draft(alice: Client) -> None:
    name = unique()
    send(alice, TEXT, "publish", name=name)
    page = address("pdl", name)
    wrong = TEXT.replace("SUCCEEDED", "SUCCEDED")
    answer = press(alice, alice.get(page), "draft", page, text=wrong)
    assert places(answer) and "SUCCEDED" in Form(answer.content.decode()).fields["text"]
    assert not api.drafts.list(name)


def test_a_flow_that_needs_an_approval_gets_its_text_by_the_draft(alice: Client) -> None:
    name = unique()
    send(alice, TEXT, "publish", name=name)
    api.flows.publish(name, api.drafts.running_definition(name)[1] | {"needs_approval": True}, actor="alice")
    page = address("pdl", name)
    opened = alice.get(page)
    assert "can be published" in text_of(press(alice, opened, "check", page, text=LONGER))
    assert "waits for approval" in text_of(press(alice, opened, "publish", page, text=LONGER))
    assert len(api.publications.list(name, only_open=True)) == 1
    assert "Saved in the draft" in text_of(press(alice, opened, "draft", page, text=LONGER))


def test_a_flow_that_was_not_made_of_pdl_says_that_a_text_replaces_it(alice: Client, fig2: str) -> None:
    page = alice.get(address("pdl", fig2))
    assert "was not made of PDL" in text_of(page)
    assert "pdl/" not in alice.get(address("picture", fig2)).content.decode().split("<main", 1)[1]


def test_publishing_needs_the_right_to_publish(alice: Client, fig2: str) -> None:
    user = User.objects.create_user(unique("u"))
    user.user_permissions.set(Permission.objects.filter(codename__in=["add_flow", "view_flow"]))
    client = browser(user)
    name = unique()
    answer = send(client, TEXT, "check", name=name)
    assert (
        "You may not publish it yourself." in text_of(answer)
        and 'value="publish"' not in answer.content.decode()
    )
    assert send(client, TEXT, "publish", name=name).status_code == 404
    assert client.get(address("pdl", fig2)).status_code == 404
