"""The tab Versions: changes in sentences, what a version did, restoring."""

from __future__ import annotations

import html
import re

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from flows import api
from flows.tests.publication.drafting import button
from flows.tests.publication.publish_page import address, drafted, publish, running, text_of

# A version is recorded once per transaction.
pytestmark = pytest.mark.django_db(transaction=True)


def test_versions_are_compared_in_sentences_and_as_text(alice: Client, fig2: str) -> None:
    old = api.publications.list_versions(fig2)[0].version
    publish(alice, fig2, drafted(fig2, "a1 = 'ready' and a2 is null and a3 is null"))
    new = api.publications.list_versions(fig2)[0].version

    page = alice.get(address("versions", fig2, f"?old={old}&new={new}"))

    assert "now also requires" in text_of(page)
    assert "<ins>+" in page.content.decode() and "<del>-" in page.content.decode()
    assert text_of(alice.get(address("versions", fig2, f"?old=0&new={new}")))


def test_a_version_is_exported_as_a_file_that_can_be_loaded(alice: Client, fig2: str) -> None:
    version = api.publications.list_versions(fig2)[0].version

    answer = alice.get(address("versions", fig2, f"?format=yaml&version={version}"))

    assert answer["Content-Disposition"] == f'attachment; filename="{fig2}-{version}.yaml"'
    assert b"a2 is null" in answer.content and b"id:" not in answer.content


def test_an_earlier_version_is_restored_into_the_draft_and_published_again(alice: Client, fig2: str) -> None:
    first, before = api.publications.list_versions(fig2)[0].version, running(fig2)
    publish(alice, fig2, drafted(fig2, "a2 is null"))

    text_of(alice.post(address("versions", fig2), {"restore": str(first)}, follow=True))
    assert api.drafts.read(fig2).definition["triggers"][0]["predicate"] == before
    data = {"do": "publish", "version": str(first)}
    assert "is published" in text_of(alice.post(address("publish", fig2), data, follow=True))
    assert running(fig2) == before


def test_a_draft_of_an_earlier_version_is_brought_up_to_date_before_it_is_published(
    alice: Client, fig2: str
) -> None:
    """Another version was published again meanwhile; the trial says which definition it plays."""
    first, before = api.publications.list_versions(fig2)[0].version, running(fig2)
    publish(alice, fig2, drafted(fig2, "a2 is null"))
    draft = api.drafts.read(fig2)
    draft.definition["triggers"][0]["label"] = "Renamed"
    at = api.drafts.save(draft.at, draft.definition, actor="alice").at
    alice.post(address("publish", fig2), {"do": "publish", "version": str(first)})
    now = api.drafts.running_definition(fig2)[0]

    page = alice.get(address("publish", fig2))
    assert re.search(r'value="publish"\s+disabled', page.content.decode())
    assert "Bring the draft up to date first." in text_of(page)
    assert "What the draft changes This is computed when the draft is up to date." in text_of(page)
    publish(alice, fig2, at)
    assert running(fig2) == before
    tried = alice.get(address("try", fig2))
    assert f"It was made from version {now - 1}, but version {now} runs." in text_of(tried)
    assert f'href="?version={now}"' in tried.content.decode()
    tried = alice.post(address("try", fig2), {"do": "start", "version": str(now)})
    assert f"This tries version {now} on" in text_of(tried)
    assert f"<code>{html.escape(before)}</code>" in tried.content.decode()
    assert f'name="version" value="{now}"' in tried.content.decode()
    assert alice.get(address("try", fig2, "?version=999")).status_code == 404

    button(alice, fig2, "update")

    page = alice.get(address("publish", fig2)).content.decode()
    assert re.search(r'value="publish"\s+disabled data-waits', page), "until the impact is there"
    assert "is published" in publish(alice, fig2, api.drafts.read(fig2).at)


@pytest.mark.parametrize(
    "query",
    ["?old=x", "?old=1", "?old=1&new=99999", "?format=yaml", "?format=yaml&version=99999999999", "?before=x"],
)
def test_any_query_is_answered(alice: Client, fig2: str, query: str) -> None:
    assert alice.get(address("versions", fig2, query)).status_code in (200, 404)


@pytest.mark.parametrize("query", ["?old=x&new=1", "?old=1", "?format=yaml&version=999", "?format=json"])
def test_a_version_that_there_is_not_is_not_found(alice: Client, fig2: str, query: str) -> None:
    assert alice.get(address("versions", fig2, query)).status_code == 404


def test_restoring_without_a_number_opens_no_draft(alice: Client, fig2: str) -> None:
    page = alice.post(address("versions", fig2), {"restore": "x"}, follow=True)

    assert "note-error" in page.content.decode() and not api.drafts.list(fig2)


def test_a_flow_without_a_draft_says_how_to_get_one(alice: Client, fig2: str) -> None:
    assert "There is no draft to publish" in text_of(alice.get(address("publish", fig2)))


def test_changes_are_said_with_the_labels_of_rules_and_attributes(alice: Client, fig2: str) -> None:
    draft = api.drafts.open(fig2, actor="alice")
    first, _given, second = draft.definition["attributes"]
    first["label"], second["label"] = "Payment", "<Stock>"
    rule = draft.definition["triggers"][0]
    rule["label"] = "Ship the goods"
    rule["predicate"] = f"{rule['predicate']} and {second['name']} in ('x', 'y')"
    saved = api.drafts.save(draft.at, draft.definition, actor="alice")

    page = text_of(alice.get(address("publish", fig2)))
    assert "Rule Ship the goods now also requires <Stock> is one of 'x', 'y'." in page

    publish(alice, fig2, saved.at)
    versions = [each.version for each in api.publications.list_versions(fig2)]
    compared = text_of(alice.get(address("versions", fig2, f"?old={versions[1]}&new={versions[0]}")))
    assert "Rule Ship the goods now also requires <Stock> is one of 'x', 'y'." in compared


def test_the_page_says_how_many_instances_are_left(alice: Client, fig2: str) -> None:
    for _ in range(3):
        api.instances.start(fig2, {"a1": "ready"})
    at = drafted(fig2, "a1 = 'ready' and a2 is null and a3 is null")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("set local wedsql.rematch_at_once = 0")
        done = api.publications.request(at, actor="alice")
    assert "0 of 3 living instances are matched again" in text_of(alice.get(address("publish", fig2)))

    report = api.instances.finish_rematch(fig2, done.version or 0)

    assert report and (report.checked, report.left) == (3, 0)
    assert "are matched again" not in text_of(alice.get(address("publish", fig2)))


def test_the_page_says_which_version_ended_a_re_match(alice: Client, fig2: str) -> None:
    api.instances.start(fig2, {"a1": "ready"})
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("set local wedsql.rematch_at_once = 0")
        done = api.publications.request(drafted(fig2, "a3 is null"), actor="alice")
    api.flows.publish(fig2, api.flows.definition(fig2) | {"label": "Other"})
    page = text_of(alice.get(address("publish", fig2)))
    assert f"Version {(done.version or 0) + 1} replaced it when 0 instances were matched again" in page


def test_a_version_shows_what_it_did_and_which_instances_it_started(alice: Client, fig2: str) -> None:
    old = api.publications.list_versions(fig2)[0].version
    before = api.instances.start_many(fig2, [{}] * 3)
    publish(alice, fig2, drafted(fig2, "a1 = 'never'"), withdraw="0")
    new = api.publications.list_versions(fig2)[0].version
    after = api.instances.start_many(fig2, [{}] * 2)

    page = alice.get(address("versions", fig2))

    listing = reverse("monitor:flow", args=[fig2])
    counts = re.findall(rf'href="{listing}\?q=version:(\d+)"[^>]*>\s*(\d+)\s', page.content.decode())
    assert counts == [(str(new), "2"), (str(old), "3")]
    text = text_of(page)
    assert re.search(
        rf"{new} ▶ runs now .* because .* It did what was predicted. .* jobs were withdrawn 3 3", text
    )
    assert re.search(rf" {old} .* no prediction", text)
    for version, started in ((old, before), (new, after)):
        shown = alice.get(f"{listing}?q=version:{version}").content.decode()
        rows = sorted(map(int, re.findall(r'<tr id="wid-(\d+)"', shown)))
        assert rows == [each.wid for each in started]  # type: ignore[union-attr]
        counted = text_of(alice.get(f"{listing}?q=version:{version}&exact=1"))
        assert f"{len(started)} instances" in counted
