"""What a clerk does case by case, and with many at once: a role that may handle cases and nothing else."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client

from flows import api
from flows.capabilities.cases.api import Case
from flows.tests.pages import Form
from monitor.bulk.tests.test_bulk import confirm, perform
from monitor.tests.conftest import Parcels, client_of, get, person, text_of

DORA = "dora in monitor"


@pytest.fixture
def dora(parcels: Parcels, site: None) -> Client:
    """A clerk: may handle the cases of the parcels."""
    return client_of(person("dora", f"flow:{parcels.flow}", f"flow:{parcels.flow}:handle"))


@pytest.fixture
def failed(parcels: Parcels) -> list[int]:
    """Instances of which a job has failed in all its attempts, for the same reason."""
    wids = [parcels.start(extra={}) for _ in range(3)]
    for wid in wids:
        parcels.park("tr_pack", wid, "no box")
    api.cases.sign()
    return wids


def repair_of(wid: int) -> str:
    return f"/instances/{wid}/repair/"


def links(page: str, begins: str) -> list[str]:
    return [html.unescape(each) for each in re.findall(r'href="([^"]*)"', page) if each.startswith(begins)]


def case_of(wid: int) -> Case:
    return next(one for one in api.cases.list(None, {"wid": wid}) if one.wid == wid)


def test_a_clerk_retries_all_of_a_group_where_retrying_helps(
    dora: Client, parcels: Parcels, failed: list[int]
) -> None:
    cases = get(dora, "/cases/")
    (retry,) = {each for each in links(cases, "/bulk/new/") if "operation=retry" in each}
    page = get(dora, retry)
    offered = re.findall(r'name="operation" value="(\w+)"', page)
    assert offered == ["retry"] and "not permitted" not in page, "only what a clerk may do"
    bulk = confirm(dora, page, operation="retry")
    perform(parcels)
    assert bulk.total == len(failed) and api.bulk.read(bulk.id).done == len(failed)
    assert {api.reasons.explain_instance(wid).status for wid in failed} == {"R"}


def test_the_page_that_repairs_a_group_leads_to_its_retry(
    dora: Client, parcels: Parcels, failed: list[int]
) -> None:
    (group,) = api.cases.groups([parcels.flow])
    page = get(
        dora, f"/cases/repair/?flow={parcels.flow}&cause=ATTEMPTS&signature={group.signature}&operation=patch"
    )
    (retry,) = links(page, "/bulk/new/")
    assert "Operate on 3 instances" in get(dora, retry)


def test_after_a_repair_the_next_case_is_on_the_screen(dora: Client, parcels: Parcels) -> None:
    wids = [parcels.start() for _ in range(2)]
    for wid in wids:
        parcels.make_exception(wid)
    page = get(dora, repair_of(wids[0]))
    given = {name: value for name, value in Form(page).fields.items() if name != "next"}
    typed = {"value-stage": "new", "reason": "Found it."}
    previewed = dora.post(repair_of(wids[0]), given | typed | {"do": "preview"}).content.decode()
    fields = {name: value for name, value in Form(previewed).fields.items() if name != "next"}
    answer = dora.post(repair_of(wids[0]), fields | typed | {"do": "apply"})
    assert (answer.status_code, answer["Location"]) == (302, repair_of(wids[1]))
    assert case_of(wids[1]).owner == DORA, "no other clerk begins with the same one"
    assert f"Instance {wids[0]} is repaired." in get(dora, repair_of(wids[1]))


def test_after_a_retry_the_next_case_is_on_the_screen(
    dora: Client, parcels: Parcels, failed: list[int]
) -> None:
    (retry,) = links(get(dora, repair_of(failed[0])), f"/instances/{failed[0]}/operate/retry/")
    fields = Form(get(dora, retry)).fields
    answer = dora.post(retry.partition("?")[0], fields | {"reason": "The box is there."})
    assert (answer.status_code, answer["Location"]) == (302, repair_of(failed[1]))


def test_a_suspended_exception_says_who_suspended_it_and_why(
    dora: Client, alice: Client, parcels: Parcels, failed: list[int]
) -> None:
    wid = failed[0]
    api.operations.suspend(wid, "The bank is closed.", actor="olga")
    text = text_of(get(dora, repair_of(wid)))
    assert "Suspended by olga" in text and "The bank is closed." in text
    assert "A job failed in all its attempts" not in text and "nothing to repair" not in text
    assert "An operator of the flow has to resume it first" in text, "a clerk may not"
    assert "Suspended by olga" in text_of(get(dora, f"/instances/{wid}/"))
    both = (f"flow:{parcels.flow}:handle", f"flow:{parcels.flow}:operate")
    oscar = client_of(person("oscar", f"flow:{parcels.flow}", *both))
    (resume,) = set(links(get(oscar, repair_of(wid)), f"/instances/{wid}/operate/resume/"))
    fields = Form(get(oscar, resume)).fields
    answer = oscar.post(resume.partition("?")[0], fields | {"reason": "It is open."})
    assert answer["Location"] == repair_of(wid) and "Suspended by" not in text_of(get(oscar, repair_of(wid)))
