"""Approvals by manage.py, and the examples of docs/approvals.md."""

from __future__ import annotations

import json
import re
import shlex
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.core.management import call_command
from django.db import connection

from flows import api
from flows.capabilities.approvals import approvers
from flows.tests.command.consoles import sessions
from flows.tests.command.test_command_repair import rejected
from flows.tests.commands import answer, refused, run, write

pytestmark = pytest.mark.django_db
PAGE = (Path(__file__).parents[4] / "docs/approvals.md").read_text()
RULES = PAGE.partition("```json\n")[2].partition("```")[0]


@pytest.fixture
def wid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """An order that is an exception, with the rules of the page; bob is of finance, eve is not."""
    api.flows.create("orders")
    attributes = [{"name": "refund", "type": "integer"}]
    triggers = [
        {"transition": "tr_pay", "predicate": "refund is null"},
        {"predicate": "refund = -1", "final": True},
    ]
    api.flows.publish("orders", {"attributes": attributes, "triggers": triggers})
    monkeypatch.chdir(tmp_path)
    write(tmp_path, RULES, "rules.json")
    write(tmp_path, "[]", "fewer.json")
    person("bob", "finance")
    person("eve")
    run("cases", "approvals", "--flow", "orders", "--file", "rules.json")
    return exception()


def exception() -> int:
    wid = api.instances.start("orders")
    job = api.jobs.lease_many("orders", ["tr_pay"], 1, "worker")[0]
    assert api.jobs.complete(job, {"refund": 0}).status == "E"
    return wid


def person(name: str, *groups: str) -> User:
    user = User.objects.create_user(name)
    user.groups.set([Group.objects.get_or_create(name=each)[0] for each in ("flow:orders", *groups)])
    user.user_permissions.set(Permission.objects.filter(codename="approve_repair"))
    return user


def test_the_examples_of_the_page(wid: int) -> None:
    person("dan", "finance")
    numbers: dict[str, str] = {"17": str(wid)}  # those of the page, with those that they have here
    shown = sessions(PAGE)
    assert len(shown) == 13
    for command, printed in shown:
        line = [numbers.get(word, word) for word in shlex.split(command)[2:]]
        if "--until" in line:
            line[-1] = str(datetime.now(UTC) + timedelta(days=9))
        if line[0] == "controls":
            header, *lines = run(*line).splitlines()
            assert header.split() == printed.splitlines()[0].split() and "approval_rule" in "".join(lines)
            continue
        if printed.startswith("Rejected: "):
            assert rejected(*line) == here(printed.removeprefix("Rejected: "), numbers).strip()
            continue
        if "--where" in line:
            for _ in range(2):
                exception()
        found = run(*line)
        if named := re.match(r"Proposal (\d+)", printed):
            numbers[named[1]] = found.split()[1].rstrip(":")
        if printed:
            assert timeless(found).splitlines() == timeless(here(printed, numbers)).splitlines()
    program = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert program is not None
    made: dict[str, Any] = {}
    exec(program[1].replace("17", str(exception())), made)  # noqa: S102 - the program of our document
    assert made["done"].state == "applied"


def here(text: str, numbers: dict[str, str]) -> str:
    """Return a text of the page with the numbers of instances and proposals that they have here."""
    return re.sub(r"\b(instance|[Pp]roposal) (\d+)", lambda m: f"{m[1]} {numbers.get(m[2], m[2])}", text)


def timeless(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "TIME", text)


def test_proposals_are_listed_rejected_and_withdrawn(wid: int) -> None:
    line = ("repair", str(wid), "patch", "refund=600", "--reason", "x", "--actor", "ann", "--propose")
    made = answer(*line)
    assert (made["state"], made["needed"], made["approvers"]) == ("proposed", 1, ["finance"])
    assert "needs approvals: 1" in run("repair", str(wid), "patch", "refund=600", "--dry-run")
    assert [each["number"] for each in answer("cases", "proposals", "--flow", "orders")] == [made["number"]]
    assert "0 of 1" in run("cases", "proposals")
    assert [each["state"] for each in answer("cases", "list", "--state", "proposed")] == ["proposed"]
    number = str(made["number"])
    assert "Only ann" in rejected("cases", "withdraw", number, "--actor", "bob")
    assert answer("cases", "reject", number, "No.", "--actor", "bob")["state"] == "rejected"
    number = str(answer(*line)["number"])
    assert answer("cases", "withdraw", number, "--actor", "ann")["state"] == "withdrawn"
    assert [each["state"] for each in answer("cases", "proposals", "--closed")] == ["withdrawn", "rejected"]
    for bad in (("delegate",), ("approvals",), ("approve",), ("proposals", "3")):
        refused("cases", *bad, code=2)
    assert "cannot be read" in refused("cases", "approvals", "--flow", "orders", "--file", "none.json")


def test_a_delegate_approves_with_the_groups_of_who_delegated(wid: int) -> None:
    bob, eve = User.objects.get(username="bob"), User.objects.get(username="eve")
    made = api.approvals.propose(wid, "patch", {"changes": {"refund": 600}}, "x", actor="ann")
    eve.user_permissions.clear()
    assert not approvers.may_approve(again(eve), "orders") and approvers.to_approve(again(bob)) == [
        made.number
    ]
    until = "2099-12-01T00:00"
    assert "366 days" in rejected("cases", "delegate", "--flow", "orders", "--to", "eve", "--until", until)
    with connection.cursor() as cursor:
        cursor.execute("select (wedsql.now() + interval '9 days')::text")
        until = cursor.fetchone()[0][:19]
    (given,) = answer(
        "cases", "delegate", "--flow", "orders", "--actor", "bob", "--to", "eve", "--until", until
    )
    assert approvers.may_approve(again(eve), "orders") and approvers.approver_groups(eve, "orders") == [
        "finance"
    ]
    assert approvers.can_approve(again(eve), made) and approvers.to_approve(again(eve)) == [made.number]
    bob.user_permissions.clear()
    assert not approvers.may_approve(again(eve), "orders"), "who delegated may no longer approve"
    bob.user_permissions.set(Permission.objects.filter(codename="approve_repair"))
    done = answer("cases", "approve", str(made.number), "--actor", "eve")
    assert (done["state"], done["votes"][0]["on_behalf"]) == ("applied", ["bob"])
    run("cases", "end-delegation", str(given["id"]))
    assert answer("cases", "delegations") == []


def again(user: User) -> User:
    """Return the user with the permissions that it has now."""
    return User.objects.get(pk=user.pk)


def test_rules_become_weaker_by_a_proposal_or_an_administrator(wid: int, tmp_path: Path) -> None:
    write(tmp_path, "[]", "none.json")
    User.objects.get(username="bob").groups.add(Group.objects.create(name="flow:orders:design"))
    line = ("cases", "approvals", "--flow", "orders", "--actor", "bob")
    assert "needs approvals by two other persons" in rejected(*line, "--file", "none.json")
    assert "needs --file" in refused(*line, "--propose", "x", code=2)
    assert "needs no approval" in rejected(*line, "--file", "rules.json", "--propose", "x")
    made = answer(*line, "--file", "none.json", "--propose", "Too slow.")
    assert (made["operation"], made["needed"], made["approvers"]) == ("approval_rules", 2, ["finance"])
    assert "flow orders" in run("cases", "proposals")
    User.objects.create_superuser("root")
    last = ("cases", "approve", str(made["number"]))
    assert "alone" in rejected(*last, "x", "--actor", "eve", "--administrator")
    person("carl", "finance")
    person("dan", "finance")
    assert "alone" in rejected(*last, "x", "--actor", "root", "--administrator")
    assert answer(*last, "--actor", "carl")["state"] == "approved"
    assert "alone" in rejected(*last, "x", "--actor", "root", "--administrator"), "dan can approve it, too"
    User.objects.filter(username="dan").delete()
    assert len(answer("cases", "approvals", "--flow", "orders")) == 3
    User.objects.filter(username="root").update(is_active=False)
    assert "alone" in rejected(*last, "x", "--actor", "root", "--administrator")
    User.objects.filter(username="root").update(is_active=True)
    done = answer(*last, "Dan has left.", "--actor", "root", "--administrator")
    assert [(one["voter"], one["administrator"]) for one in done["votes"]] == [
        ("carl", False),
        ("root", True),
    ]
    assert done["state"] == "applied" and answer("cases", "approvals", "--flow", "orders") == []


def warned(*line: str) -> str:
    """Return what a command writes to its error stream."""
    errors = StringIO()
    call_command(*line, stdout=StringIO(), stderr=errors)
    return errors.getvalue()


# Who is there besides ann, who proposes, each with groups; whether an approval of finance is lacking then.
PERSONS: dict[str, tuple[dict[str, tuple[str, ...]], bool]] = {
    "a member": ({"bob": ("finance",)}, False),
    "no user": ({}, True),
    "no member": ({"eve": ()}, True),
    "the maker": ({"ann": ("finance",)}, True),
    "an inactive member": ({"gone": ("finance",)}, True),
    "a member without the right": ({"norights": ("finance",)}, True),
    "the maker and a member": ({"ann": ("finance",), "bob": ("finance",)}, False),
}


@pytest.mark.parametrize("case", PERSONS)
def test_a_proposal_that_no_user_can_approve_says_so(wid: int, case: str) -> None:
    User.objects.all().delete()
    persons, lacking = PERSONS[case]
    for name, groups in persons.items():
        person(name, *groups)
    User.objects.filter(username="gone").update(is_active=False)
    for user in User.objects.filter(username="norights"):
        user.user_permissions.clear()
    line = ("repair", str(wid), "patch", "refund=600", "--reason", "x", "--actor", "ann", "--propose")
    assert ("can be given by no active user" in run(*line)) == lacking
    (made,) = answer("cases", "proposals")
    assert made["lacking"] == lacking and ("Proposal" in warned("cases", "proposals")) == lacking
    too_few = lacking and case != "the maker"
    assert ("No active user may approve" in warned("cases", "approvals", "--flow", "orders")) == too_few


def test_two_approvals_of_one_person_are_lacking_whoever_delegates(wid: int) -> None:
    rules = [{"title": "Two", "approvals": 2, "approvers": "finance"}]
    path = write(Path.cwd(), json.dumps(rules), "two.json")
    assert "Only bob may approve" in warned("cases", "approvals", "--flow", "orders", "--file", path)
    made = api.approvals.propose(wid, "patch", {"changes": {"refund": 1}}, "x", actor="ann")
    assert approvers.lacking(made) == 1
    with connection.cursor() as cursor:
        cursor.execute("select wedsql.now() + interval '9 days'")
        (until,) = cursor.fetchone()
    api.approvals.delegate("orders", "bob", "eve", until, actor="bob")
    assert approvers.lacking(made) == 1
    made = api.approvals.approve(made.number, "bob", ["finance"])
    assert approvers.lacking(made) == 1
    person("dan", "finance")
    assert approvers.lacking(made) == 0


def test_who_delegates_to_all_approvers_reads_whom_that_excludes(wid: int) -> None:
    person("ann", "finance")
    person("zoe")
    with connection.cursor() as cursor:
        cursor.execute("select wedsql.now() + interval '9 days'")
        (until,) = cursor.fetchone()
    line = ("repair", str(wid), "patch", "refund=600", "--reason", "x", "--actor", "ann", "--propose")
    assert "cannot approve it" not in run(*line)
    given = [api.approvals.delegate("orders", "ANN", each, until, actor="ann") for each in ("bob", "zoe")]
    said = warned("cases", "proposals")
    assert "can be given by no active user" in said
    for name in ("bob", "zoe"):
        assert f"{name} cannot approve it while this person approves for ann" in said
    api.approvals.end_delegation(given[0].id, "ann")
    assert "cannot approve it" not in warned("cases", "proposals"), "bob can"


def test_who_alone_may_approve_cannot_propose(wid: int) -> None:
    User.objects.get(username="bob").user_permissions.set(
        Permission.objects.filter(codename__in=["approve_repair", "change_job"])
    )
    assert "Only bob may approve as this rule asks, so their own" in warned(
        "cases", "approvals", "--flow", "orders"
    )
