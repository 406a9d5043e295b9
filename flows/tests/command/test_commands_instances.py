"""flows, startinstance, trace, jobs: their output as text and JSON."""

from __future__ import annotations

import pytest

from flows import api
from flows.errors import UnknownFlow
from flows.management.base import cell
from flows.models import Job, TraceEntry, Trigger
from flows.tests.commands import DEMO, answer, refused, run
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db


def test_flows_counts(fig2: str) -> None:
    api.instances.start(fig2)
    api.instances.start(fig2, {"a1": "over"})

    row = next(row for row in answer("flow", "list") if row["flow"] == fig2)

    assert (row["attributes"], row["triggers"]) == (3, 4)
    assert (row["running"], row["final"], row["exception"], row["other"], row["jobs"]) == (1, 1, 0, 0, 2)
    line = next(line for line in run("flow", "list").splitlines() if line.startswith(fig2))
    assert line.split() == [fig2, "1", "3", "4", "1", "0", "1", "0", "2"]


def test_startinstance_types_by_the_database(db: None) -> None:
    name = unique()
    run("flow", "load", str(DEMO / "counter.sql"), "--flow", name)

    output = run("startinstance", name, "turn=3", "note=two words, one = sign", "--actor", "bob")
    wid = int(output.split()[1])

    step = TraceEntry.objects.get(wid=wid)
    assert output.strip() == f"Instance {wid} of flow {name} started: running, fired tr_count."
    assert step.state["turn"] == 3
    assert step.state["note"] == "two words, one = sign"
    assert step.actor == "bob"


def test_startinstance_takes_json_and_a_key(fig2: str) -> None:
    first = answer("startinstance", fig2, "a2:=null", "a1=ready", "--key", "order-1")
    again = answer("startinstance", fig2, "--key", "order-1")

    assert first["status"] == "R"
    assert first["fired"] == ["tr_a2", "tr_a3"]
    assert again["wid"] == first["wid"]


@pytest.mark.parametrize(
    ("values", "word"),
    [(["a9=1"], "a9"), (["a1=elsewhere", "a1=nothing"], "")],
)
def test_startinstance_says_why_not(fig2: str, values: list[str], word: str) -> None:
    if word:
        assert word in refused("startinstance", fig2, *values)
    else:
        assert "started" in run("startinstance", fig2, *values)


def test_startinstance_says_what_is_no_value_of_the_type(db: None) -> None:
    name = unique()
    run("flow", "load", str(DEMO / "counter.sql"), "--flow", name)

    assert "turn" in refused("startinstance", name, "turn=many")


def test_startinstance_refuses_a_first_state_that_leads_nowhere(fig2: str) -> None:
    assert "No condition" in refused("startinstance", fig2, "a1:=null")


@pytest.mark.parametrize("value", ["a1", "=x", ":=1", "a1:={"])
def test_startinstance_refuses_what_is_no_value(fig2: str, value: str) -> None:
    refused("startinstance", fig2, value, code=2)


def test_trace_shows_each_step(fig2: str) -> None:
    wid = api.instances.start(fig2, actor="bob")
    job = api.jobs.take(fig2, ["tr_a2"])
    assert job is not None
    api.jobs.complete(job, {"a2": "done"}, actor="robot")

    lines = run("trace", str(wid)).splitlines()

    assert lines[0] == f"Instance {wid} of flow {fig2}: running"
    assert "_INIT" in lines[3] and "tr_a2, tr_a3" in lines[3]
    assert "a2=done" in lines[4] and "robot" in lines[4]
    steps = answer("trace", str(wid))["trace"]
    assert [step["written_by"] for step in steps] == ["_INIT", "tr_a2"]
    assert steps[1]["before"] == {"a2": None}


@pytest.mark.parametrize("wid", ["0", "2000000000", "99999999999"])
def test_trace_of_nothing_is_refused(db: None, wid: str) -> None:
    assert refused("trace", wid) == f"There is no instance {wid}."


def test_jobs_lists_what_waits(fig2: str) -> None:
    wid = api.instances.start(fig2)
    job = api.jobs.take(fig2, ["tr_a2"])
    assert job is not None
    api.jobs.fail(job, "out of\npaper")

    jobs = answer("jobs", fig2)
    assert [(job["wid"], job["transition"], job["attempts"]) for job in jobs] == [
        (wid, "tr_a2", 1),
        (wid, "tr_a3", 0),
    ]
    table = run("jobs", fig2)
    assert "out of paper" in table
    assert len(run("jobs", fig2, "--limit", "1").splitlines()) == 3
    assert run("jobs", _empty()) == "No job is pending.\n"


def test_jobs_have_the_large_state_that_fired_them(fig2: str) -> None:
    text = "é" * 1_500
    wid = api.instances.start(fig2, {"a3": text})
    assert Job.objects.filter(wid=wid, payload__isnull=True).exists(), "the state is in the history only"
    (job, *_others) = answer("jobs", fig2)
    assert job["payload"]["a3"] == text == Job.objects.get(pk=job["id"]).fired_by()["a3"]


def test_jobs_of_a_role_are_listed_with_it(fig2: str) -> None:
    api.instances.start(fig2)
    Trigger.objects.filter(flow__name=fig2, transition="tr_a3").update(role="Clerk")
    assert [(job["transition"], job["role"]) for job in answer("jobs", fig2)] == [
        ("tr_a2", ""),
        ("tr_a3", "Clerk"),
    ]
    assert [job["transition"] for job in answer("jobs", "--role", "Clerk")] == ["tr_a3"]
    assert "Clerk" in run("jobs", fig2) and "tr_a2" not in run("jobs", fig2, "--role", "Clerk")


def _empty() -> str:
    name = unique()
    api.flows.create(name)
    return name


def test_cells_are_one_line() -> None:
    assert cell("a\n b") == "a b"
    assert cell(None) == cell([]) == cell("") == "-"
    assert cell(["a", "b"]) == "a, b"
    assert len(cell("x" * 500)) == 80
    assert UnknownFlow.sqlstate == "WD001"
