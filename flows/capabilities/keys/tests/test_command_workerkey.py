"""manage.py workerkey."""

from __future__ import annotations

import pytest
from django.db import transaction

from flows import api
from flows.errors import WorkerKeyRejected
from flows.models import Trigger
from flows.tests.commands import answer, refused, run
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db


@pytest.fixture
def flow() -> str:
    name = unique()
    api.flows.create(name)
    triggers = [{"transition": each, "predicate": "a is null"} for each in ("tr_pack", "tr_charge")]
    api.flows.publish(name, {"attributes": [{"name": "a"}], "triggers": triggers, "worker_keys": True})
    return name


def test_a_key_is_created_rotated_listed_and_revoked(flow: str) -> None:
    name = f"k-{flow}"
    made = answer("workerkey", "create", name, "--flow", f"{flow}:tr_pack", "--days", "30", "--actor", "ann")
    assert made["name"] == name and api.workers.log_in(made["key"]) == name
    rotated = run("workerkey", "rotate", name, "--grace", "0").strip()
    with pytest.raises(WorkerKeyRejected), transaction.atomic():
        api.workers.log_in(made["key"])
    assert api.workers.log_in(rotated) == name
    (listed,) = [key for key in answer("workerkey", "list", "--limit", "200") if key["name"] == name]
    assert (listed["scope"], listed["created_by"]) == ({flow: ["tr_pack"]}, "ann")
    table = run("workerkey", "list", "--limit", "200")
    assert f"{flow}:tr_pack" in table and rotated not in table
    ended = run("workerkey", "revoke", name, "--reason", "sold")
    assert ended == f"The worker key {name} is revoked. Leases released: 0.\n"
    with pytest.raises(WorkerKeyRejected), transaction.atomic():
        api.workers.log_in(rotated)
    assert name not in run("workerkey", "list") and "sold" in run("workerkey", "list", "--all")


def test_a_key_of_a_role_is_for_its_transitions(flow: str) -> None:
    Trigger.objects.filter(flow__name=flow, transition="tr_pack").update(role="Clerk")
    name = f"k-{flow}"
    run("workerkey", "create", name, "--flow", flow, "--role", "Clerk")
    (listed,) = [key for key in answer("workerkey", "list", "--limit", "200") if key["name"] == name]
    assert listed["scope"] == {flow: ["tr_pack"]}
    said = refused("workerkey", "create", f"l-{flow}", "--flow", flow, "--role", "Boss")
    assert f'Flow "{flow}" has no transition of the role "Boss".' in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["list", "x"], "“list” takes no name."),
        (["create"], "“create” needs the name of a key."),
        (["create", "x", "--flow", "a", "--days", "0"], "--days"),
        (["create", "x", "--flow", "a:"], "FLOW:TRANSITION"),
        (["create", "x", "--flow", "a", "--flow", "a:t"], "FLOW:TRANSITION"),
        (["create", "x", "--flow", "a:t", "--role", "Clerk"], "--role is for each --flow"),
        (["create", "x", "--role", "Clerk"], "--role is for each --flow"),
        (["rotate", "x", "--grace", "721"], "--grace"),
    ],
)
def test_a_wrong_line_is_rejected(words: list[str], says: str) -> None:
    assert says in refused("workerkey", *words, code=2)


def test_the_parser_rejects_what_is_no_number() -> None:
    assert "--grace" in refused("workerkey", "rotate", "x", "--grace", "nan")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["create", "x"], "at least one flow"),
        (["create", "x", "--flow", "nowhere"], "There is no flow"),
        (["revoke", "no-such-key", "--reason", "x"], "There is no worker key"),
    ],
)
def test_what_the_kernel_rejects_is_one_sentence(words: list[str], says: str) -> None:
    assert says in refused("workerkey", *words)
