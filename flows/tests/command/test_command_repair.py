"""manage.py repair, and the examples of docs/repairing.md."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from flows import api
from flows.models import Instance, Job, TraceEntry
from flows.tests.command.consoles import sessions
from flows.tests.commands import answer, refused, run
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db
PAGE = (Path(__file__).parents[3] / "docs/repairing.md").read_text()


@pytest.fixture
def wid() -> int:
    """An order whose card was declined: an exception."""
    name = unique()
    api.flows.create(name)
    triggers = [
        {"name": "pay", "transition": "tr_pay", "predicate": "payment is null"},
        {"name": "ship", "transition": "tr_ship", "predicate": "payment = 'paid' and parcel is null"},
        {"predicate": "parcel is not null", "final": True},
    ]
    attributes = [{"name": "payment"}, {"name": "parcel"}]
    api.flows.publish(name, {"attributes": attributes, "triggers": triggers})
    return stuck(name)


def stuck(flow: str) -> int:
    wid = api.instances.start(flow)
    job = api.jobs.lease_many(flow, ["tr_pay"], 1, "worker")[0]
    assert api.jobs.complete(job, {"payment": "declined"}).status == "E"
    return wid


def rejected(*line: str) -> str:
    """Return the error of a command, and let the transaction of the test continue."""
    before = transaction.savepoint()
    found = refused(*line)
    transaction.savepoint_rollback(before)
    return found


def test_it_shows_what_a_repair_would_do_and_does_it(wid: int) -> None:
    shown = answer("repair", str(wid), "patch", "payment=paid", "--dry-run", "--json")
    assert (shown["status_before"], shown["status_after"], shown["seq"]) == ("E", "R", 2)
    assert (shown["before"], shown["after"]) == ({"payment": "declined"}, {"payment": "paid"})
    assert Instance.objects.get(wid=wid).seq == 2
    line = ("repair", str(wid), "patch", "payment=paid", "--reason", "Why.", "--actor", "olga", "--json")
    assert answer(*line)["seq"] == 3
    step = TraceEntry.objects.get(wid=wid, seq=3)
    assert (step.actor, step.reason, step.state["payment"]) == ("olga", "Why.", "paid")
    job = str(Job.objects.get(wid=wid).id)
    assert "tr_ship (job" in run("repair", str(wid), "skip", f"job={job}", "--dry-run")
    assert answer("repair", str(wid), "branch", "seq=1", "--reason", "x", "--json")["facts"]["instance"] > wid


def test_it_refuses_what_makes_no_sense(wid: int) -> None:
    assert "--reason" in refused("repair", str(wid), "patch", "payment=paid", code=2)
    refused("repair", str(wid), "patch", "payment", "--reason", "x", code=2)
    refused("repair", str(wid), "complete", "job=many", "--reason", "x", code=2)
    assert "no operation" in rejected("repair", str(wid), "explode", "--reason", "x")
    assert "has no argument" in rejected("repair", str(wid), "accept", "job=1", "--reason", "x")
    assert "not an attribute" in rejected("repair", str(wid), "patch", "pay=1", "--dry-run")
    assert "moved meanwhile" in rejected("repair", str(wid), "accept", "--expect", "1", "--reason", "x")
    assert "not JSON" in refused("repair", str(wid), "patch", "payment:={", "--reason", "x", code=2)


def test_the_examples_of_the_page(wid: int) -> None:
    others = [
        PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0] for title in ("Undo", "Many instances")
    ]
    calls = sessions(PAGE.replace(others[0], "").replace(others[1], ""))
    assert [command.split()[3:5] for command, _printed in calls] == [
        ["17", "patch"], ["17", "patch"], ["17", "patch"], ["17", "complete"],
    ]  # fmt: skip
    for call in calls:
        check(wid, *call)
    program = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert program is not None
    found: dict[str, Any] = {}
    exec(program[1].replace("17", str(wid)), found)  # noqa: S102 - the program of our document
    new = Instance.objects.get(wid=found["done"].facts["instance"])
    assert (new.derived_from, new.status) == (wid, "R")


def test_the_examples_of_undo(wid: int) -> None:
    calls = sessions(PAGE.partition("## Undo\n")[2].partition("\n## ")[0])
    assert [command.split()[4] for command, _printed in calls] == ["patch", "undo", "undo"]
    for call in calls:
        check(wid, *call)


def check(wid: int, command: str, printed: str) -> None:
    """Run an example of the page with this instance and its last job, and compare what it prints."""
    job = str(Job.objects.filter(wid=wid).latest("id").id)
    line = [word.replace("17", str(wid)).replace("120", job) for word in shlex.split(command)[2:]]
    expected = printed.replace("17", str(wid))
    if expected.startswith("Rejected: "):
        assert rejected(*line) == expected.removeprefix("Rejected: ").strip()
    else:
        assert [each.rstrip() for each in run(*line).splitlines()] == expected.splitlines()


def test_the_page_has_every_operation() -> None:
    table = PAGE.partition("## Operations")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (.*?) \|", table, re.MULTILINE))))
    assert named == set(api.operations.of_repair())


def test_many_are_repaired_by_a_filter(wid: int) -> None:
    flow = Instance.objects.get(wid=wid).flow.name
    others = [stuck(flow) for _ in range(2)]
    given = ("repair", "--where", "status:exception", "--flow", flow, "patch", "payment=paid")
    shown = answer(*given, "--dry-run", "--json")
    assert shown["total"] == 3
    assert shown["first"][0] == {"wid": wid, "outcome": "exception -> running, fires tr_ship"}
    assert "--expect 3 --digest" in run(*given, "--dry-run")
    api.repairs.repair(others[1], "patch", {"changes": {"payment": "refused"}}, "x")
    digest = shown["digest"]
    assert "not the same ones" in rejected(*given, "--reason", "x", "--expect", "3", "--digest", digest)
    made = answer(*given, "--reason", "The bank was down.", "--all-or-nothing", "--json")
    assert made["total"] == 3 and api.bulk.read(made["bulk"]).atomic
    api.bulk.continue_bulk()
    assert {each.status for each in Instance.objects.filter(wid__in=[wid, *others])} == {"R"}


def test_the_examples_of_many_instances(wid: int) -> None:
    flow = Instance.objects.get(wid=wid).flow.name
    wids = [wid, *(stuck(flow) for _ in range(2))]
    shown, done = sessions(PAGE.partition("## Many instances\n")[2].partition("\n## ")[0])
    numbers = {str(17 + at): str(number) for at, number in enumerate(wids)} | {"orders": flow}

    def answer_of(command: str) -> list[str]:
        words = [numbers.get(word, word) for word in shlex.split(command)[2:]]
        return [line.split() for line in run(*words).splitlines()]

    expected = [[numbers.get(word, word) for word in line.split()] for line in shown[1].splitlines()]
    found = answer_of(shown[0])
    assert found[2:5] == expected[2:5] and found[5][:3] + found[5][4:] == expected[5][:3] + expected[5][4:]
    (line,) = answer_of(done[0])
    assert line[3:9] == done[1].split()[3:9]


def test_what_many_do_not_have_is_refused(wid: int) -> None:
    refused("repair", "--where", "", "branch", "seq=1", "--reason", "x", code=2)
    refused("repair", "--where", "", "rollback", "steps=many", "--reason", "x", code=2)
    refused("repair", "--where", "", "accept", "--flow", "nowhere", "--reason", "x", code=2)
    refused("repair", str(wid), "accept", "--all-or-nothing", "--reason", "x", code=2)
    refused("repair", "patch", "payment=paid", "--reason", "x", code=2)
    assert "argument" in rejected("repair", "--where", "", "rollback", "--reason", "x")
