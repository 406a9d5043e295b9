"""manage.py cases: the example of the documentation, and what it refuses."""

from __future__ import annotations

import json
import re
import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import transaction

from flows import api
from flows.capabilities.cases.api import Case
from flows.tests.command.consoles import sessions
from flows.tests.commands import answer, refused, run, write

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def orders() -> None:
    api.flows.create("orders")
    attributes = [{"name": "payment"}, {"name": "amount", "type": "integer", "default": 0}]
    triggers = [{"transition": "tr_pay", "predicate": "payment is null"},
                {"predicate": "payment = 'paid'", "final": True}]  # fmt: skip
    api.flows.publish("orders", {"attributes": attributes, "triggers": triggers})


def declined() -> Case:
    wid = api.instances.start("orders", {})
    with transaction.atomic():
        job = api.jobs.take("orders", ["tr_pay"])
        assert job is not None
        api.jobs.complete(job, {"payment": "declined", "amount": 5000})
    return api.cases.list(["orders"], {"wid": wid})[0]


def test_the_examples_of_the_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[4] / "docs/cases.md").read_text()
    rules = text.partition("```json\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    write(tmp_path, rules, "rules.json")
    calls = re.findall(r"^\$ python manage\.py (cases .*)$", text, re.MULTILINE)
    run(*shlex.split(calls.pop()))
    case = declined()
    assert (case.queue, case.priority, case.severity) == ("cards", 80, "high") and case.due_at is not None
    assert [each["queue"] for each in answer("cases", "rules", "--flow", "orders")] == ["cards", "orders"]
    assert len(calls) == 9
    for call in calls:
        given = {"17": str(case.number), "2026-12-24T09:00": str(datetime.now(UTC) + timedelta(days=1))}
        line = [given.get(word, word) for word in shlex.split(call)]
        if "release" in line:
            run("cases", "claim", str(case.number))
        run(*line)
    shown = answer("cases", "show", str(case.number))
    assert (shown["state"], shown["reason_code"], shown["owner"]) == ("waiting", "declined", "root")
    assert shown["waits_for"] == "amount <= 1000"
    assert [each["kind"] for each in shown["history"]] == [
        "opened", "claimed", "commented", "waits", "set", "claimed", "released", "waits",
    ]  # fmt: skip
    assert "The bank is asked." in run("cases", "show", str(case.number))


def test_lists_select_and_groups_count() -> None:
    cases = [declined(), declined()]
    api.cases.sign()
    (group,) = answer("cases", "groups", "--flow", "orders")
    assert (group["cause"], group["open"], group["newest"]) == ("STUCK", 2, cases[1].number)
    found = answer("cases", "list", "--signature", group["signature"], "--state", "new", "--cause", "STUCK")
    assert [each["number"] for each in found] == [case.number for case in cases]
    assert "STUCK" in run("cases", "list") and "STUCK" in run("cases", "groups")
    assert len(answer("cases", "list", "--after", str(cases[0].number), "--limit", "1")) == 1
    api.instances.cancel(cases[0].wid, "Enough.")
    assert [each["state"] for each in answer("cases", "list", "--closed")] == ["closed"]
    api.cases.claim(cases[1].number, "ann")
    assert answer("cases", "next", "--queue", "default") is None
    assert "No case is waiting" in run("cases", "next")
    assert 'There is no queue "none"' in refused("cases", "next", "--queue", "none")


def test_it_refuses_what_makes_no_sense(tmp_path: Path) -> None:
    case = str(declined().number)
    refused("cases", "show", code=2)
    refused("cases", "list", case, code=2)
    refused("cases", "rules", code=2)
    refused("cases", "policies", code=2)
    refused("cases", "wait", case, code=2)
    refused("cases", "wait", case, "--until", "soon", code=2)
    refused("cases", "set", case, code=2)
    rules = ("cases", "rules", "--flow", "orders", "--file")
    for wrong in ("{", json.dumps([{"name": "x"}]), "3"):
        refused(*rules, write(tmp_path, wrong, "rules.json"))
    policies = ("cases", "policies", "--flow", "orders", "--file")
    for wrong in ("{", json.dumps([{"name": "x"}]), json.dumps([{"name": "X", "operation": "retry"}])):
        with transaction.atomic():
            refused(*policies, write(tmp_path, wrong, "policies.json"))
            transaction.set_rollback(True)
    for line in (("show", "999999"), ("comment", case), ("release", case), ("set", case, "--priority", "-1")):
        with transaction.atomic():
            refused("cases", *line)
            transaction.set_rollback(True)


def test_the_suggestions_of_the_documentation() -> None:
    text = (Path(__file__).parents[4] / "docs/learning.md").read_text().partition("## Suggestions")[2]
    call, printed = sessions(text)[0]
    for _each in range(6):
        api.repairs.repair(declined().wid, "patch", {"changes": {"payment": "paid"}}, "x")
    api.repairs.repair(declined().wid, "accept", {}, "x")
    case = declined()
    assert "was repaired yet" in run("cases", "suggestions", str(case.number)), "it has no signature yet"
    api.cases.sign()
    shown = run(*shlex.split(call.replace("17", str(case.number)))[2:]).splitlines()
    expected = [line.split()[:4] for line in printed.splitlines()]
    assert [line.split()[:4] for line in shown] == expected
    assert shown[2].split()[-1] != "thin" and shown[3].split()[-1] == "thin"
    found = answer("cases", "suggestions", str(case.number), "--flow", "orders")
    assert [(each["cases"], each["values"]) for each in found] == [(6, {"payment": "paid"}), (1, {})]
    api.flows.create("other")
    assert "no case" in refused("cases", "suggestions", str(case.number), "--flow", "other")


def test_the_proposed_rule_of_the_documentation() -> None:
    text = (Path(__file__).parents[4] / "docs/learning.md").read_text().partition("## Proposed rules")[2]
    call, printed = sessions(text)[0]
    for _each in range(6):
        api.repairs.repair(declined().wid, "patch", {"changes": {"payment": "paid"}}, "x")
    case = declined()
    assert "No rule can be derived" in run("cases", "rule", str(case.number)), "it has no signature yet"
    api.cases.sign()
    shown = run(*shlex.split(call.replace("17", str(case.number)))[2:])
    assert [line.split() for line in shown.splitlines()[2:]] == [
        line.split() for line in printed.splitlines()[2:]
    ]
    added = api.drafts.read("orders").definition["triggers"][-1]
    found = answer("cases", "rule", str(case.number), "--flow", "orders")
    assert (added["predicate"], found["prevents"]) == (found["condition"], 7)
    api.flows.create("other")
    assert "no case" in refused("cases", "rule", str(case.number), "--flow", "other")


def test_policies_are_saved_from_a_file_and_shown(tmp_path: Path) -> None:
    assert "no policies" in run("cases", "policies", "--flow", "orders")
    text = (Path(__file__).parents[4] / "docs/recovery.md").read_text()
    policies = text.partition("```json\n")[2].partition("```")[0]
    policies = policies.replace("tr_charge", "tr_pay").replace("card is", "payment is")
    given = ("--file", write(tmp_path, policies, "policies.json"))
    found = answer("cases", "policies", "--flow", "orders", *given)
    assert [(one["name"], one["times"], one["delay"]) for one in found] == [
        ("again", 2, 600),
        ("no-card", 1, 0),
    ]
    assert found == answer("cases", "policies", "--flow", "orders")


def test_the_report_of_the_documentation() -> None:
    text = (Path(__file__).parents[4] / "docs/learning.md").read_text().partition("## Reports")[2]
    call, printed = sessions(text)[0]
    line = shlex.split(call)[2:]
    assert "No such case" in run(*line)
    for _each in range(7):
        api.repairs.repair(declined().wid, "patch", {"changes": {"payment": "paid"}}, "x", actor="ana")
    api.instances.cancel(declined().wid, "x")
    declined()
    assert [each.split()[:5] for each in run(*line).splitlines()] == [
        each.split()[:5] for each in printed.splitlines()
    ]
    (found,) = answer("cases", "report", "--by", "repairer", "--days", "366")
    assert (found["value"], found["cases"], found["open"]) == ("ana", 7, 0)
    api.flows.create("other")
    assert answer("cases", "report", "--flow", "other") == []
