"""flowtest: what it says, as text and JSON, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from flows import api
from flows.definition.scenarios import Scenario, Step
from flows.tests.commands import answer, refused, run
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db

TICKETS: dict[str, Any] = {
    "attributes": [{"name": "state", "type": "enum", "options": ["new", "done"], "default": "new"}],
    "triggers": [
        {"name": "work", "transition": "tr_work", "predicate": "state = 'new'"},
        {"predicate": "state = 'done'", "final": True},
    ],
}


@pytest.fixture
def tickets() -> str:
    """A flow with the scenario that it is worked on and done."""
    name = unique()
    api.flows.create(name)
    api.flows.publish(name, TICKETS)
    rule = api.drafts.running_definition(name)[1]["triggers"][0]["id"]
    steps = [
        Step("start", expected={"status": "R", "fired": [{"id": rule}]}),
        Step("complete", {"id": rule, "name": "work"}, {"state": "done"}, {"status": "F"}),
    ]
    api.trials.save_scenario(Scenario(name, "worked on", steps))
    return name


def file(tmp_path: Path, **work: Any) -> str:
    """Return the file of a definition whose first rule has these options."""
    path = tmp_path / "changed.json"
    path.write_text(
        json.dumps(TICKETS | {"triggers": [TICKETS["triggers"][0] | work, TICKETS["triggers"][1]]})
    )
    return str(path)


def test_what_runs_is_tested(tickets: str) -> None:
    said = run("flow", "test", tickets).splitlines()
    assert said == [
        "worked on: as expected.",
        "Exercised: 2 of 2 rules; 2 of 2 parts of conditions were both true and not true.",
    ]
    found = answer("flow", "test", tickets)
    assert found["scenarios"] == [{"name": "worked on", "ok": True}]
    assert found["coverage"]["rules"][0]["fired"] == 1


def test_a_draft_is_tested(tickets: str) -> None:
    draft = api.drafts.open(tickets)
    draft.definition["triggers"][1]["predicate"] = "state is null"
    api.drafts.save(draft.at, draft.definition)

    assert refused("flow", "test", tickets, f"{tickets}:main") == "1 of 1 scenarios do not go as expected."
    assert run("flow", "test", tickets).startswith("worked on: as expected.\n")


def test_a_file_is_tested_with_the_numbers_of_what_runs(tickets: str, tmp_path: Path) -> None:
    assert "as expected" in run("flow", "test", tickets, file(tmp_path, name="renamed", transition="tr_work"))
    refused("flow", "test", tickets, file(tmp_path, predicate="state is null"))


def test_the_deviation_is_in_the_output(tickets: str, capsys: Any) -> None:
    api.trials.save_scenario(Scenario(tickets, "wrong", [Step("start", expected={"status": "F"})]))
    with pytest.raises(CommandError, match="1 of 2 scenarios"):
        run_to_console("flowtest", tickets, "--json")
    found = json.loads(capsys.readouterr().out)["scenarios"]
    assert found[1] == {
        "name": "wrong",
        "ok": False,
        "step": 1,
        "deviation": "The status is running instead of final.",
    }


def run_to_console(command: str, *arguments: str) -> None:
    call_command(command, *arguments)


def test_a_flow_without_scenarios_passes(tickets: str) -> None:
    api.trials.delete_scenario(tickets, "worked on", 1)
    assert run("flow", "test", tickets).splitlines() == [
        "The flow has no scenarios.",
        "Exercised: 0 of 2 rules; 0 of 2 parts of conditions were both true and not true.",
        "work: never fired.",
        "work: state = 'new' was never true.",
        "the final condition: never held.",
        "the final condition: state = 'done' was never true.",
    ]


def test_wrong_arguments(tickets: str, tmp_path: Path) -> None:
    assert "There is no flow" in refused("flow", "test", "absent")
    assert refused("flow", "test", tickets, "no file.txt", code=2)
    assert "nowhere" in refused("flow", "test", tickets, file(tmp_path, predicate="nowhere = 1"))


def test_finished_instances_are_replayed(tickets: str, tmp_path: Path) -> None:
    wid = api.instances.start(tickets)
    job = api.jobs.take(tickets, ["tr_work"], actor="worker")
    assert job is not None
    api.jobs.complete(job, {"state": "done"}, actor="worker")

    same = "Replayed: 1 finished instances, 1 of them to their end."
    assert run("flow", "test", tickets, "--replay", "10").splitlines()[-1] == same
    api.trials.delete_scenario(tickets, "worked on", 1)
    never = file(tmp_path, predicate="state = 'new' and state = 'done'")
    why = refused("flow", "test", tickets, never, "--replay", "10")
    assert why == "The path of 1 of 1 finished instances would differ."
    assert answer("flow", "test", tickets, "--replay", "10")["replayed"][0]["wid"] == wid
