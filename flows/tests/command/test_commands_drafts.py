"""The commands flowdraft, flowdiff and flowgroups: their effects, their JSON and their exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError
from django.db import transaction

from flows import api
from flows.management.base import Rejected, Usage
from flows.tests.commands import run
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db
FIRST = "attributes: [{name: a}, {name: b}]\ntriggers: [{transition: tr_x, predicate: a is null}]\n"
SECOND = FIRST.replace("a is null", "a is null and b is null")


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A flow that was published from first.yaml; second.yaml has a change."""
    monkeypatch.chdir(tmp_path)
    Path("first.yaml").write_text(FIRST)
    Path("second.yaml").write_text(SECOND)
    name = unique()
    run("flow", "draft", "open", name, "--file", "first.yaml", "--actor", "ann")
    run("flow", "draft", "publish", name, "--actor", "ann")
    return name


def refused(kind: type[CommandError], *command: str) -> CommandError:
    with pytest.raises(kind) as caught, transaction.atomic():
        run(*command)
    return caught.value


def test_a_saved_file_keeps_the_numbers_of_what_runs(published: str) -> None:
    before = api.drafts.read(published).definition
    saved = json.loads(
        run("flow", "draft", "save", published, "--file", "second.yaml", "--revision", "2", "--json")
    )
    after = api.drafts.read(published).definition
    assert saved["revision"] == 3
    assert [each["id"] for each in after["triggers"]] == [each["id"] for each in before["triggers"]]
    assert [each["id"] for each in after["attributes"]] == [each["id"] for each in before["attributes"]]


def test_a_file_of_an_old_revision_is_not_saved(published: str) -> None:
    run("flow", "draft", "save", published, "--file", "second.yaml", "--revision", "2")
    error = refused(Rejected, "flowdraft", "save", published, "--file", "first.yaml", "--revision", "2")
    assert error.returncode == 1
    assert api.drafts.read(published).revision == 3


def test_what_show_writes_is_what_save_reads(published: str) -> None:
    Path("shown.yaml").write_text(run("flow", "draft", "show", published))
    assert "revision 2" in Path("shown.yaml").read_text()
    run("flow", "draft", "save", published, "--file", "shown.yaml", "--revision", "2")
    assert run("flow", "diff", f"{published}:main", published) == ""


def test_merge_takes_what_was_published_meanwhile(published: str) -> None:
    run("flow", "draft", "save", published, "--file", "second.yaml", "--revision", "2")
    api.flows.publish(published, api.flows.definition(published) | {"label": "Meanwhile"})
    assert "version" in str(refused(Rejected, "flowdraft", "publish", published))
    run("flow", "draft", "merge", published)
    run("flow", "draft", "publish", published)
    now = api.flows.definition(published)
    assert (now["label"], now["triggers"][0]["predicate"]) == ("Meanwhile", "a is null and b is null")


def test_contradictions_are_not_merged(published: str) -> None:
    run("flow", "draft", "save", published, "--file", "second.yaml", "--revision", "2")
    definition = api.flows.definition(published)
    definition["triggers"][0]["predicate"] = "b is null"
    api.flows.publish(published, definition)
    assert "triggers/0/predicate" in str(refused(Rejected, "flowdraft", "merge", published))
    assert api.drafts.read(published).revision == 3


def test_a_request_is_rejected_or_withdrawn(published: str) -> None:
    api.flows.publish(published, api.flows.definition(published) | {"needs_approval": True})
    for decision in ("reject", "withdraw"):
        request = json.loads(
            run("flow", "draft", "rollback", published, "--from-version", "1", "--json", "--actor", "ann")
        )
        assert request["status"] == "requested"
        run("flow", "draft", decision, str(request["id"]), "--note", "no", "--actor", "bob")
    listed = json.loads(run("flow", "draft", "requests", published, "--json"))
    assert [one["status"] for one in listed] == ["withdrawn", "rejected", "published"]


def test_drafts_are_listed_and_discarded(published: str) -> None:
    assert published in run("flow", "draft", "list")
    run("flow", "draft", "discard", published)
    assert run("flow", "draft", "list", published) == "There are no drafts.\n"


def test_a_publication_at_a_time_waits(published: str) -> None:
    run("flow", "draft", "save", published, "--file", "second.yaml", "--revision", "2")
    assert "approved for 20" in run("flow", "draft", "publish", published, "--at", "2030-01-31T22:00")
    refused(Rejected, "flowdraft", "publish", published, "--at", "2001-01-01")


@pytest.mark.parametrize(
    "command",
    [
        ("flowdraft", "approve", "orders"),
        ("flowdraft", "open"),
        ("flowdraft", "save", "orders"),
        ("flowdraft", "rollback", "orders"),
        ("flowdraft", "open", "orders", "--file", "absent.yaml"),
        ("flowdiff", "absent.yaml", "other.yaml"),
        ("flowdiff", "Not a name", "orders"),
    ],
)
def test_a_wrong_command_line_has_exit_code_2(command: tuple[str, ...]) -> None:
    assert refused(Usage, *command).returncode == 2


def test_flowdiff_says_the_difference_and_has_exit_code_1(published: str) -> None:
    assert run("flow", "diff", "first.yaml", published) == ""
    assert json.loads(run("flow", "diff", f"{published}@1", published, "--json")) == {
        "different": False,
        "changes": [],
        "order": [],
    }
    assert refused(Rejected, "flowdiff", published, "second.yaml").returncode == 1
    assert refused(Rejected, "flowdiff", published, f"{published}@9").returncode == 1
    assert refused(Rejected, "flowdiff", "absent", published).returncode == 1
    Path("order.yaml").write_text(FIRST.replace("[{name: a}, {name: b}]", "[{name: b}, {name: a}]"))
    assert refused(Rejected, "flowdiff", published, "order.yaml").returncode == 1


def test_flowgroups_creates_the_groups_once(published: str) -> None:
    assert "flow approvers" in run("flow", "groups")
    assert run("flow", "groups") == "All these groups exist.\n"
    Group.objects.filter(name__startswith=f"flow:{published}").delete()
    made = json.loads(run("flow", "groups", "--flow", published, "--json"))["created"]
    assert f"flow:{published}:approve" in made and len(made) == 11
    assert Group.objects.filter(name__in=made).count() == 11


def test_an_example_of_the_gallery_opens_with_its_scenarios() -> None:
    name = unique()
    said = run("flow", "draft", "open", name, "--from-gallery", "loan", "--actor", "ann")
    assert said == f"Draft main of flow {name} is at revision 1, made from version 0.\n"
    assert len(api.drafts.read(name).definition["triggers"]) == 6
    assert run("flow", "test", name, f"{name}:main").count(": as expected.") == 3
    assert "no example nowhere: sequence" in str(
        refused(Usage, "flowdraft", "open", unique(), "--from-gallery", "nowhere")
    )
