"""A clerk handles cases: patch, complete, skip and retry, and nothing that needs the right to repair."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from flows import api
from flows.tests.pages import Form
from monitor.tests.conftest import Parcels, client_of, get, person, text_of
from monitor.tests.server.programs import problem, program

BEYOND = ("accept", "abort", "rollback", "replay", "migrate", "compensate", "branch", "skip_compensation")


@pytest.fixture
def clerk(parcels: Parcels, site: None) -> User:
    return person("cleo", f"flow:{parcels.flow}:handle")


@pytest.fixture
def cleo(clerk: User) -> Client:
    return client_of(clerk)


@pytest.fixture
def lost(parcels: Parcels) -> int:
    """An exception: its stage is lost, and no condition holds."""
    wid = parcels.start(customer="Ana")
    parcels.make_exception(wid)
    return wid


def address(wid: int) -> str:
    return f"/instances/{wid}/repair/"


def test_a_clerk_gives_an_exception_new_values_and_is_offered_nothing_else(cleo: Client, lost: int) -> None:
    page = get(cleo, address(lost))
    assert "Accept as it is" not in page and "Undo all steps" not in page and "Technical view" not in page
    given = Form(page).fields | {"value-stage": "new", "reason": "Found."}
    given = Form(cleo.post(address(lost), given | {"do": "preview"}).content.decode()).fields
    cleo.post(address(lost), given | {"do": "apply", "reason": "Found."})
    assert api.reasons.explain_instance(lost).status == "R"
    page = get(cleo, f"/instances/{lost}/")
    assert "Undo all steps" not in page and "operation=skip" in page and "Withdraw" not in page
    assert "Roll back to here" not in get(cleo, f"/instances/{lost}/steps/1/")


@pytest.mark.parametrize("operation", BEYOND)
def test_what_needs_the_right_to_repair_is_forbidden(operation: str, cleo: Client, lost: int) -> None:
    before = api.reasons.explain_instance(lost)
    for method in ("get", "post"):
        given = {"operation": operation, "step": "1", "do": "apply", "reason": "x"}
        answer = getattr(cleo, method)(address(lost), given)
        assert answer.status_code == 403
        assert "You may handle cases of this flow, but not do this operation." in answer.content.decode()
    after = api.reasons.explain_instance(lost)
    assert (after.status, after.seq) == (before.status, before.seq)


def test_http_asks_the_same_of_the_user_and_of_the_token(clerk: User, parcels: Parcels, lost: int) -> None:
    path = f"/instances/{lost}/repair"
    patch = {"operation": "patch", "arguments": {"changes": {"stage": "new"}}, "reason": "Found."}
    accept = {"operation": "accept", "reason": "x"}
    senior = person("sam", f"flow:{parcels.flow}:repair")
    for caller in (program(clerk, "handle", "repair"), program(senior, "handle")):
        for given in (accept, {"operation": "abort", "reason": "x"}):
            problem(caller.post(f"{path}/preview", {"operation": given["operation"]}), 403)
            problem(caller.post(path, given), 403)
        assert caller.post(f"{path}/preview", {**patch, "reason": None}).status_code == 422
    problem(program(clerk).post(path, patch), 403)
    assert program(clerk, "handle").get(f"/flows/{parcels.flow}").json()["rights"] == ["handle", "see"]
    assert program(clerk, "handle").post(path, patch).json()["status"] == "running"


def test_a_clerk_claims_a_case_and_a_senior_clerk_takes_it_over(
    cleo: Client, clerk: User, parcels: Parcels, lost: int
) -> None:
    (case,) = api.cases.list([parcels.flow], {"wid": lost})
    sam = client_of(person("sam", f"flow:{parcels.flow}:repair"))
    sam.post(f"/cases/{case.number}/claim/")
    assert "Take over" not in get(cleo, address(lost)), "a clerk does not take over"
    answer = cleo.post(f"/cases/{case.number}/claim/", {"text": "Mine."})
    assert answer.status_code == 403 and "not take over" in answer.content.decode()
    claim = f"/cases/{case.number}/claim"
    problem(program(clerk, "handle").post(claim, {"take_over": "Mine."}), 403)
    problem(program(clerk, "handle").post(claim, {}), 409)
    cleo.post(f"/cases/{case.number}/comment/", {"text": "The bank is asked."})
    assert "The bank is asked." in get(sam, address(lost))
    sam.post(f"/cases/{case.number}/release/")
    cleo.post("/cases/next/")
    assert api.cases.read(case.number).owner == "cleo in monitor"
    sam.post(f"/cases/{case.number}/claim/", {"text": "Cleo is ill."})
    assert api.cases.read(case.number).owner == "sam in monitor"


def test_the_whole_error_of_a_job_is_in_the_technical_view(cleo: Client, parcels: Parcels) -> None:
    wid = parcels.start(extra={})
    parcels.park("tr_pack", wid, "no box\nTraceback: line 1")
    sam = client_of(person("sam", f"flow:{parcels.flow}:repair"))
    page, technical = get(cleo, address(wid)), get(sam, address(wid))
    assert "1 attempt failed. no box Retry now" in text_of(page) and "Traceback" not in page
    assert "Traceback: line 1" in technical and "<code>stage = &#x27;new&#x27;" in technical
    job = Form(page)
    assert job.fields and "operate/retry" in page
    (parked,) = [one for one in api.reasons.explain_jobs(wid) if one.transition == "tr_pack"]
    cleo.post(f"/instances/{wid}/operate/retry/?job={parked.id}", {"job": parked.id, "reason": "Again."})
    assert api.reasons.explain_instance(wid).status == "R"


def test_a_clerk_does_not_undo_what_a_senior_accepted(
    cleo: Client, clerk: User, parcels: Parcels, lost: int
) -> None:
    api.repairs.repair(lost, "accept", {}, "It is lost.", actor="sue")
    assert "Undo the repair" not in get(cleo, f"/instances/{lost}/")
    undone = {"seq": str(api.reasons.explain_instance(lost).seq)}
    assert cleo.post(f"/instances/{lost}/undo/", undone).status_code == 403
    asked = {"operation": "undo", "arguments": {}}
    for place, more in (
        ("repair", {"reason": "x"}),
        ("repair/preview", {}),
        ("repair/propose", {"reason": "x"}),
    ):
        problem(program(clerk, "handle").post(f"/instances/{lost}/{place}", asked | more), 403)
    sue = client_of(person("sue", f"flow:{parcels.flow}:repair"))
    assert "Undo the repair" in get(sue, f"/instances/{lost}/")
    sue.post(f"/instances/{lost}/undo/", undone)
    assert api.reasons.explain_instance(lost).status == "E"
