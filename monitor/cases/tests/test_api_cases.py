"""Cases over HTTP: the same as on the pages, with the same rights."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from flows import api
from monitor.tests.conftest import Parcels, client_of, person
from monitor.tests.server.programs import Program, operator, owner, problem, program

__all__ = ["operator", "owner"]


@pytest.fixture
def lost(parcels: Parcels) -> list[int]:
    """Cases of three exceptions with the same cause."""
    wids = [parcels.start() for _ in range(3)]
    for wid in wids:
        parcels.make_exception(wid)
    return [one.number for wid in wids for one in api.cases.list([parcels.flow], {"wid": wid})]


def test_cases_are_listed_in_pages_and_by_cause(operator: Program, parcels: Parcels, lost: list[int]) -> None:
    api.cases.sign()
    api.cases.change(lost[2], {"priority": 90, "queue": "cards"}, "ann")
    base = f"/cases?flow={parcels.flow}&limit=2"
    first = operator.get(base).json()
    second = operator.get(f"{base}&cursor={first['next']}").json()
    assert [one["number"] for one in first["items"] + second["items"]] == [lost[2], lost[0], lost[1]]
    assert second["next"] is None
    assert [one["number"] for one in operator.get(f"{base}&queue=cards").json()["items"]] == [lost[2]]
    assert operator.get(f"{base}&closed=true").json()["items"] == []
    [group] = operator.get(f"/cases/groups?flow={parcels.flow}").json()["items"]
    assert (group["open"], group["cause"], group["signature"] != "") == (3, "STUCK", True)
    for wrong in ("cursor=x", "cursor=-1", "state=odd", "wid=x", "severity=odd", "limit=0"):
        problem(operator.get(f"/cases?{wrong}"), 422)
    problem(operator.get("/cases?cursor=99999999999999999999"), 404)


def test_a_case_is_claimed_commented_put_aside_changed_and_given_back(
    operator: Program, owner: User, parcels: Parcels, lost: list[int]
) -> None:
    found = operator.post("/cases/next", {}).json()["case"]
    assert (found["state"], found["owner"]) == ("claimed", owner.username)
    address = f"/cases/{found['number']}"
    assert operator.post(f"{address}/release", {}).json()["state"] == "new"
    other = program(person("zoe", f"flow:{parcels.flow}", permission="change_job"), "repair")
    assert other.post(f"{address}/claim", {"minutes": 5}).json()["state"] == "claimed"
    assert problem(operator.post(f"{address}/claim", {}), 409)["code"] == "WD516"
    assert operator.post(f"{address}/claim", {"take_over": "Zoe is ill."}).json()["owner"] == owner.username
    history = operator.post(f"{address}/comment", {"text": "The bank is asked."}).json()["history"]
    kinds = ["opened", "claimed", "released", "claimed", "taken_over", "commented"]
    assert [one["kind"] for one in history] == kinds
    until = (timezone.now() + timedelta(hours=2)).replace(microsecond=0)
    waiting = operator.post(f"{address}/wait", {"until": until.isoformat()}).json()
    assert (waiting["state"], waiting["waits_until_at"][:19]) == ("waiting", until.isoformat()[:19])
    due = operator.post(f"{address}/change", {"due_at": until.isoformat(), "priority": 80}).json()
    assert (due["priority"], due["severity"], due["due_at"][:19]) == (80, "normal", until.isoformat()[:19])
    assert operator.post(f"{address}/change", {"due_at": None}).json()["due_at"] is None


@pytest.mark.parametrize(
    ("verb", "body"),
    [
        ("claim", {"minutes": 0}),
        ("comment", {"text": ""}),
        ("comment", {"text": "a\x00"}),
        ("wait", {"until": "2020-01-01T00:00:00Z"}),
        ("change", {"severity": "odd"}),
        ("change", {"queue": "No Name"}),
        ("change", {"state": "closed"}),
    ],
)
def test_what_makes_no_sense_is_rejected(
    operator: Program, lost: list[int], verb: str, body: dict[str, Any]
) -> None:
    problem(operator.post(f"/cases/{lost[0]}/{verb}", body), 422)


def test_only_who_may_repair_the_flow_works_on_its_cases(
    owner: User, parcels: Parcels, lost: list[int]
) -> None:
    reader = program(owner, "operate")  # the user may repair, the token may not
    viewer = program(person("vera", f"flow:{parcels.flow}"), "repair")
    elsewhere = program(person("otto", "flow:another", permission="change_job"), "repair")
    narrowed = program(owner, "repair", flows=(parcels.flow,))
    owner.api_tokens.filter(flows=[parcels.flow]).update(flows=["another"])
    one, claim = f"/cases/{lost[0]}", f"/cases/{lost[0]}/claim"
    for caller, answers in (
        (reader, (200, 403, 403)),
        (viewer, (200, 403, 403)),
        (elsewhere, (404, 404, 200)),
        (narrowed, (404, 404, 403)),
    ):
        found = caller.get(one), caller.post(claim, {}), caller.post("/cases/next", {})
        assert tuple(each.status_code for each in found) == answers
        sees = answers[0] == 200
        assert bool(caller.get("/cases").json()["items"]) is sees
        assert bool(caller.get("/cases/groups").json()["items"]) is sees
    assert elsewhere.get(f"/cases?flow={parcels.flow}").status_code == 404
    assert elsewhere.post("/cases/next", {}).json() == {"case": None}
    assert [api.cases.read(number).state for number in lost] == ["new"] * 3
    for number in (999_999_999, 2**63, 10**30):
        assert program(owner, "repair").post(f"/cases/{number}/claim", {}).status_code == 404


def test_a_rule_is_proposed_and_added_to_the_draft(
    operator: Program, owner: User, parcels: Parcels, lost: list[int]
) -> None:
    address = f"/cases/{lost[2]}/rule"
    assert operator.get(address).json() == {"rule": None}
    dora = client_of(person("dora", f"flow:{parcels.flow}", f"flow:{parcels.flow}:design"))
    problem(dora.post(f"/api/v1{address}/draft"), 409)
    for number in lost[:2]:
        api.repairs.repair(api.cases.read(number).wid, "patch", {"changes": {"stage": "sent"}}, "x")
    api.cases.sign()
    rule = operator.get(address).json()["rule"]
    assert (rule["values"], rule["open"], rule["past"], rule["thin"]) == ({"stage": "sent"}, 1, 2, True)
    problem(operator.post(f"{address}/draft", {}), 403)
    draft = dora.post(f"/api/v1{address}/draft").json()
    assert (draft["flow"], draft["branch"]) == (parcels.flow, "main")
    assert api.drafts.read(parcels.flow).definition["triggers"][-1]["predicate"] == rule["condition"]
