"""The tabs Versions and Publish: changes in sentences, problems, impact, approval, time, restoring."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from flows import api
from flows.models import Flow
from flows.tests.designer import browser
from flows.tests.pages import unique
from flows.types import DraftAt

# A version is recorded once per transaction.
pytestmark = pytest.mark.django_db(transaction=True)


def address(tab: str, flow: str, query: str = "") -> str:
    return reverse(f"admin:flows_flow_{tab}", args=[Flow.objects.get(name=flow).pk]) + query


def text_of(page: Any) -> str:
    assert page.status_code == 200, page.status_code
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", page.content.decode()).split()))


def drafted(flow: str, predicate: str, actor: str = "alice") -> DraftAt:
    """Save a draft that changes the condition of the first rule; return its revision."""
    known = [draft for draft in api.list_drafts(flow) if draft.branch == "main"]
    draft = api.read_draft(flow) if known else api.open_draft(flow, actor=actor)
    draft.definition["triggers"][0]["predicate"] = predicate
    return api.save_draft(draft.at, draft.definition, actor=actor).at


def publish(client: Client, flow: str, at: DraftAt, **more: str) -> str:
    data = {"do": "publish", "revision": str(at.revision), "reason": "because"} | more
    return text_of(client.post(address("publish", flow), data, follow=True))


def running(flow: str) -> str:
    return str(api.running_definition(flow)[1]["triggers"][0]["predicate"])


def test_a_draft_is_published_with_its_reason(alice: Client, fig2: str) -> None:
    at = drafted(fig2, "a1 = 'ready' and a2 is null and a3 is null")
    assert "now also requires" in text_of(alice.get(address("publish", fig2)))

    answer = publish(alice, fig2, at)

    version = api.list_versions(fig2)[0]
    assert f"Version {version.version} is published." in answer
    assert (version.actor, version.reason) == ("alice", "because")
    assert "a3 is null" in running(fig2)


def test_a_problem_keeps_the_draft_from_being_published(alice: Client, fig2: str) -> None:
    at = drafted(fig2, "a1 = 'ready' and nowhere is null")

    page = alice.get(address("publish", fig2))

    assert "1 problem keeps it from being published" in text_of(page) and "nowhere" in text_of(page)
    assert re.search(r'value="publish"\s+disabled', page.content.decode())
    assert "nowhere" in publish(alice, fig2, at)
    assert "nowhere" not in running(fig2)


def test_what_another_person_saved_meanwhile_is_not_published(alice: Client, fig2: str) -> None:
    seen = drafted(fig2, "a2 is null")
    drafted(fig2, "a3 is null", actor="bob")

    assert "bob" in publish(alice, fig2, seen)
    assert running(fig2) not in ("a2 is null", "a3 is null")


def test_the_impact_counts_the_living_instances(alice: Client, fig2: str) -> None:
    api.start_many(fig2, [{}] * 3)
    drafted(fig2, "a1 = 'never'")

    text = text_of(alice.get(address("impact", fig2)))

    assert "3 living instances, all examined" in text
    assert text_of(alice.get(address("impact", fig2, "?reopen=1"))) == text
    assert re.search(r"held, no longer.*\b3\b", text)


def test_the_prediction_is_kept_with_the_publication(alice: Client, fig2: str) -> None:
    api.start_many(fig2, [{}] * 3)
    publish(alice, fig2, drafted(fig2, "a1 = 'never'"))

    done = api.list_publications(fig2)[0]
    prediction = api.read_publication(done.id).prediction
    assert prediction is not None and prediction["living"] == 3


def test_a_new_flow_is_published_for_the_first_time(alice: Client) -> None:
    flow = unique()
    final = {"predicate": "a = 1", "final": True}
    new = {"attributes": [{"name": "a", "type": "integer"}], "triggers": [final]}
    at = api.open_draft(flow, definition=new, actor="alice").at
    page = reverse("admin:flows_flow_new_publish", args=[flow])
    assert "is new" in text_of(alice.get(page))

    data = {"do": "publish", "revision": str(at.revision)}
    answer = alice.post(page, data, follow=True)

    assert "Version 1 is published." in text_of(answer)
    assert answer.redirect_chain[-1][0] == address("publish", flow)


@pytest.fixture
def careful(fig2: str, alice: Client) -> str:
    """The flow, whose definitions need a second person."""
    draft = api.open_draft(fig2, actor="alice")
    draft.definition["needs_approval"] = True
    api.request_publication(api.save_draft(draft.at, draft.definition, actor="alice").at, actor="alice")
    return fig2


def test_a_second_person_approves(alice: Client, careful: str) -> None:
    bob = browser(User.objects.create_superuser("bob"))
    assert "Another person has to approve it" in publish(alice, careful, drafted(careful, "a2 is null"))
    request = api.list_publications(careful, only_open=True)[0]
    assert f'value="approve:{request.id}"' not in alice.get(address("publish", careful)).content.decode()
    assert f'value="approve:{request.id}"' in bob.get(address("publish", careful)).content.decode()

    alone = text_of(alice.post(address("publish", careful), {"do": f"approve:{request.id}"}, follow=True))
    assert not re.search(r"Version \d+ is published", alone) and running(careful) != "a2 is null"
    answer = text_of(bob.post(address("publish", careful), {"do": f"approve:{request.id}"}, follow=True))

    assert "is published" in answer and running(careful) == "a2 is null"
    assert "approved by bob" in text_of(alice.get(address("versions", careful)))


@pytest.mark.parametrize(("action", "says"), [("reject", "is rejected"), ("withdraw", "is withdrawn")])
def test_a_request_is_rejected_or_withdrawn(alice: Client, careful: str, action: str, says: str) -> None:
    bob = browser(User.objects.create_superuser("bob"))
    publish(alice, careful, drafted(careful, "a2 is null"))
    request = api.list_publications(careful, only_open=True)[0]
    data = {"do": f"{action}:{request.id}", "note": "not on Fridays"}

    assert says in text_of(bob.post(address("publish", careful), data, follow=True))

    assert "not on Fridays" in text_of(alice.get(address("publish", careful)))
    assert running(careful) != "a2 is null"


def test_a_publication_waits_for_its_time(alice: Client, fig2: str) -> None:
    later = (datetime.now(UTC) + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M")

    assert "It will be published at" in publish(alice, fig2, drafted(fig2, "a2 is null"), publish_at=later)

    assert running(fig2) != "a2 is null"
    assert "is no time" in publish(alice, fig2, drafted(fig2, "a3 is null"), publish_at="soon")


def test_a_request_of_another_flow_is_not_found(alice: Client, careful: str) -> None:
    publish(alice, careful, drafted(careful, "a2 is null"))
    request = api.list_publications(careful, only_open=True)[0]
    other = f"{careful[:20]}_x"
    api.create_flow(other)

    assert alice.post(address("publish", other), {"do": f"withdraw:{request.id}"}).status_code == 404


@pytest.mark.parametrize(
    "action", ["", "publish", "approve:", "approve:x", f"approve:{2**70}", "reject:-1", "no:1"]
)
def test_any_action_is_answered(alice: Client, fig2: str, action: str) -> None:
    text = text_of(alice.post(address("publish", fig2), {"do": action, "revision": "x"}, follow=True))

    assert not re.search(r"Version \d+ is published", text)


def test_versions_are_compared_in_sentences_and_as_text(alice: Client, fig2: str) -> None:
    old = api.list_versions(fig2)[0].version
    publish(alice, fig2, drafted(fig2, "a1 = 'ready' and a2 is null and a3 is null"))
    new = api.list_versions(fig2)[0].version

    page = alice.get(address("versions", fig2, f"?old={old}&new={new}"))

    assert "now also requires" in text_of(page)
    assert "<ins>+" in page.content.decode() and "<del>-" in page.content.decode()
    assert text_of(alice.get(address("versions", fig2, f"?old=0&new={new}")))


def test_a_version_is_exported_as_a_file_that_can_be_loaded(alice: Client, fig2: str) -> None:
    version = api.list_versions(fig2)[0].version

    answer = alice.get(address("versions", fig2, f"?format=yaml&version={version}"))

    assert answer["Content-Disposition"] == f'attachment; filename="{fig2}-{version}.yaml"'
    assert b"a2 is null" in answer.content and b"id:" not in answer.content


def test_an_earlier_version_is_restored_into_the_draft_and_published_again(alice: Client, fig2: str) -> None:
    first, before = api.list_versions(fig2)[0].version, running(fig2)
    publish(alice, fig2, drafted(fig2, "a2 is null"))

    text_of(alice.post(address("versions", fig2), {"restore": str(first)}, follow=True))
    assert api.read_draft(fig2).definition["triggers"][0]["predicate"] == before
    data = {"do": "publish", "version": str(first)}
    assert "is published" in text_of(alice.post(address("publish", fig2), data, follow=True))
    assert running(fig2) == before


@pytest.mark.parametrize(
    "query",
    ["?old=x", "?old=1", "?old=1&new=99999", "?format=yaml", "?format=yaml&version=99999999999", "?before=x"],
)
def test_any_query_is_answered(alice: Client, fig2: str, query: str) -> None:
    assert alice.get(address("versions", fig2, query)).status_code in (200, 404)


def test_a_flow_without_a_draft_says_how_to_get_one(alice: Client, fig2: str) -> None:
    assert "There is no draft to publish" in text_of(alice.get(address("publish", fig2)))
