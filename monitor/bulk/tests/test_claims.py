"""Cases that other persons have claimed: a repair of many, and one over HTTP, says so and asks once."""

from __future__ import annotations

import pytest
from django.test import Client

from flows import api
from monitor.bulk.tests.test_api_bulk import ASKED, confirmed
from monitor.bulk.tests.test_bulk import form_of, perform
from monitor.bulk.tests.test_repair_many import PATCH, bea, lost, page_of
from monitor.tests.conftest import Parcels, text_of
from monitor.tests.server.programs import Program, operator, owner, problem

__all__ = ["bea", "lost", "operator", "owner"]


def kinds(parcels: Parcels) -> list[str]:
    """Return the kinds of the messages to bob about the flow."""
    return [one.kind for one in api.persons.messages("bob") if one.flow == parcels.flow]


def claimed(parcels: Parcels, wid: int, by: str = "bob") -> int:
    (case,) = api.cases.list([parcels.flow], {"wid": wid})
    api.cases.claim(case.number, by)
    return case.number


def test_a_page_of_many_names_who_has_claimed_some_and_asks_once(
    bea: Client, parcels: Parcels, lost: list[int]
) -> None:
    claimed(parcels, lost[0])
    page = page_of(bea)
    shown = bea.post("/cases/repair/", form_of(page) | PATCH | {"do": "preview"}).content.decode()
    assert "bob has claimed 1 of these cases." in text_of(shown)
    claimed(parcels, lost[1])
    asked = bea.post("/cases/repair/", form_of(shown) | PATCH | {"do": "apply"})
    again = asked.content.decode()
    assert asked.status_code == 200 and "Send it again to go on." in again
    assert "bob has claimed 2 of these cases." in text_of(again)
    assert bea.post("/cases/repair/", form_of(again) | PATCH | {"do": "apply"}).status_code == 302
    perform(parcels)
    assert kinds(parcels) == ["o", "o"], "who lost the cases gets messages"


def test_those_that_are_left_out_are_not_asked_about(bea: Client, parcels: Parcels, lost: list[int]) -> None:
    claimed(parcels, lost[0])
    left = {"out": str(lost[0])}
    page = page_of(bea)
    shown = bea.post("/cases/repair/", form_of(page) | PATCH | left | {"do": "preview"}).content.decode()
    assert "bob has claimed" not in text_of(shown)
    answer = bea.post("/cases/repair/", form_of(shown) | PATCH | left | {"do": "apply"})
    assert answer.status_code == 302


def test_a_request_of_many_confirms_how_many_are_claimed(operator: Program, parcels: Parcels) -> None:
    wids = [parcels.start() for _ in range(2)]
    for wid in wids:
        parcels.make_exception(wid)
    place = f"/flows/{parcels.flow}/repairs"
    claimed(parcels, wids[0])
    seen = operator.post(f"{place}/preview", ASKED).json()
    assert seen["claimed"] == 1
    assert [(one["owner"], one["cases"], bool(one["since"])) for one in seen["claims"]] == [("bob", 1, True)]
    said = problem(operator.post(place, confirmed(seen)), 409)
    assert "bob" in said["detail"] and "“claimed” 1" in said["hint"]
    claimed(parcels, wids[1], "cid")
    problem(operator.post(place, confirmed(seen, claimed=1)), 409)
    assert operator.post(place, confirmed(seen, claimed=2)).status_code == 202


@pytest.mark.parametrize("by", ["bob", "the program itself"])
def test_a_repair_over_http_names_who_has_claimed_the_case(
    by: str, operator: Program, parcels: Parcels
) -> None:
    wid = parcels.start()
    parcels.make_exception(wid)
    if by == "bob":
        claimed(parcels, wid)
    else:
        (case,) = api.cases.list([parcels.flow], {"wid": wid})
        assert operator.post(f"/cases/{case.number}/claim", {}).status_code == 200
    body = {"operation": "patch", "reason": "x", "arguments": {"changes": {"stage": "new"}}}
    place, seq = f"/instances/{wid}/repair", api.reasons.explain_instance(wid).seq
    preview = operator.post(f"{place}/preview", {name: body[name] for name in ("operation", "arguments")})
    if by != "bob":
        assert preview.json()["claim"] is None and operator.post(place, body).status_code == 200
        return
    assert preview.json()["claim"]["owner"] == "bob"
    for wrong in ({}, {"claimed_by": "cid"}):
        said = problem(operator.post(place, body | wrong), 409)
        assert said["code"] == "WD516" and "bob has claimed" in said["detail"]
    assert api.reasons.explain_instance(wid).seq == seq
    assert operator.post(place, body | {"claimed_by": "bob"}).status_code == 200
    assert kinds(parcels) == ["o"]
