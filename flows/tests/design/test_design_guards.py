"""What the tabs of a flow refuse: missing rights, foreign flows and instances, texts that are too long."""

from __future__ import annotations

import html
import io
import re
import zipfile
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from flows import api
from flows.designer.editor.files import LARGEST
from flows.designer.publication.page import LONGEST_REASON
from flows.models import Flow
from flows.tests.designer import browser
from flows.tests.pages import unique
from flows.types import DraftAt

pytestmark = pytest.mark.django_db(transaction=True)


def address(tab: str, flow: str, query: str = "") -> str:
    return reverse(f"admin:flows_flow_{tab}", args=[Flow.objects.get(name=flow).pk]) + query


def text_of(page: Any) -> str:
    assert page.status_code == 200, page.status_code
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", page.content.decode()).split()))


def member(*groups: str) -> Client:
    """Return the browser of a user with no other right than those of the groups."""
    user = User.objects.create_user(unique("u"))
    user.groups.set([Group.objects.get_or_create(name=group)[0] for group in groups])
    return browser(user)


def drafted(flow: str, predicate: str = "a1 = 'never'") -> DraftAt:
    draft = api.drafts.open(flow, actor="alice")
    draft.definition["triggers"][0]["predicate"] = predicate
    return api.drafts.save(draft.at, draft.definition, actor="alice").at


@pytest.fixture
def other(alice: Client) -> str:
    """Another flow, which was published once."""
    name = unique()
    rules = [
        {"transition": "tr_other", "predicate": "b is null"},
        {"predicate": "b is not null", "final": True},
    ]
    definition = {"attributes": [{"name": "b"}, {"name": "a2"}], "triggers": rules}
    draft = api.drafts.open(name, definition=definition, actor="alice")
    api.publications.request(draft.at, actor="alice")
    return name


TABS = ["publish", "impact", "versions", "whatif", "try", "checks", "picture", "scenarios", "text"]


@pytest.mark.parametrize("tab", TABS)
def test_who_sees_another_flow_only_finds_nothing(fig2: str, other: str, tab: str) -> None:
    client = member(f"flow:{other}")

    assert client.get(address(tab, fig2)).status_code == 404
    assert client.get(address(tab, other)).status_code == 200


def test_the_form_with_everything_at_once_is_for_staff(alice: Client, fig2: str) -> None:
    designer = member(f"flow:{fig2}:design")

    assert "All at once" in text_of(alice.get(address("rules", fig2)))
    assert "All at once" not in text_of(designer.get(address("rules", fig2)))


@pytest.mark.parametrize(
    ("tab", "data"),
    [
        ("publish", {"do": "publish"}),
        ("publish", {"do": "approve:1"}),
        ("versions", {"restore": "1"}),
        ("checks", {"do": "acknowledge", "finding": "x", "reason": "x"}),
        ("try", {"do": "save", "name": "x"}),
        ("try", {"do": "delete", "name": "x"}),
        ("text", {"do": "save", "text": "attributes: []"}),
        ("text", {"do": "upload"}),
    ],
)
def test_who_may_only_see_changes_nothing(fig2: str, tab: str, data: dict[str, str]) -> None:
    revision = drafted(fig2).revision

    assert member(f"flow:{fig2}").post(address(tab, fig2), data).status_code == 404

    assert api.drafts.read(fig2).revision == revision and not api.publications.list(fig2)


@pytest.mark.parametrize(
    ("group", "action"), [("publish", "approve:1"), ("publish", "reject:1"), ("approve", "publish")]
)
def test_publishing_and_approving_are_two_rights(fig2: str, group: str, action: str) -> None:
    client = member(f"flow:{fig2}:{group}")

    assert client.post(address("publish", fig2), {"do": action}).status_code == 404


def test_a_long_reason_and_a_long_note_are_cut(alice: Client, fig2: str) -> None:
    at = drafted(fig2)
    alice.post(
        address("publish", fig2),
        {
            "do": "publish",
            "revision": str(at.revision),
            "reason": "r" * 5_000,
            "publish_at": "2030-01-01T00:00",
        },
    )
    made = api.publications.list(fig2)[0]
    assert made.reason == "r" * LONGEST_REASON

    alice.post(address("publish", fig2), {"do": f"withdraw:{made.id}", "note": "n" * 5_000})
    assert api.publications.read(made.id).note == "n" * LONGEST_REASON


@pytest.mark.parametrize(
    "data",
    [
        {"publish_at": "2026-13-45T00:00"},
        {"publish_at": "0001-01-01T00:00"},
        {"withdraw": "999999999"},
        {"withdraw": "-1"},
        {"later": "x"},
        {"later": "77"},
        {"reason": "a\0b"},
        {"confirmed": "\0" * 64},
        {"version": "99999"},
        {"version": "-1"},
    ],
)
def test_a_hostile_parameter_publishes_nothing_or_does_not_count(
    alice: Client, fig2: str, data: dict[str, str]
) -> None:
    at = drafted(fig2)

    page = alice.post(
        address("publish", fig2), {"do": "publish", "revision": str(at.revision)} | data, follow=True
    )

    assert page.status_code in (200, 404)
    made = api.publications.list(fig2)
    assert not made or made[0].choices == {"withdraw": [], "later": [], "keep_exceptions": False}


@pytest.mark.parametrize("version", ["99999", "-1", "0", "x", "99999999999"])
def test_a_version_that_there_is_not_is_neither_shown_nor_restored(
    alice: Client, fig2: str, version: str
) -> None:
    revision = drafted(fig2).revision
    if version != "x" and version != "99999999999":  # what is no number is left out
        assert alice.get(address("publish", fig2, f"?version={version}")).status_code in (200, 404)
    assert alice.get(address("versions", fig2, f"?old=0&new={version}")).status_code in (200, 404)

    alice.post(address("versions", fig2), {"restore": version})

    assert api.drafts.read(fig2).revision == revision


@pytest.mark.parametrize("kind", ["exe", "__class__", "yaml/../x", ""])
def test_an_unknown_format_exports_nothing(alice: Client, fig2: str, kind: str) -> None:
    version = api.publications.list_versions(fig2)[0].version
    for tab in ("versions", "picture"):
        page = alice.get(address(tab, fig2), {"format": kind, "version": str(version)})
        assert page.status_code == 200 and "Content-Disposition" not in page


def test_a_trial_does_not_begin_with_the_state_of_another_flow(alice: Client, fig2: str, other: str) -> None:
    foreign = api.instances.start(other, {"a2": "b"})
    secret = api.instances.start_many(fig2, [{"a2": "a secret"}])[0].wid  # type: ignore[union-attr]

    page = member(f"flow:{other}").get(address("try", other, f"?wid={secret}"))

    assert page.status_code == 200 and "a secret" not in page.content.decode()
    assert "a secret" in alice.get(address("try", fig2, f"?wid={secret}")).content.decode()
    for wid in (foreign, 2**31 - 1, -1):
        assert alice.get(address("try", fig2, f"?wid={wid}")).status_code == 200


def package(content: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as files:
        files.writestr("a/definition.yaml", content)
    return made.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("big.yaml", b"x" * (LARGEST + 1), "bytes; at most"),
        ("big.zip", package(b"x" * (LARGEST + 1)), "bytes; at most"),
        ("some.zip", b"PK no package", "cannot be opened"),
        ("some.exe", b"attributes: []", "whose names end in"),
        ("some.yaml", b"\xff\xfe", "UTF-8"),
    ],
)
def test_a_file_that_is_no_definition_is_not_read(
    alice: Client, fig2: str, name: str, content: bytes, says: str
) -> None:
    page = alice.post(
        address("text", fig2), {"do": "upload", "file": SimpleUploadedFile(name, content)}, follow=True
    )

    assert says in text_of(page)
    assert not api.drafts.list(fig2)


@pytest.mark.parametrize("example", ["nothing", "__init__", "demo"])
def test_an_unknown_example_is_not_found(alice: Client, example: str) -> None:
    assert alice.get(f"/admin/flows/flow/gallery/{example}/").status_code == 404


@pytest.mark.parametrize("flow", ["1x", "a b", "x'); import os", "ü"])
def test_the_code_of_an_example_is_for_no_other_name_than_one_of_a_flow(alice: Client, flow: str) -> None:
    page = alice.get("/admin/flows/flow/gallery/loan/", {"flow": flow, "handlers": ""})

    assert page.status_code == 200 and flow not in page.content.decode()


def test_only_a_time_limit_leaves_a_publication_to_the_reaper(
    alice: Client, fig2: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at, real, tried = drafted(fig2), api.publications.request, []

    def request(*given: Any, **more: Any) -> Any:
        tried.append(given)
        return real(*given, **more)

    monkeypatch.setattr(api.publications, "request", request)
    page = alice.post(address("publish", fig2), {"do": "publish", "revision": str(at.revision - 1)})

    assert "note-error" in page.content.decode() and len(tried) == 1


def test_a_draft_with_problems_or_of_a_new_flow_is_not_examined(alice: Client, fig2: str) -> None:
    drafted(fig2, "nowhere = 1")
    new = unique()
    definition = {"attributes": [{"name": "a"}], "triggers": [{"predicate": "a = '1'", "final": True}]}
    api.drafts.open(new, definition=definition, actor="alice")
    pages = (address("publish", fig2), reverse("admin:flows_flow_new_publish", args=[new]))

    for page in pages:
        answer = alice.post(page, {"do": "examine"})
        assert answer.status_code == 200 and "examined" not in answer.context
