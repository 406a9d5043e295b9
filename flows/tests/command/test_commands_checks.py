"""flowlint and flowimpact: what they say, as text and JSON, and their exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from flows import api
from flows.tests.commands import answer, refused, run
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db

TICKETS: dict[str, Any] = {
    "attributes": [{"name": "state", "type": "enum", "options": ["new", "done"], "default": "new"}],
    "triggers": [
        {"transition": "tr_work", "predicate": "state = 'new'", "writes": ["state"]},
        {"predicate": "state = 'done'", "final": True},
    ],
}
WORK, FINAL = TICKETS["triggers"]


def file(tmp_path: Path, *triggers: dict[str, Any]) -> str:
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(TICKETS | {"triggers": [*triggers]}))
    return str(path)


@pytest.fixture
def tickets() -> str:
    name = unique()
    api.flows.create(name)
    api.flows.publish(name, TICKETS)
    return name


def test_flowlint_lists_what_is_found(tickets: str, tmp_path: Path) -> None:
    assert "[no_worker]" in run("flow", "lint", tickets)
    never = file(tmp_path, WORK, FINAL, {"transition": "tr_x", "predicate": "state = 'lost'"})
    assert refused("flow", "lint", tickets, never) == "2 found."
    assert run("flow", "lint", tickets, never, "--fail-on", "error").count("warning, proved") == 2
    found = json.loads(run("flow", "lint", tickets, never, "--fail-on", "error", "--json"))["findings"]
    assert {one["check"] for one in found} >= {"never_true", "no_option"}


def test_flowlint_lists_problems_first(tickets: str, tmp_path: Path) -> None:
    wrong = file(tmp_path, WORK, {"transition": "tr_x", "predicate": "stat = 'new'"}, {"transition": "tr_y"})
    assert refused("flow", "lint", tickets, wrong) == "2 found."
    with pytest.raises(Exception, match="2 found"):
        answer("flow", "lint", tickets, wrong)
    assert refused("flow", "lint", tickets, "no file.txt", code=2)


def test_flowimpact_says_what_would_happen(tickets: str, tmp_path: Path) -> None:
    wids = [api.instances.start(tickets), api.instances.start(tickets)]
    changed = file(tmp_path, WORK | {"predicate": "state is null"}, FINAL | {"predicate": "state = 'new'"})
    said = run("flow", "impact", tickets, changed)
    assert said.startswith("Living instances: 2.\n")
    assert "tr_work: holds for 2 before and for 0 after, fires for 0, 2 jobs lose their condition" in said
    assert "2; 1 of them were examined." in run("flow", "impact", tickets, changed, "--limit", "1")
    assert "There is no flow" in refused("flow", "impact", "absent", changed)
    found = answer("flow", "impact", tickets, changed)
    assert found["living"] == 2
    assert found["rules"][0]["only_before"] == {"count": 2, "sample": wids}


def test_flowimpact_fails_where_publishing_would(tickets: str, tmp_path: Path) -> None:
    wrong = file(tmp_path, WORK | {"predicate": "stat = 'new'"}, FINAL)
    assert "There is no attribute" in refused("flow", "impact", tickets, wrong)
    api.instances.start(tickets)
    fails = {"transition": "tr_n", "predicate": "state::integer > 3", "on_error": "abort"}
    assert (
        refused("flow", "impact", tickets, file(tmp_path, WORK, FINAL, fails))
        == "Publishing would be refused."
    )


def test_flowlint_does_not_count_what_is_acknowledged(tickets: str, tmp_path: Path) -> None:
    never = file(tmp_path, WORK, FINAL, {"transition": "tr_x", "predicate": "state = 'lost'"})
    listed = json.loads(run("flow", "lint", tickets, never, "--fail-on", "error", "--json"))["findings"]
    for one in listed:
        if one["severity"] == "warning":
            api.drafts.acknowledge_finding(tickets, one["id"], "not yet", rule=one["rule"], actor="ann")

    text = run("flow", "lint", tickets, never)

    assert text.count("(acknowledged by ann: not yet)") == 2
    again = json.loads(run("flow", "lint", tickets, never, "--json"))["findings"]
    assert [one["acknowledged"]["reason"] for one in again if one["acknowledged"]] == ["not yet"] * 2
    assert refused("flow", "lint", tickets, never, "--fail-on", "info")


CI = Path(__file__).parents[3] / "docs" / "designing.md"


def commands_of_ci(flow: str, path: str) -> dict[str, list[str]]:
    """Return the arguments of each command of the documented script, for this flow and this file."""
    script = re.findall(r"```sh\nset -e\n(.*?)```", CI.read_text(), re.DOTALL)[0]
    line = r"^python manage.py flow (\w+) orders orders.yaml (.*?) > \w+.json"
    lines = re.findall(line, script, re.MULTILINE)
    return {name: [flow, path, *options.split()] for name, options in lines}


def test_the_commands_for_ci_answer_in_json_and_with_their_exit_codes(tickets: str, tmp_path: Path) -> None:
    later = {"transition": "tr_later", "predicate": "state is null", "writes": ["state"]}
    good = commands_of_ci(tickets, file(tmp_path, WORK, FINAL, later))
    assert [*good] == ["lint", "test", "impact", "diff"]
    for name in ("lint", "test", "impact"):
        assert isinstance(json.loads(run("flow", name, *good[name])), dict)
    assert "differ" in refused("flow", "diff", *good["diff"])

    abort = {"transition": "tr_x", "predicate": "1 / 0 = 1 and state = 'lost'", "on_error": "abort"}
    api.instances.start(tickets)
    bad = commands_of_ci(tickets, file(tmp_path, WORK, FINAL, abort))
    for name in ("lint", "impact", "diff"):
        assert refused("flow", name, *bad[name]), name
