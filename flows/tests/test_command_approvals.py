"""Approvals by manage.py, and the examples of docs/approvals.md."""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import connection

from flows import api, approvers
from flows.tests.commands import answer, refused, run, write
from flows.tests.consoles import sessions
from flows.tests.test_command_repair import rejected

pytestmark = pytest.mark.django_db
PAGE = (Path(__file__).parents[2] / "docs/approvals.md").read_text()
RULES = PAGE.partition("```json\n")[2].partition("```")[0]


@pytest.fixture
def wid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """An order that is an exception, with the rules of the page; bob is of finance, eve is not."""
    api.create_flow("orders")
    attributes = [{"name": "refund", "type": "integer"}]
    triggers = [
        {"transition": "tr_pay", "predicate": "refund is null"},
        {"predicate": "refund = -1", "final": True},
    ]
    api.publish("orders", {"attributes": attributes, "triggers": triggers})
    monkeypatch.chdir(tmp_path)
    write(tmp_path, RULES, "rules.json")
    person("bob", "finance")
    person("eve")
    run("cases", "approvals", "--flow", "orders", "--file", "rules.json")
    return exception()


def exception() -> int:
    wid = api.start("orders")
    job = api.lease_many("orders", ["tr_pay"], 1, "worker")[0]
    assert api.complete(job, {"refund": 0}).status == "E"
    return wid


def person(name: str, *groups: str) -> User:
    user = User.objects.create_user(name)
    user.groups.set([Group.objects.get_or_create(name=each)[0] for each in ("flow:orders", *groups)])
    user.user_permissions.set(Permission.objects.filter(codename="approve_repair"))
    return user


def test_the_examples_of_the_page(wid: int) -> None:
    number = ""
    shown = sessions(PAGE)
    assert len(shown) == 10
    for command, printed in shown:
        line = [word.replace("17", str(wid)) for word in shlex.split(command)[2:]]
        line = [number if word == "5" else word for word in line]
        if "--until" in line:
            line[-1] = str(datetime.now(UTC) + timedelta(days=9))
        if line[0] == "controls":
            header, *lines = run(*line).splitlines()
            assert header.split() == printed.splitlines()[0].split() and "approval_rule" in "".join(lines)
            continue
        if printed.startswith("Rejected: "):
            expected = (
                printed.removeprefix("Rejected: ")
                .replace("17", str(wid))
                .replace("proposal 5", f"proposal {number}")
            )
            assert rejected(*line) == expected.strip()
            continue
        if "--where" in line:
            for _ in range(2):
                exception()
            printed = printed.replace("Proposal 6", "Proposal 5")
            number = ""
        found = run(*line)
        number = number or next(iter(re.findall(r"^Proposal (\d+)", found)), "")
        expected = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "TIME", printed).replace("17", str(wid))
        found = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "TIME", found)
        if expected:
            assert found.replace(f"Proposal {number}", "Proposal 5").splitlines() == expected.splitlines()
    program = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert program is not None
    made: dict[str, Any] = {}
    exec(program[1].replace("17", str(exception())), made)  # noqa: S102 - the program of our document
    assert made["done"].state == "applied"


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
    made = api.propose_repair(wid, "patch", {"changes": {"refund": 600}}, "x", actor="ann")
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
