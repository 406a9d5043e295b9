"""Repairing a group of cases: from the list, with a preview of each, to the results; no JavaScript."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlencode

import pytest
from django.test import Client

from flows import api
from flows.capabilities.approvals.api import ApprovalRule
from flows.capabilities.bulk.api import Bulk
from monitor.bulk.tests.test_bulk import form_of, perform
from monitor.tests.conftest import Parcels, client_of, get, person, text_of

PATCH = {"value-stage": "new", "reason": "The scanner was broken."}


@pytest.fixture
def bea(parcels: Parcels, site: None) -> Client:
    """A clerk, who handles cases of the parcels and has no other right."""
    return client_of(person("bea", f"flow:{parcels.flow}", permission="handle_cases"))


@pytest.fixture
def lost(parcels: Parcels) -> list[int]:
    """Three exceptions with the same cause."""
    wids = [parcels.start() for _ in range(3)]
    for wid in wids:
        parcels.make_exception(wid)
    api.cases.sign()
    return wids


def page_of(client: Client) -> str:
    """Return the page to which the list of cases leads."""
    (address,) = re.findall(r'href="(/cases/repair/[^"]*)"', get(client, "/cases/"))
    return get(client, address.replace("&amp;", "&"))


def test_from_the_group_to_the_results(bea: Client, parcels: Parcels, lost: list[int]) -> None:
    page = page_of(bea)
    assert "Repair 3 instances" in text_of(page) and 'value="apply"' not in page
    left = {"out": str(lost[1])}
    shown = bea.post("/cases/repair/", form_of(page) | PATCH | left | {"do": "preview"}).content.decode()
    rows = re.findall(r'data-label="What would happen">(.*?)</td>', shown, re.DOTALL)
    assert "Repair 2 instances" in text_of(shown) and len(rows) == 3, rows
    assert all("Pack it" in row for row in rows)
    assert [api.cases.read(one.number).state for one in api.cases.list([parcels.flow])] == ["new"] * 3
    form = form_of(shown) | PATCH | left | {"do": "apply"}
    unseen = bea.post("/cases/repair/", form | {"value-stage": "packed"})
    assert unseen.status_code == 200, "other values than those of the preview are previewed first"
    answer = bea.post("/cases/repair/", form)
    made = api.bulk.read(int(answer["Location"].strip("/").rpartition("/")[2]))
    assert (made.operation, made.total, made.atomic, made.actor) == ("patch", 2, False, "bea in monitor")
    perform(parcels)
    assert "2 / 2" in get(bea, f"/bulk/{made.id}/")
    assert [api.reasons.explain_instance(wid).status for wid in lost] == ["R", "E", "R"]


def test_what_helped_in_such_cases_fills_the_form(bea: Client, parcels: Parcels, lost: list[int]) -> None:
    for operation, values in (("patch", {"changes": {"stage": "sent"}}), ("accept", {})):
        for _each in range(2):
            wid = parcels.start(customer="Bob")
            parcels.make_exception(wid)
            api.cases.sign()
            api.repairs.repair(wid, operation, values, "x", actor="ana")
    page = page_of(bea)
    text = text_of(page)
    assert "What helped in cases like this one" in text and text.count("2 of 2 such cases reached") == 2
    assert "operation=accept" not in page, "a clerk may not do it"
    (key,) = re.findall(r'name="fill" value="(\w+)"', page)
    filled = bea.post("/cases/repair/", form_of(page) | {"fill": key}).content.decode()
    assert re.search(r'<option value="sent" selected>', filled) and 'value="apply"' not in filled
    every = f"/cases/repair/?flow={parcels.flow}&q=status:exception"
    assert "What helped" not in get(bea, every), "instances of different causes"
    sam = client_of(person("sam", f"flow:{parcels.flow}", f"flow:{parcels.flow}:repair"))
    page = get(sam, address_of(get(sam, "/cases/")))
    (query,) = re.findall(r'class="button small" href="(\?[^"]*operation=accept)"', page)
    assert "Accept as they are" in text_of(get(sam, f"/cases/repair/{query.replace('&amp;', '&')}"))


def test_instances_have_their_business_keys(bea: Client, parcels: Parcels) -> None:
    parcels.connection.execute(
        f"update {parcels.flow}.wed_attr set business_key = true where aname = 'customer'"
    )
    wid = parcels.start(customer="Ana Lima")
    parcels.make_exception(wid)
    api.approvals.save_rules(parcels.flow, [ApprovalRule(1)], "boss")
    page = get(bea, f"/cases/repair/?flow={parcels.flow}&cause=STUCK")
    assert "Ana Lima" in text_of(page)
    shown = bea.post("/cases/repair/", form_of(page) | PATCH | {"do": "preview"}).content.decode()
    assert "Ana Lima" in text_of(shown) and "Pack it" in text_of(shown)
    place = bea.post("/cases/repair/", form_of(shown) | PATCH | {"do": "apply"})["Location"]
    assert "Ana Lima" in text_of(get(bea, place)), "to those who approve it"


def test_a_group_that_changed_is_shown_again(bea: Client, parcels: Parcels, lost: list[int]) -> None:
    shown = bea.post("/cases/repair/", form_of(page_of(bea)) | PATCH | {"do": "preview"}).content.decode()
    api.repairs.repair(lost[0], "patch", {"changes": {"stage": "new"}}, "x", conn=parcels.connection)
    answer = bea.post("/cases/repair/", form_of(shown) | PATCH | {"do": "apply"}).content.decode()
    assert "have changed meanwhile" in answer and "Repair 2 instances" in text_of(answer)


def test_what_is_missing_or_not_permitted(bea: Client, parcels: Parcels, lost: list[int]) -> None:
    form = form_of(page_of(bea))
    assert "Enter a value." in bea.post("/cases/repair/", form | {"do": "preview"}).content.decode()
    assert bea.post("/cases/repair/", form | {"operation": "abort"}).status_code == 403
    viewer = client_of(person("vic", f"flow:{parcels.flow}"))
    address = f"/cases/repair/?flow={parcels.flow}&cause=STUCK&signature={form['signature']}"
    assert viewer.get(address).status_code == 403 and "/cases/repair/" not in get(viewer, "/cases/")
    assert "No case of this group is open" in get(bea, f"/cases/repair/?flow={parcels.flow}&cause=x")
    assert client_of(person("mallory")).get(address).status_code == 404


def test_all_or_nothing_is_requested_by_name(bea: Client, parcels: Parcels, lost: list[int]) -> None:
    form = form_of(page_of(bea)) | PATCH | {"mode": "all"}
    shown = bea.post("/cases/repair/", form | {"do": "preview"}).content.decode()
    answer = bea.post(
        "/cases/repair/", form_of(shown) | form | {"do": "apply"} | {"previewed": form_of(shown)["previewed"]}
    )
    assert api.bulk.read(int(answer["Location"].strip("/").rpartition("/")[2])).atomic


def test_what_needs_approvals_is_proposed_and_started_by_another_person(
    bea: Client, parcels: Parcels, lost: list[int]
) -> None:
    rule = ApprovalRule(1, "More than two at once", operations=("patch",), bulk_above=2)
    api.approvals.save_rules(parcels.flow, [rule], "boss")
    shown = bea.post("/cases/repair/", form_of(page_of(bea)) | PATCH | {"do": "preview"}).content.decode()
    assert "More than two at once needs one approval by another person." in text_of(shown)
    assert re.search(r'value="apply" class="primary">\s*Propose\s*<', shown)
    few = form_of(shown) | PATCH | {"do": "preview", "out": str(lost[0])}
    assert "Repair 2 instances" in text_of(bea.post("/cases/repair/", few).content.decode())
    place = bea.post("/cases/repair/", form_of(shown) | PATCH | {"do": "apply"})["Location"]
    found = api.approvals.read(int(place.strip("/").rpartition("/")[2]))
    page = text_of(get(bea, place))
    assert (found.maker, found.total) == ("bea in monitor", 3) and "3 instances" in page
    assert "Stage new" in page and page.count("Pack it") == 3, "what it does to the first"
    assert "waits for approval" in text_of(get(bea, f"/bulk/{found.bulk}/"))
    cleo = client_of(person("cleo", f"flow:{parcels.flow}:approve_repair"))
    listed = text_of(get(cleo, "/cases/approvals/"))
    assert "3 instances" in listed and "1 proposal waits for your approval." in listed
    answer = cleo.post(f"{place}approve/", {"text": ""}, follow=True).content.decode()
    assert "It is in progress now." in text_of(answer)
    perform(parcels)
    assert [api.reasons.explain_instance(wid).status for wid in lost] == ["R"] * 3


def address_of(page: str) -> str:
    """Return the address of the repair of many to which a page leads."""
    (address,) = re.findall(r'href="(/cases/repair/[^"]*)"', page)
    return str(address).replace("&amp;", "&")


def requested(client: Client, page: str, **given: str) -> Bulk:
    """Preview the form of a page, confirm it, and return what is requested."""
    typed = form_of(page) | {"reason": "The scanner was broken."} | given
    shown = client.post("/cases/repair/", typed | {"do": "preview"}).content.decode()
    answer = client.post("/cases/repair/", form_of(shown) | typed | form_of(shown) | {"do": "apply"})
    assert answer.status_code == 302, text_of(answer.content.decode())
    return api.bulk.read(int(answer["Location"].strip("/").rpartition("/")[2]))


def test_from_the_list_of_instances_with_its_filter(bea: Client, parcels: Parcels, lost: list[int]) -> None:
    ana = [parcels.start(customer="Ana") for _ in range(2)]
    for wid in ana:
        parcels.make_exception(wid)
    page = get(bea, address_of(get(bea, f"/flows/{parcels.flow}/?q=customer:Ana&exact=1")))
    assert "Repair 2 instances" in text_of(page) and "customer:Ana" in text_of(page)
    both = form_of(page) | PATCH | {"empty": "stage", "do": "preview"}
    assert "Choose one." in bea.post("/cases/repair/", both).content.decode()
    made = requested(bea, page, **{"value-stage": "new", "empty": "customer"})
    assert made.arguments == {"changes": {"stage": "new", "customer": None}}
    assert (made.total, made.query) == (2, f"flow:{parcels.flow} customer:Ana")
    perform(parcels)
    assert {api.reasons.explain_instance(wid).state["customer"] for wid in ana} == {None}


def test_from_the_cases_of_a_cause_with_their_filter(bea: Client, parcels: Parcels, lost: list[int]) -> None:
    listed = get(bea, f"/cases/?flow={parcels.flow}&cause=STUCK")
    assert "Repair 3 instances" in text_of(get(bea, address_of(listed)))
    assert "/cases/repair/" not in get(bea, f"/cases/?flow={parcels.flow}&cause=STUCK&show=closed")


def test_jobs_are_completed_and_skipped(bea: Client, parcels: Parcels) -> None:
    wids = [parcels.start() for _ in range(2)]
    address = f"/cases/repair/?flow={parcels.flow}&q=status:running&operation="
    page = get(bea, f"{address}complete&transition=tr_label")
    assert "Pack it: 2 instances" in text_of(page)
    made = requested(bea, page, **{"value-extra": '{"a": 1}', "transition": "tr_label"})
    assert (made.operation, made.transition) == ("complete", "tr_label")
    perform(parcels)
    assert {api.reasons.explain_instance(wid).state["extra"]["a"] for wid in wids} == {1}
    chosen = bea.post("/cases/repair/", form_of(page) | {"transition": "tr_pack", "do": "choose"})
    assert 'name="value-stage"' in chosen.content.decode()
    made = requested(bea, get(bea, f"{address}skip"), transition="tr_pack")
    assert (made.operation, made.transition, made.total) == ("skip", "tr_pack", 2)
    assert "No instance matches." in get(bea, f"/cases/repair/?flow={parcels.flow}&q=status:final")


def test_the_repair_of_many_that_is_sent_twice_is_requested_once(
    bea: Client, parcels: Parcels, lost: list[int]
) -> None:
    shown = bea.post("/cases/repair/", form_of(page_of(bea)) | PATCH | {"do": "preview"}).content.decode()
    apply = form_of(shown) | PATCH | {"do": "apply"}
    assert bea.post("/cases/repair/", apply).status_code == 302
    again = bea.post("/cases/repair/", apply, follow=True).content.decode()
    assert "This form was sent before" in again and len(api.bulk.list([parcels.flow])) == 1


def test_steps_are_undone_by_their_number(site: None, parcels: Parcels, lost: list[int]) -> None:
    sam = client_of(person("sam", f"flow:{parcels.flow}", f"flow:{parcels.flow}:repair"))
    page = get(sam, f"/bulk/new/?flow={parcels.flow}&q=status:exception")
    links = re.findall(r'href="(/cases/repair/[^"]*operation=rollback[^"]*)"', page)
    page = get(sam, links[0].replace("&amp;", "&"))
    for wrong in ("", "0", "1001", "many"):
        given = form_of(page) | {"steps": wrong, "reason": "x", "do": "preview"}
        shown = sam.post("/cases/repair/", given).content.decode()
        assert "is no number of steps from 1 to 1000" in text_of(shown) and 'value="apply"' not in shown
    made = requested(sam, page, steps="1", override="1", hold="1")
    assert made.arguments == {"steps": 1, "hold": True, "override": True}
    perform(parcels)
    assert {api.reasons.explain_instance(wid).status for wid in lost} == {"S"}


def test_what_was_refused_is_repaired_again(bea: Client, parcels: Parcels, lost: list[int]) -> None:
    made = requested(bea, page_of(bea), **{"value-stage": "new"})
    api.repairs.repair(lost[0], "patch", {"changes": {"customer": "x"}}, "x", conn=parcels.connection)
    perform(parcels)
    assert "/cases/repair/" not in get(bea, f"/bulk/{made.id}/")
    page = get(bea, address_of(get(bea, f"/bulk/{made.id}/?result=refused")))
    assert re.findall(r'href="/instances/(\d+)/"', page) == [str(lost[0])]
    again = requested(bea, page, **{"value-stage": "new"})
    assert (again.total, again.query) == (1, f"flow:{parcels.flow} bulk:{made.id} result:refused")
    perform(parcels)
    assert {api.reasons.explain_instance(wid).status for wid in lost} == {"R"}


def test_a_filter_that_cannot_be_used_is_said(bea: Client, parcels: Parcels) -> None:
    for query in ("nope:1", "id:x", "status:"):
        answer = bea.get("/cases/repair/", {"flow": parcels.flow, "q": query})
        assert answer.status_code == 200 and 'role="alert"' in answer.content.decode(), query


def test_the_page_says_to_how_many_a_repair_applies_before_the_button(bea: Client, parcels: Parcels) -> None:
    lost, sent = parcels.start_many(3, customer="Ana"), parcels.start(customer="Ana")
    for wid in lost:
        parcels.make_exception(wid)
    parcels.send(sent)
    address = f"/cases/repair/?{urlencode({'flow': parcels.flow, 'q': 'customer:Ana'})}"
    page = get(bea, address)
    text = text_of(page)
    assert "Repair 3 instances" in text and "4 instances are selected: applies to 3 of them" in text
    (only,) = re.findall(r'href="(\?[^"]*)">\s*Select only these 3', page)
    assert "are selected" not in text_of(get(bea, "/cases/repair/" + unescape(only)))
    shown = bea.post("/cases/repair/", form_of(page) | PATCH | {"do": "preview"}).content.decode()
    assert re.search(r'value="apply"[^>]*>\s*Repair 3 instances', shown)


@pytest.mark.parametrize("operation", ["complete", "skip"])
def test_a_repair_of_a_job_applies_to_instances_with_such_a_job(
    bea: Client, parcels: Parcels, operation: str
) -> None:
    lost, running = parcels.start(customer="Ana"), parcels.start_many(2, customer="Ana", extra={})
    parcels.make_exception(lost)
    parcels.do("tr_pack", running[0], stage="packed")
    given = {"flow": parcels.flow, "operation": operation, "q": "customer:Ana"}
    for transition in ("tr_pack", "tr_send"):
        text = text_of(get(bea, f"/cases/repair/?{urlencode(given | {'transition': transition})}"))
        assert "Repair 1 instance" in text and "3 instances are selected: applies to 1 of them" in text
    text = text_of(get(bea, f"/cases/repair/?{urlencode(given | {'q': f'id:{lost}'})}"))
    assert "applies to none of them" in text
