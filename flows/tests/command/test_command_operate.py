"""manage.py operate: what it does and refuses, and the examples of docs/monitoring.md."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import get_args

import pytest
from django.db import transaction

from flows import api
from flows.capabilities.bulk.api import ManyRepair
from flows.capabilities.bulk.api import digest as digest_of
from flows.management.commands.operate import of_many
from flows.models import Instance, Job, TraceEntry
from flows.tests.commands import answer, refused, run
from flows.tests.pages import unique
from flows.types import Failure

pytestmark = pytest.mark.django_db


@pytest.fixture
def wid() -> int:
    name = unique()
    api.flows.create(name)
    triggers = [{"transition": "tr_work", "predicate": "state = 'new'"}]
    api.flows.publish(name, {"attributes": [{"name": "state", "default": "new"}], "triggers": triggers})
    return api.instances.start(name)


def test_it_operates_on_an_instance_and_its_jobs(wid: int) -> None:
    assert run("operate", "suspend", str(wid), "--reason", "Wait.", "--actor", "olga")
    step = TraceEntry.objects.filter(wid=wid).order_by("-seq")[0]
    assert (step.status, step.actor, step.reason) == ("S", "olga", "Wait.")
    assert answer("operate", "resume", str(wid), "--reason", "x", "--json")["operation"] == "resume"
    job = str(Job.objects.get(wid=wid).id)
    run("operate", "priority", str(wid), "--job", job, "--to", "3", "--reason", "x")
    run("operate", "extend", str(wid), "--job", job, "--by", "540", "--reason", "x")
    assert Job.objects.get(wid=wid).priority == 3
    assert str(Job.objects.get(wid=wid).timeout) == "00:10:00"
    run("operate", "reassign", str(wid), "--job", job, "--to", "press", "--reason", "x")
    assert Job.objects.get(wid=wid).assigned_to == "press"
    run("operate", "reassign", str(wid), "--job", job, "--to", "", "--reason", "x")
    assert Job.objects.get(wid=wid).assigned_to is None
    run("operate", "withdraw", str(wid), "--job", job, "--reason", "x")
    assert "ready already" not in refused("operate", "retry", str(wid), "--job", job, "--reason", "x")


def test_it_refuses_what_makes_no_sense(wid: int) -> None:
    refused("operate", "retry", str(wid), "--reason", "x", code=2)
    refused("operate", "suspend", str(wid), "--job", "1", "--reason", "x", code=2)
    refused("operate", "priority", str(wid), "--job", "1", "--reason", "x", code=2)
    refused("operate", "extend", str(wid), "--job", "1", "--reason", "x", code=2)
    refused("operate", "suspend", str(wid), "--by", "1", "--reason", "x", code=2)
    refused("operate", "priority", str(wid), "--job", "1", "--to", "press", "--reason", "x", code=2)
    refused("operate", "reassign", str(wid), "--job", "1", "--reason", "x", code=2)
    assert "not suspended" in refused("operate", "resume", str(wid), "--reason", "x")


def rejected(*line: str) -> str:
    """Return the error of a command, and let the transaction of the test continue."""
    before = transaction.savepoint()
    found = refused(*line)
    transaction.savepoint_rollback(before)
    return found


def test_it_operates_on_the_instances_of_a_filter(wid: int) -> None:
    flow = Instance.objects.get(wid=wid).flow.name
    api.instances.start(flow)
    chosen = ("--filter", "status:running", "--flow", flow)
    assert answer("operate", "suspend", *chosen, "--dry-run", "--json")["total"] == 2
    assert flow in run("operate", "suspend", *chosen, "--dry-run")
    assert "2 instances now, not 3" in rejected(
        "operate", "suspend", *chosen, "--expect", "3", "--reason", "x"
    )
    assert "not the same ones" in rejected("operate", "suspend", *chosen, "--digest", "0", "--reason", "x")
    number = str(
        answer("operate", "suspend", *chosen, "--expect", "2", "--reason", "Wait.", "--json")["bulk"]
    )
    assert "Wait." in run("bulk") and answer("bulk", number, "--json")["left"] == 2
    assert answer("bulk", number, "pause", "--json")["state"] == "paused" and api.bulk.continue_bulk() is None
    run("bulk", number, "resume", "--actor", "ana")
    api.instances.cancel(wid, "x")  # afterwards its status is another one
    assert api.bulk.continue_bulk() == int(number)
    shown = answer("bulk", number, "--json")
    assert (shown["state"], shown["done"], shown["changed_by"]) == ("finished", 1, "ana")
    assert [(row["wid"], row["code"]) for row in shown["refused_rows"]] == [(wid, "WD505")]
    assert "another status" in run("bulk", number)
    assert "has ended" in rejected("bulk", number, "withdraw")
    assert "no bulk operation" in rejected("bulk", "999999999")


def test_a_dry_run_counts_the_instances_to_which_the_operation_applies(wid: int) -> None:
    """Those for which it is not certain to be refused, for each operation on many instances."""
    flow = Instance.objects.get(wid=wid).flow.name
    final = {"predicate": "state = 'end'", "final": True}
    rules = [{"transition": "tr_work", "predicate": "state = 'new'", "max_attempts": 1}, final]
    api.flows.publish(flow, {"attributes": [{"name": "state", "default": "new"}], "triggers": rules})
    parked, suspended, stuck, ended = (api.instances.start(flow) for _ in range(4))
    jobs = [Job.objects.get(wid=each).id for each in (parked, stuck)]
    failing, done = (api.jobs.lease_many(flow, ["tr_work"], 1, "w", job_ids=[job])[0] for job in jobs)
    api.jobs.fail_many(flow, [Failure(failing, "no")])
    api.jobs.complete(done, {"state": "x"})
    api.operations.suspend(suspended, "Later.")
    api.instances.cancel(ended, "No.")
    repairs = get_args(ManyRepair)
    found = {}
    for name in (*of_many(), *repairs):
        values = {"patch": ["state=new"], "rollback": ["steps=1"]}.get(name, [])
        line = (
            ["repair", "--where", "", name, *values] if name in repairs else ["operate", name, "--filter", ""]
        )
        line += ["--flow", flow, "--dry-run", *(["--to", "1"] if name in ("priority", "reassign") else [])]
        line += ["--transition", "tr_work"] if name in ("complete", "skip") else []
        shown = answer(*line, "--json")
        assert f"“{name}” applies to {shown['applies']} of 5 instances." in run(*line)
        found[name] = (shown["total"], shown["applies"])
    assert found == {
        "suspend": (5, 3), "resume": (5, 1), "rematch": (5, 3), "retry": (5, 1), "priority": (5, 2),
        "reassign": (5, 2), "cancel": (5, 4), "patch": (5, 2), "accept": (5, 2), "complete": (5, 2),
        "skip": (5, 2), "rollback": (5, 3), "abort": (5, 4),
    }  # fmt: skip
    line = ["operate", "priority", "--to", "1", "--filter", "", "--flow", flow, "--transition", "tr_none"]
    assert answer(*line, "--dry-run", "--json")["applies"] == 0


def test_a_filter_and_the_number_of_an_instance_exclude_each_other(wid: int) -> None:
    refused("operate", "suspend", str(wid), "--filter", "x", "--reason", "x", code=2)
    refused("operate", "suspend", "--reason", "x", code=2)
    refused("operate", "suspend", str(wid), code=2)
    assert "rematch done" in run("operate", "rematch", str(wid), "--reason", "x")
    refused("operate", "release", "--filter", "", "--reason", "x", code=2)
    refused("operate", "suspend", "--filter", "", "--flow", "nothing", "--reason", "x", code=2)
    refused("operate", "cancel", "--filter", "status:(", "--reason", "x")


def documented(heading: str) -> tuple[str, list[tuple[str, str]]]:
    """Return a section of docs/monitoring.md, and its commands with what they print."""
    text = (Path(__file__).parents[3] / "docs/monitoring.md").read_text()
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    calls = re.findall(r"^\$ python manage\.py (.*)\n((?:[^$`\n].*\n)*)", section, re.MULTILINE)
    return section, calls


def test_the_examples_of_one_instance(wid: int) -> None:
    _section, calls = documented("Operating on an instance")
    assert [call.split()[:2] for call, _printed in calls] == [
        ["operate", operation] for operation in ("suspend", "priority", "extend", "reassign")
    ]
    job = Job.objects.get(wid=wid).id
    for call, printed in calls:
        line = shlex.split(call.replace("17", str(wid)).replace("120", str(job)))
        assert run(*line) == printed.replace("17", str(wid)).replace("120", str(job))
        if "suspend" in line:
            run("operate", "resume", str(wid), "--reason", "x")


def test_the_examples_of_a_csv_file(wid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flow = Instance.objects.get(wid=wid).flow.name
    monkeypatch.chdir(tmp_path)
    Path("parcels.csv").write_text("state\nnew\nnew\n")
    _section, calls = documented("Starting from a CSV file")
    assert len(calls) == 3
    for call, printed in calls:
        assert run(*call.replace(" parcels ", f" {flow} ").split()) == printed
    assert Instance.objects.filter(flow__name=flow).count() == 3


def test_the_examples_of_many_instances(wid: int) -> None:
    """Numbers and names of the example become those of this test."""
    flow = Instance.objects.get(wid=wid).flow.name
    newer = api.instances.start(flow)
    section, calls = documented("Operating on many instances")
    assert [call.split()[0] for call, _printed in calls] == ["operate", "operate", "bulk"]
    bulk, digest, theirs_digest = 0, digest_of([wid, newer]), digest_of([17, 18])
    for call, printed in calls:
        line = [word.replace("parcels", flow).replace(theirs_digest, digest) for word in shlex.split(call)]
        if line[0] == "bulk":
            line[1] = str(bulk)
        found = run(*line, "--actor", "olga")
        found, printed = found.replace(digest, "digest"), printed.replace(theirs_digest, "digest")
        for ours, theirs in ((flow, "parcels"), (f"{newer}, {wid}", "18, 17"), (str(bulk or 3), "3")):
            found = found.replace(ours, theirs)
        if number := re.match(r"Bulk operation (\d+)", found):
            bulk = int(number[1])
            found = found.replace(number[1], "3")
        assert re.sub("[ -]+", " ", found).split() == re.sub("[ -]+", " ", printed).split()
    program = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert program is not None
    api.bulk.withdraw(bulk)
    found_names: dict[str, object] = {}
    exec(program[1].replace("parcels", flow), found_names)  # noqa: S102 - the program of our document
    api.instances.cancel(wid, "x")
    assert api.bulk.continue_bulk() == found_names["made"].id  # type: ignore[attr-defined]
    assert [row.wid for row in api.bulk.rows(found_names["made"].id, "refused")] == [wid]  # type: ignore[attr-defined]
