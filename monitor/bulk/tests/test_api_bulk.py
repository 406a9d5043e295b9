"""Repairs of many instances over HTTP: what a preview confirmed, progress, results, and approvals."""

from __future__ import annotations

from typing import Any

from flows import api
from flows.capabilities.approvals.api import ApprovalRule
from monitor.tests.conftest import Parcels
from monitor.tests.server.programs import Program, operator, owner, problem

__all__ = ["operator", "owner"]
ASKED: dict[str, Any] = {
    "operation": "patch",
    "q": "status:exception",
    "arguments": {"changes": {"stage": "new"}},
}


def confirmed(seen: dict[str, Any], **more: Any) -> dict[str, Any]:
    given = {"reason": "They were found.", "expected": seen["total"], "digest": seen["digest"]}
    return ASKED | given | more


def test_what_a_preview_confirmed_is_repaired(operator: Program, parcels: Parcels) -> None:
    wids = [parcels.start() for _ in range(3)]
    for wid in wids:
        parcels.make_exception(wid)
    place = f"/flows/{parcels.flow}/repairs"
    seen = operator.post(f"{place}/preview", ASKED | {"limit": 2}).json()
    assert (seen["total"], seen["needed"]) == (3, 0)
    assert [(one["wid"], one["status_after"]) for one in seen["items"]] == [
        (wid, "running") for wid in wids[:2]
    ]
    api.repairs.repair(wids[2], "accept", {}, "x")
    assert problem(operator.post(place, confirmed(seen)), 409)["code"] == "WD505"
    seen = operator.post(f"{place}/preview", ASKED).json()
    answer = operator.post(place, confirmed(seen))
    made = answer.json()
    assert (answer.status_code, made["state"], made["left"], made["proposal"]) == (202, "running", 2, None)
    while api.bulk.continue_bulk():
        pass
    done = operator.get(f"/repairs/{made['id']}").json()
    assert (done["state"], done["done"], done["left"]) == ("finished", 2, 0)
    found = operator.get(f"/repairs/{made['id']}/instances?limit=1&result=done").json()
    assert [(one["wid"], one["result"], one["status"]) for one in found["items"]] == [
        (wids[0], "done", "running")
    ]
    following = operator.get(f"/repairs/{made['id']}/instances?cursor={found['next']}").json()
    assert [one["wid"] for one in following["items"]] == [wids[1]] and following["next"] is None
    assert problem(operator.post(f"/repairs/{made['id']}/withdraw", {}), 409)["code"] == "WD507"
    for wrong in (f"/repairs/{made['id'] + 1000}", f"/repairs/{2**70}"):
        problem(operator.get(wrong), 404)


def test_one_that_needs_approvals_is_proposed(operator: Program, parcels: Parcels) -> None:
    api.approvals.save_rules(parcels.flow, [ApprovalRule(1, "Any", operations=("patch",))], "boss")
    parcels.make_exception(parcels.start())
    place = f"/flows/{parcels.flow}/repairs"
    seen = operator.post(f"{place}/preview", ASKED).json()
    assert (seen["needed"], seen["title"]) == (1, "Any")
    assert problem(operator.post(place, confirmed(seen)), 409)["code"] == "WD520"
    made = operator.post(place, confirmed(seen, propose=True)).json()
    assert made["state"] == "proposed"
    found = operator.get(f"/proposals/{made['proposal']}").json()
    assert (found["bulk"], found["total"], found["wid"]) == (made["id"], 1, None)
    assert problem(operator.post(f"/repairs/{made['id']}/withdraw", {}), 409)["code"] == "WD507"
    assert operator.post(f"/proposals/{made['proposal']}/withdraw", {}).json()["state"] == "withdrawn"
    assert operator.get(f"/repairs/{made['id']}").json()["state"] == "withdrawn"
