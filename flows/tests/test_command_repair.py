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
from flows.tests.commands import answer, refused, run
from flows.tests.consoles import sessions
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db
PAGE = (Path(__file__).parents[2] / "docs/repairing.md").read_text()


@pytest.fixture
def wid() -> int:
    """An order whose card was declined: an exception."""
    name = unique()
    api.create_flow(name)
    triggers = [
        {"name": "pay", "transition": "tr_pay", "predicate": "payment is null"},
        {"name": "ship", "transition": "tr_ship", "predicate": "payment = 'paid' and parcel is null"},
        {"predicate": "parcel is not null", "final": True},
    ]
    attributes = [{"name": "payment"}, {"name": "parcel"}]
    api.publish(name, {"attributes": attributes, "triggers": triggers})
    wid = api.start(name)
    job = api.lease_many(name, ["tr_pay"], 1, "worker")[0]
    assert api.complete(job, {"payment": "declined"}).status == "E"
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
    undo = PAGE.partition("## Undo\n")[2].partition("\n## ")[0]
    calls = sessions(PAGE.replace(undo, ""))
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
    assert named == set(api.repair_operations())
