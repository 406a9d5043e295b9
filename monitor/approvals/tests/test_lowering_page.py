"""Rules for approvals become weaker by a proposal that another person approves, on pages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client

from flows import api
from flows.capabilities.approvals import approvers
from flows.capabilities.approvals.api import ApprovalRule
from flows.tests.pages import Form
from monitor.tests.conftest import Parcels, client_of, get, person, text_of

RULE = ApprovalRule(1, "Packing by hand", attributes=("stage",), condition="stage = 'packed'")


@pytest.fixture
def dora(parcels: Parcels, site: None) -> Client:
    """Designs the flow, whose rule asks for one approval."""
    api.approvals.save_rules(parcels.flow, [RULE], "boss")
    return client_of(person("dora", f"flow:{parcels.flow}:design"))


@pytest.fixture
def place(parcels: Parcels) -> str:
    return f"/flows/{parcels.flow}/case-rules/?kind=approvals"


def titles(parcels: Parcels) -> list[str]:
    return [one.title for one in api.approvals.list_rules(parcels.flow)]


def removed(client: Client, place: str) -> str:
    """Remove the first rule; return the address of the proposal."""
    seen = Form(get(client, place)).fields["seen"]
    asked = {"row": "0", "seen": seen, "do": "remove"}
    page = client.post(place, asked).content.decode()
    assert "weaker, and needs an approval by another person" in text_of(page) and 'name="propose"' in page
    response = client.post(place, asked | {"propose": "1", "reason": "It is too strict."})
    assert response.status_code == 302
    return str(response["Location"])


def test_a_rule_is_removed_when_another_person_has_approved_it(
    dora: Client, parcels: Parcels, place: str
) -> None:
    proposal = removed(dora, place)
    assert titles(parcels) == ["Packing by hand"]
    page = text_of(get(dora, proposal))
    assert "Rules for approvals" in page and "stage = &#x27;packed&#x27;" in page and "Withdraw" in page
    assert dora.post(f"{proposal}approve/", {"text": ""}).status_code == 403
    assert dora.post(f"{proposal}override/", {"text": "x"}).status_code == 403
    cleo = client_of(person("cleo", f"flow:{parcels.flow}:approve_repair"))
    assert "It is too strict." in text_of(get(cleo, "/cases/approvals/"))
    done = cleo.post(f"{proposal}approve/", {"text": ""}, follow=True).content.decode()
    assert "The rules are changed." in done and titles(parcels) == []


def test_a_rule_is_made_weaker_by_a_proposal_and_stronger_at_once(
    dora: Client, parcels: Parcels, place: str
) -> None:
    edit = place.replace("?", "edit/?") + "&row=0"
    fields = Form(get(dora, edit)).fields
    assert dora.post(edit, fields | {"approvals": "2"}).status_code == 302
    assert [one.approvals for one in api.approvals.list_rules(parcels.flow)] == [2]
    fields = Form(get(dora, edit)).fields
    page = dora.post(edit, fields | {"condition": "stage = 'lost'"}).content.decode()
    assert "approvals by two other persons" in text_of(page) and 'name="reason"' in page
    asked = fields | {"condition": "stage = 'lost'", "propose": "1"}
    assert "needs a reason" in text_of(dora.post(edit, asked).content.decode())
    proposal = str(dora.post(edit, asked | {"reason": "Lost ones."})["Location"])
    assert "stage = &#x27;lost&#x27;" in text_of(get(dora, proposal))
    done = dora.post(f"{proposal}withdraw/", follow=True).content.decode()
    assert "The proposal is withdrawn." in done and titles(parcels) == ["Packing by hand"]


def test_an_administrator_approves_alone_only_where_too_few_other_persons_may(
    dora: Client, parcels: Parcels, place: str
) -> None:
    User.objects.filter(is_superuser=True).update(is_active=False)
    root = client_of(User.objects.create_superuser("only root in monitor"))
    proposal = removed(root, place)
    number = int(proposal.strip("/").rpartition("/")[2])
    page = text_of(get(root, proposal))
    assert "Too few other persons may approve this." in page
    cleo = person("cleo", f"flow:{parcels.flow}:approve_repair")
    assert "Too few other persons" not in text_of(get(root, proposal)), "another person may approve it"
    assert root.post(f"{proposal}override/", {"text": "x"}).status_code == 403
    cleo.is_active = False
    cleo.save()
    assert dora.post(f"{proposal}override/", {"text": "x"}).status_code == 403
    page = root.post(f"{proposal}override/", {"text": "Cleo has left."}, follow=True).content.decode()
    assert "as an administrator" in text_of(page) and titles(parcels) == []
    found = api.approvals.read(number)
    assert [one.administrator for one in found.votes] == [True]
    again = User.objects.get(username="only root in monitor")
    assert not approvers.may_override(again, found), "it is decided"
    wid = parcels.start()
    parcels.make_exception(wid)
    api.approvals.save_rules(parcels.flow, [ApprovalRule(1, "Any")], "boss")
    repair = api.approvals.propose(
        wid, "patch", {"changes": {"stage": "new"}}, "Why.", actor="only root in monitor"
    )
    assert not approvers.may_override(again, repair), "it is a repair"


def test_a_proposal_that_was_withdrawn_is_not_approved_by_an_administrator(
    parcels: Parcels, dora: Client, place: str
) -> None:
    User.objects.filter(is_superuser=True).update(is_active=False)
    root = User.objects.create_superuser("last root in monitor")
    number = int(removed(dora, place).strip("/").rpartition("/")[2])
    found = api.approvals.read(number)
    assert approvers.may_override(root, replace(found, needed=2))
    assert not approvers.may_override(root, replace(api.approvals.withdraw(number, found.maker), needed=2))
