"""Who asked for something that happens later and has lost the right since has no effect by it any more."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from flows import api
from flows.capabilities.approvals import approvers
from flows.capabilities.approvals.api import ApprovalRule
from flows.capabilities.bulk.api import BulkRequest
from flows.tests.commands import refused, run
from flows.tests.pages import unique
from flows.types import PublicationChoices
from flows.users import requesters

pytestmark = pytest.mark.django_db
LOST = "WD304"
RULE: dict[str, Any] = {"transition": "tr_a", "predicate": "a is null", "max_attempts": 1}
DEFINITION: dict[str, Any] = {"attributes": [{"name": "a"}], "triggers": [RULE]}


@dataclass
class Office:
    """A flow, the person who asks for things in it, and one who approves them."""

    flow: str
    asks: User
    approves: User

    def wid(self) -> int:
        return api.instances.start(self.flow)


@pytest.fixture
def office(db: None) -> Iterator[Office]:
    name = unique()
    api.flows.create(name)
    api.flows.publish(name, DEFINITION)
    found = []
    for title, actions in (("ann", ("operate", "repair", "design", "publish")), ("bob", ("approve_repair",))):
        user = User.objects.create_user(f"{title}_{name}")
        groups = [Group.objects.get_or_create(name=f"flow:{name}:{each}")[0] for each in actions]
        user.groups.set(groups)
        found.append(user)
    yield Office(name, *found)


def deactivated(user: User) -> None:
    user.is_active = False
    user.save()


def removed(user: User) -> None:
    """Remove the user from the groups, but that of one who sees the flow."""
    user.groups.remove(*user.groups.exclude(name__endswith=":design"))
    user.groups.remove(*user.groups.filter(name__endswith=":design"))


LOSSES = {"deactivated": deactivated, "removed from the groups": removed, "kept": lambda _user: None}


def many(office: Office) -> Callable[[], str]:
    """Ask for a suspension of many."""
    request = BulkRequest("suspend", "So.")
    wids = [office.wid(), office.wid()]
    made = api.bulk.request(request, wids, expected=2, actor=office.asks.username)

    def answer() -> str:
        requesters.end_lost()
        api.bulk.continue_bulk()
        rows = api.bulk.rows(made.id)
        found = {row.sqlstate or row.result for row in rows}
        assert api.bulk.read(made.id).state == "finished" and len(found) == 1
        assert (found == {"done"}) == all(status(wid) == "S" for wid in wids)
        return found.pop()

    return answer


def status(wid: int) -> str:
    return str(api.reasons.explain_instance(wid).status)


def draft_of(office: Office) -> Any:
    draft = api.drafts.open(office.flow, actor=office.asks.username)
    return api.drafts.save(draft.at, dict(draft.definition) | {"label": "New"}, actor=office.asks.username).at


def scheduled(office: Office) -> Callable[[], str]:
    """Ask for a publication at a time that has come."""
    at = timezone.now() + timedelta(hours=1)
    made = api.publications.request(
        draft_of(office), PublicationChoices("So.", publish_at=at), actor=office.asks.username
    )

    def answer() -> str:
        with connection.cursor() as cursor:
            cursor.execute("update wedsql.publication set publish_at = now() where id = %s", [made.id])
        requesters.end_lost()
        api.publications.publish_due()
        return published(made.id)

    return answer


def published(number: int) -> str:
    found = api.publications.read(number)
    return "done" if found.status == "published" else str(found.sqlstate)


def requested(office: Office) -> Callable[[], str]:
    """Ask for a publication that another person approves."""
    api.flows.publish(office.flow, DEFINITION | {"needs_approval": True})
    made = api.publications.request(draft_of(office), PublicationChoices("So."), actor=office.asks.username)

    def answer() -> str:
        requesters.approve_publication(made.id, actor="zoe")
        return published(made.id)

    return answer


def proposed(number: int, office: Office) -> Callable[[], str]:
    def answer() -> str:
        client = Client()
        client.force_login(office.approves)
        client.post(f"/cases/proposals/{number}/approve/", {"text": ""})
        found = api.approvals.read(number)
        return found.failure.code if found.failure else "done" if found.state == "applied" else found.state

    return answer


def one(office: Office) -> Callable[[], str]:
    api.approvals.save_rules(office.flow, [ApprovalRule(1)], actor="x")
    made = api.approvals.propose(office.wid(), "suspend", {}, "So.", actor=office.asks.username)
    return proposed(made.number, office)


def many_proposed(office: Office) -> Callable[[], str]:
    api.approvals.save_rules(office.flow, [ApprovalRule(1)], actor="x")
    request = BulkRequest("suspend", "So.", propose=True)
    made = api.bulk.request(request, [office.wid()], expected=1, actor=office.asks.username)
    assert made.proposal
    return proposed(made.proposal, office)


def rules(office: Office) -> Callable[[], str]:
    api.approvals.save_rules(office.flow, [ApprovalRule(1)], actor="x")
    made = api.approvals.propose_rules(office.flow, [], "So.", actor=office.asks.username)
    return proposed(made.number, office)


KINDS = {
    "many": many, "scheduled": scheduled, "requested": requested, "proposal": one,
    "proposal of many": many_proposed, "proposal of rules": rules,
}  # fmt: skip


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_request_is_performed_by_the_right_that_its_person_has_then(
    office: Office, kind: str, loss: str
) -> None:
    answer = KINDS[kind](office)
    LOSSES[loss](office.asks)
    assert answer() == ("done" if loss == "kept" else LOST)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("door", ["page", "command"])
def test_who_has_lost_the_right_to_approve_approves_nothing(office: Office, door: str, loss: str) -> None:
    """Also by a rule that names no group, where the database compares none."""
    api.approvals.save_rules(office.flow, [ApprovalRule(1)], actor="x")
    made = api.approvals.propose(office.wid(), "suspend", {}, "So.", actor=office.asks.username)
    LOSSES[loss](office.approves)
    if door == "page":
        proposed(made.number, office)()
    elif loss == "kept":
        run("cases", "approve", str(made.number), "--actor", office.approves.username)
    else:
        for verb in ("approve", "reject"):
            said = refused(
                "cases", verb, str(made.number), "No.", "--actor", office.approves.username.upper()
            )
            assert "may not approve" in said
    assert api.approvals.read(made.number).state == ("applied" if loss == "kept" else "proposed")


def test_a_giver_who_has_lost_the_right_gives_nothing(office: Office) -> None:
    """Nor does one who has it by another person pass it on."""
    clerk = User.objects.create_user(f"cid_{office.flow}")
    clerk.groups.add(Group.objects.get_or_create(name=f"flow:{office.flow}")[0])
    last = User.objects.create_user(f"dan_{office.flow}")
    last.groups.add(*clerk.groups.all())
    until = timezone.now() + timedelta(days=1)
    for giver, to in ((office.approves, clerk), (clerk, last)):
        api.approvals.delegate(office.flow, giver.username, to.username, until)
    assert approvers.may_approve(User.objects.get(pk=clerk.pk), office.flow)
    assert not approvers.may_approve(User.objects.get(pk=last.pk), office.flow)
    deactivated(office.approves)
    assert not approvers.may_approve(User.objects.get(pk=clerk.pk), office.flow)


@pytest.mark.parametrize("to", ["{0}", "{0} ", "\u200b{0}", "upper"])
def test_approving_is_not_delegated_to_oneself(office: Office, to: str) -> None:
    name = office.approves.username
    named = name.upper() if to == "upper" else to.format(name)
    until = (timezone.now() + timedelta(days=1)).isoformat()
    line = ["cases", "delegate", "--flow", office.flow, "--actor", name, "--to", named, "--until", until]
    assert "from one person to another" in refused(*line)


@pytest.mark.parametrize("other", ["{0}", "\u200b{0}", "{0}\u00a0", "upper"])
def test_the_requester_approves_no_publication_by_another_spelling(office: Office, other: str) -> None:
    requested(office)
    (waiting,) = api.publications.list(office.flow, only_open=True)
    name = office.asks.username
    given = name.upper() if other == "upper" else other.format(name)
    said = refused("flowdraft", "approve", str(waiting.id), "--actor", given)
    assert "cannot approve it" in said


def test_the_reaper_may_read_the_rights(office: Office) -> None:
    many(office)
    deactivated(office.asks)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("set local role wed_reaper")
        assert requesters.end_lost() == 1


def test_what_commands_and_programs_ask_for_needs_no_account(office: Office) -> None:
    made = api.bulk.request(BulkRequest("suspend", "So."), [office.wid()], expected=1, actor="cron")
    assert requesters.end_lost() == 0 and api.bulk.read(made.id).state == "running"


def test_each_door_approves_by_the_functions_that_look_at_the_maker() -> None:
    """A page, command or address that calls the kernel's function itself would not look."""
    found = set()
    for package in ("flows", "monitor", "workers", "wedsql_site"):
        for path in (Path(settings.BASE_DIR) / package).rglob("*.py"):
            if {"tests", "migrations"} & set(path.parts):
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Attribute) and node.attr == "approve":
                    owner = ast.unparse(node.value)
                    if owner.endswith((".approvals", ".publications")):
                        found.add(path.relative_to(settings.BASE_DIR).as_posix())
    assert found == {"flows/capabilities/approvals/approvers.py", "flows/users/requesters.py"}
