"""Repairs that other persons approve, on pages: proposed, approved, rejected, withdrawn."""

from __future__ import annotations

import pytest
from django.test import Client

from flows import api
from flows.capabilities.approvals.api import ApprovalRule
from monitor.recovery.tests.test_repair_page import address, sent
from monitor.tests.conftest import Parcels, client_of, get, person, text_of

LIST = "/cases/approvals/"


@pytest.fixture
def bea(parcels: Parcels, site: None) -> Client:
    return client_of(person("bea", f"flow:{parcels.flow}", permission="change_job"))


@pytest.fixture
def cleo(parcels: Parcels, site: None) -> Client:
    """An approver, who repairs nothing."""
    return client_of(person("cleo", f"flow:{parcels.flow}:approve_repair"))


@pytest.fixture
def lost(parcels: Parcels) -> int:
    """An exception whose repair needs an approval if it is packed."""
    rule = ApprovalRule(1, "Packing by hand", attributes=("stage",), condition="stage = 'packed'")
    api.approvals.save_rules(parcels.flow, [rule], "boss")
    wid = parcels.start(customer="Ana")
    parcels.make_exception(wid)
    return wid


def proposed(client: Client, wid: int) -> str:
    """Propose that the parcel is packed by the page; return the address of the proposal."""
    page = sent(client, wid, get(client, address(wid)), **{"value-stage": "packed"}, do="preview")
    assert "Packing by hand needs one approval by another person." in page
    assert 'value="propose"' in page and 'value="apply"' not in page
    return sent(client, wid, page, do="propose", reason="It is on my desk.")


def answered(client: Client, place: str, verb: str, text: str = "", status: int = 302) -> str:
    response = client.post(f"{place}{verb}/", {"text": text})
    assert response.status_code == status
    return text_of(get(client, place)) if status == 302 else ""


def test_a_repair_is_proposed_and_the_approval_of_another_person_applies_it(
    bea: Client, cleo: Client, lost: int
) -> None:
    place = proposed(bea, lost)
    assert place.startswith("/cases/proposals/")
    page = get(bea, place)
    assert "Packing by hand needs one approval by another person." in page and "Withdraw" in page
    assert "Approve" not in text_of(page).replace("Approvals", "")
    assert "Proposal" in get(bea, address(lost)), "the page of the repair shows what waits"
    assert "(1)" not in get(bea, "/cases/") and "(1)" in get(cleo, "/cases/").replace("\n", "").replace(
        "    ", ""
    )
    assert "1 proposal waits for your approval." in text_of(get(cleo, LIST)) and place in get(cleo, LIST)
    assert cleo.get(address(lost)).status_code == 403
    page = text_of(get(cleo, place))
    assert "It is on my desk." in page and "packed" in page and "Approve" in page and "Reject" in page
    page = answered(cleo, place, "approve", "I saw it.")
    assert (
        f"Instance {lost} is repaired." in page and "cleo in monitor approved" in page and "I saw it." in page
    )
    assert api.reasons.explain_instance(lost).state["stage"] == "packed"
    assert "Nothing waits for approvals" in text_of(get(cleo, LIST))
    assert place in get(cleo, f"{LIST}?show=closed")


def test_what_needs_no_approval_is_applied(bea: Client, lost: int) -> None:
    page = sent(bea, lost, get(bea, address(lost)), **{"value-stage": "new"}, do="preview", reason="x")
    assert 'value="apply"' in page
    assert sent(bea, lost, page, do="apply") == f"/instances/{lost}/"


def test_a_form_that_says_apply_does_not_apply_what_needs_an_approval(bea: Client, lost: int) -> None:
    page = sent(bea, lost, get(bea, address(lost)), **{"value-stage": "packed"}, do="preview", reason="x")
    page = sent(bea, lost, page, do="apply")
    assert "needs an approval by another person" in page and api.reasons.explain_instance(lost).status == "E"


def test_a_proposal_is_rejected_with_a_reason_or_withdrawn(bea: Client, cleo: Client, lost: int) -> None:
    place = proposed(bea, lost)
    answered(bea, place, "approve", status=403)
    answered(cleo, place, "withdraw", status=403)
    assert "needs a reason" in answered(cleo, place, "reject")
    page = answered(cleo, place, "reject", "It is not there.")
    assert "cleo in monitor rejected" in page and "It is not there." in page
    page = answered(bea, proposed(bea, lost), "withdraw")
    assert "The proposal is withdrawn." in page and api.reasons.explain_instance(lost).status == "E"


def test_what_moved_is_not_applied_and_the_page_says_why(bea: Client, cleo: Client, lost: int) -> None:
    place = proposed(bea, lost)
    api.repairs.repair(lost, "patch", {"changes": {"customer": "Bob"}}, "Corrected.")
    page = answered(cleo, place, "approve")
    assert "moved meanwhile" in page and "not applied" in page
    assert api.reasons.explain_instance(lost).state["stage"] == "lost"


def test_a_proposal_of_a_flow_that_a_user_does_not_see_is_not_there(
    mallory: Client, carol: Client, bea: Client, lost: int
) -> None:
    place = proposed(bea, lost)
    assert mallory.get(place).status_code == 404 and place not in get(mallory, LIST)
    assert "Approve" not in text_of(get(carol, place)).replace("Approvals", "")
    answered(carol, place, "approve", status=403)
    answered(mallory, place, "approve", status=404)
    answered(bea, place, "explode", status=404)
    assert bea.get("/cases/proposals/99999999999999999999/").status_code == 404


def test_cancelling_and_operating_are_proposed_where_they_need_an_approval(
    parcels: Parcels, site: None, cleo: Client
) -> None:
    """The rules are the kernel's: the page offers to propose after the kernel has refused."""
    olga = client_of(person("olga", f"flow:{parcels.flow}:operate"))
    rules = [ApprovalRule(1, operations=("cancel", "suspend", "extend"))]
    api.approvals.save_rules(parcels.flow, rules, "boss")
    wid = parcels.start(customer="Ana")
    job = parcels._one("select min(id) from wedsql.job_pool where wid = %s", wid)
    forms = {
        f"/instances/{wid}/cancel/": {},
        f"/instances/{wid}/operate/suspend/": {},
        f"/instances/{wid}/operate/extend/": {"job": job, "time": "5m"},
    }
    for place, fields in forms.items():
        given = fields | {"reason": "It is lost."}
        assert 'value="propose"' not in get(olga, place + (f"?job={job}" if fields else ""))
        page = olga.post(place, given).content.decode()
        assert "needs an approval" in page and 'value="propose"' in page and 'value="It is lost."' in page
        made = olga.post(place, given | {"do": "propose"})
        assert made.status_code == 302 and made["Location"].startswith("/cases/proposals/")
        assert "Withdraw" in get(olga, made["Location"]), "its maker may withdraw it"
        assert api.reasons.explain_instance(wid).status == "R"
        answered(olga, made["Location"], "withdraw")
    again = olga.post(f"/instances/{wid}/cancel/", {"reason": "It is lost.", "do": "propose"})
    answered(cleo, again["Location"], "approve")
    assert api.reasons.explain_instance(wid).status == "C"


def test_a_proposal_and_a_rule_that_no_user_can_approve_say_so(
    bea: Client, lost: int, parcels: Parcels
) -> None:
    place = proposed(bea, lost)
    assert "1 approval that it needs can be given by no active user now" in text_of(get(bea, place))
    dora = client_of(person("dora", f"flow:{parcels.flow}:design"))
    rules = f"/flows/{parcels.flow}/case-rules/?kind=approvals"
    assert "No active user may approve as this rule asks" in text_of(get(dora, rules))
    person("cleo", f"flow:{parcels.flow}:approve_repair")
    assert "no active user" not in text_of(get(bea, place)) and "No active user" not in text_of(
        get(dora, rules)
    )
