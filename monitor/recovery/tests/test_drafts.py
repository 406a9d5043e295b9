"""Drafts of repairs: kept per case and user, filled in again, and removed when they are applied."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from flows import api
from flows.tests.pages import Form
from monitor.cases.tests.test_cases_page import bea, case_of, lost
from monitor.models import CaseDraft
from monitor.recovery import drafts
from monitor.tests.conftest import Parcels, client_of, get, person

__all__ = ["bea", "lost"]


def keep(client: Client, wid: int, query: str = "", **given: str) -> str:
    """Keep what is typed as a draft, and return the page of the repair."""
    address = f"/instances/{wid}/repair/{query}"
    fields = Form(get(client, address)).fields | given
    done = client.post(f"/cases/{case_of(wid).number}/draft/", {"do": "keep"} | fields)
    assert (done.status_code, done["Location"]) == (302, address)
    return get(client, address)


def test_a_draft_is_filled_in_again_until_it_is_applied(bea: Client, lost: list[int]) -> None:
    wid, other = lost[0], lost[1]
    page = keep(bea, wid, **{"value-stage": "new", "value-weight": "heavy", "reason": "Found."})
    fields = Form(page).fields
    assert "Your draft is filled in" in page
    assert (fields["value-stage"], fields["value-weight"], fields["reason"]) == ("new", "heavy", "Found.")
    assert "Your draft" not in get(bea, f"/instances/{other}/repair/")
    api.repairs.repair(wid, "patch", {"changes": {"customer": "Ann"}}, "A colleague.", actor="carl")
    fields = Form(get(bea, f"/instances/{wid}/repair/")).fields
    assert fields["value-customer"] == "Ann", "only what was typed is kept, not the state of then"
    given = fields | {"value-weight": "", "do": "preview"}
    page = bea.post(f"/instances/{wid}/repair/", given).content.decode()
    done = bea.post(f"/instances/{wid}/repair/", Form(page).fields | {"do": "apply"})
    assert done.status_code == 302 and api.reasons.explain_instance(wid).status == "R"
    assert not CaseDraft.objects.exists()


def test_there_is_a_draft_per_way_to_repair(bea: Client, lost: list[int]) -> None:
    wid, again = lost[0], "?operation=replay&step=2"
    keep(bea, wid, **{"value-stage": "new"})
    page = keep(bea, wid, "?operation=abort", reason="Sent back.", override="1")
    assert "Your draft is filled in" in page and Form(page).fields["reason"] == "Sent back."
    assert Form(page).fields["override"] == "1" and '<a href="?operation=patch">New values</a>' in page
    page = keep(bea, wid, again, **{"value-weight": "3"})
    assert Form(page).fields["value-weight"] == "3" and 'href="?operation=abort"' in page
    assert CaseDraft.objects.count() == 3
    assert "Your draft" not in get(bea, f"/instances/{wid}/repair/?operation=replay&step=1")
    bea.post(f"/cases/{case_of(wid).number}/draft/", {"do": "discard", "operation": "replay", "step": "2"})
    assert "Your draft" not in get(bea, f"/instances/{wid}/repair/{again}")
    assert Form(get(bea, f"/instances/{wid}/repair/")).fields["value-stage"] == "new"
    page = bea.post(
        f"/instances/{wid}/repair/",
        Form(get(bea, f"/instances/{wid}/repair/")).fields | {"do": "preview", "reason": "x"},
    )
    bea.post(f"/instances/{wid}/repair/", Form(page.content.decode()).fields | {"do": "apply"})
    assert not CaseDraft.objects.exists(), "the case is repaired"


def test_only_the_user_sees_and_discards_a_draft(bea: Client, parcels: Parcels, lost: list[int]) -> None:
    wid = lost[0]
    number = case_of(wid).number
    keep(bea, wid, reason="Mine.")
    carl = client_of(person("carl", f"flow:{parcels.flow}", permission="change_job"))
    assert "Mine." not in get(carl, f"/instances/{wid}/repair/")
    carl.post(f"/cases/{number}/draft/", {"do": "discard"})
    assert "Mine." in get(bea, f"/instances/{wid}/repair/")
    bea.post(f"/cases/{number}/draft/", {"do": "discard"})
    assert "Mine." not in get(bea, f"/instances/{wid}/repair/")
    viewer = client_of(person("vera", f"flow:{parcels.flow}"))
    mallory = client_of(person("mallory"))
    for client, answer in ((viewer, 403), (mallory, 404)):
        assert client.post(f"/cases/{number}/draft/", {"reason": "x"}).status_code == answer
    for missing in (999_999_999, 2**63):
        assert bea.post(f"/cases/{missing}/draft/", {"reason": "x"}).status_code == 404
    assert not CaseDraft.objects.exists()


def test_drafts_are_bounded_in_size_number_and_age(
    bea: Client, lost: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts, "MOST", 2)
    assert "too long" in keep(bea, lost[0], **{"value-customer": "x" * drafts.LONGEST})
    assert "nothing to keep" in keep(bea, lost[0])
    assert not CaseDraft.objects.exists()
    for wid in lost:
        keep(bea, wid, reason="Mine.\x00")
    found = CaseDraft.objects.values_list("case", "reason")
    assert sorted(found) == [(case_of(wid).number, "Mine.") for wid in lost[1:]]
    old = CaseDraft.objects.get(case=case_of(lost[1]).number)
    CaseDraft.objects.filter(pk=old.pk).update(saved_at=old.saved_at - drafts.KEPT - timedelta(hours=1))
    keep(bea, lost[2], reason="Again.")
    assert [one.reason for one in CaseDraft.objects.all()] == ["Again."]


def test_a_script_that_keeps_a_draft_gets_no_page(bea: Client, lost: list[int]) -> None:
    given = {"value-customer": "An\x00n", "quiet": "1"}
    done = bea.post(f"/cases/{case_of(lost[0]).number}/draft/", given)
    assert (done.status_code, done.content) == (204, b"")
    assert Form(get(bea, f"/instances/{lost[0]}/repair/")).fields["value-customer"] == "Ann"
