"""Proposed repairs over HTTP: programs propose, people approve, and no token does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from flows import api
from flows.capabilities.approvals.api import ApprovalRule
from monitor.tests.conftest import Parcels, client_of, person
from monitor.tests.server.programs import Program, operator, owner, problem

__all__ = ["operator", "owner"]
BODY = {"operation": "patch", "arguments": {"changes": {"stage": "packed"}}, "reason": "It is there."}


@pytest.fixture
def lost(parcels: Parcels) -> int:
    rule = ApprovalRule(1, "Packing by hand", attributes=("stage",), condition="stage = 'packed'")
    api.approvals.save_rules(parcels.flow, [rule], "boss")
    wid = parcels.start()
    parcels.make_exception(wid)
    return wid


def sent(client: Client, address: str, body: dict[str, Any]) -> Any:
    return client.post(f"/api/v1{address}", json.dumps(body), content_type="application/json")


def test_a_repair_is_refused_proposed_and_approved_by_a_person(
    operator: Program, parcels: Parcels, lost: int
) -> None:
    refused = problem(operator.post(f"/instances/{lost}/repair", BODY), 409)
    assert (refused["code"], refused["where"]["needed"], refused["where"]["title"]) == (
        "WD520",
        1,
        "Packing by hand",
    )
    answer = operator.post(f"/instances/{lost}/repair/propose", BODY)
    made = answer.json()
    assert (answer.status_code, made["state"], made["needed"]) == (202, "proposed", 1)
    assert problem(operator.post(f"/instances/{lost}/repair/propose", BODY), 409)["code"] == "WD521"
    place = f"/proposals/{made['number']}"
    assert [one["number"] for one in operator.get(f"/proposals?flow={parcels.flow}").json()["items"]] == [
        made["number"]
    ]
    assert "token" in problem(operator.post(f"{place}/approve", {}), 403)["detail"]
    bea = client_of(person("bea", f"flow:{parcels.flow}"))
    assert sent(bea, f"{place}/approve", {}).status_code == 403
    cleo = client_of(person("cleo", f"flow:{parcels.flow}:approve_repair"))
    done = sent(cleo, f"{place}/approve", {"note": "I saw it."}).json()
    assert (done["state"], done["votes"][0]["note"]) == ("applied", "I saw it.")
    assert api.reasons.explain_instance(lost).state["stage"] == "packed"
    assert operator.get(place).json()["state"] == "applied"


def test_a_proposal_is_rejected_or_withdrawn(operator: Program, parcels: Parcels, lost: int) -> None:
    cleo = client_of(person("cleo", f"flow:{parcels.flow}:approve_repair"))
    number = operator.post(f"/instances/{lost}/repair/propose", BODY).json()["number"]
    assert sent(cleo, f"/proposals/{number}/withdraw", {}).status_code == 403
    assert sent(cleo, f"/proposals/{number}/reject", {"reason": "No."}).json()["state"] == "rejected"
    number = operator.post(f"/instances/{lost}/repair/propose", BODY).json()["number"]
    assert operator.post(f"/proposals/{number}/withdraw", {}).json()["state"] == "withdrawn"
    found = operator.get(f"/proposals?flow={parcels.flow}&closed=true").json()["items"]
    assert [one["state"] for one in found] == ["withdrawn", "rejected"]
    for wrong in (10**12, 10**25):
        problem(operator.get(f"/proposals/{wrong}"), 404)
