"""Children of an instance on its page, on their own page and over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from flows import api
from flows.models import Job
from monitor.tests.conftest import client_of, person, unique
from monitor.tests.server.programs import problem, program


@pytest.fixture
def family(site: None) -> Iterator[tuple[str, int, int]]:
    """A flow, an order of it that waits for two parts, and the job that waits."""
    name = unique()
    api.flows.create(name)
    attributes = [{"name": "kind"}, {"name": "ready", "type": "integer"}]
    split = {"transition": "split", "predicate": "kind = 'order' and ready is null", "child": name}
    split |= {"child_count": "2", "child_set": ["kind = 'part'"], "child_result": ["ready = children_done"]}
    triggers = [
        split,
        {"transition": "pack", "predicate": "kind = 'part' and ready is null"},
        {"predicate": "ready is not null", "final": True},
    ]
    api.flows.publish(name, {"attributes": attributes, "triggers": triggers})
    wid = api.instances.start(name, {"kind": "order"})
    while api.children.continue_children() is not None:
        pass
    yield name, wid, api.children.jobs(wid)[0].job_id
    api.flows.drop(name, force=True)


def test_the_page_of_an_instance_counts_its_children_and_links_them(
    alice: Client, family: tuple[str, int, int]
) -> None:
    _name, wid, job = family
    page = alice.get(f"/instances/{wid}/").content.decode()
    assert "0 of 2 done, 0 failed" in page and f"/instances/{wid}/children/?job={job}" in page
    assert "It waits for its children: 0 of 2 have ended." in page
    listed = alice.get(f"/instances/{wid}/children/?job={job}").content.decode()
    first, second = (child.wid for child in api.children.list(wid))
    assert f'href="/instances/{first}/"' in listed and f'href="/instances/{second}/"' in listed
    assert f'href="/instances/{second}/"' in alice.get(f"/instances/{wid}/children/?after=1").content.decode()
    assert (
        f'href="/instances/{first}/"' not in alice.get(f"/instances/{wid}/children/?after=1").content.decode()
    )
    assert f'href="/instances/{wid}/"' in alice.get(f"/instances/{first}/").content.decode()
    assert "No children" in alice.get(f"/instances/{first}/children/").content.decode()


def test_who_may_not_see_the_flow_of_a_child_gets_no_link(
    payments: str, family: tuple[str, int, int]
) -> None:
    name, _wid, _job = family
    triggers = [{"transition": "split", "predicate": "paid is null", "child": name}]
    triggers[0]["child_set"] = ["kind = 'part'"]  # type: ignore[assignment]
    attributes = [{"name": "paid"}]
    api.flows.publish(payments, {"attributes": attributes, "triggers": triggers})
    parent = api.instances.start(payments)
    while api.children.continue_children() is not None:
        pass
    (child,) = api.children.list(parent)
    viewer = client_of(person("vera", f"flow:{payments}:see"))
    listed = viewer.get(f"/instances/{parent}/children/").content.decode()
    assert str(child.wid) in listed and f'href="/instances/{child.wid}/"' not in listed
    seen = program(person("vic", f"flow:{payments}:see"), "operate").get(f"/instances/{parent}/children")
    assert seen.json()["items"] == [] and seen.json()["jobs"][0]["total"] == 1


def test_children_are_listed_and_added_over_http(family: tuple[str, int, int]) -> None:
    name, wid, job = family
    operator = program(person("omar", f"flow:{name}:operate"), "operate")
    found = operator.get(f"/instances/{wid}/children?limit=1").json()
    assert [child["number"] for child in found["items"]] == [1] and found["next"] == 1
    assert found["jobs"][0] | {"id": job, "total": 2, "started": 2, "open": True} == found["jobs"][0]
    more = operator.get(f"/instances/{wid}/children?after=1&job={job}").json()
    assert [child["status"] for child in more["items"]] == ["running"] and more["next"] is None
    assert operator.post(f"/instances/{wid}/jobs/{job}/children", {"count": 3}).json() == {"total": 5}
    child = found["items"][0]["instance"]
    (pack,) = (each.id for each in api.reasons.explain_jobs(child))
    refused = operator.post(f"/instances/{child}/jobs/{pack}/children", {"count": 1})
    assert problem(refused, 409)["code"] == "WD581"
    viewer = program(person("vera", f"flow:{name}:see"), "operate")
    assert problem(viewer.post(f"/instances/{wid}/jobs/{job}/children", {"count": 1}), 403)


def test_the_list_says_who_ended_a_child_and_why(alice: Client, family: tuple[str, int, int]) -> None:
    _name, wid, job = family
    first, _second = (child.wid for child in api.children.list(wid))
    api.instances.cancel(first, "The part is out of stock.", actor="ana")
    page = " ".join(alice.get(f"/instances/{wid}/children/").content.decode().split())
    assert "ana: The part is out of stock." in page and page.count('<span class="small dim">') == 1
    assert [*api.children.ends(wid, job)] == [1] and api.children.ends(wid, job, after=1) == {}


def test_a_child_that_is_repaired_later_counts_as_repaired(alice: Client, site: None) -> None:
    name = unique()
    api.flows.create(name)
    split = {"transition": "split", "predicate": "kind = 'order' and ready is null", "child": name}
    split |= {"child_set": ["kind = 'part'"], "child_exception": "fail"}
    split |= {"child_result": ["ready = children_failed"]}
    triggers = [
        split,
        {"transition": "pack", "predicate": "kind = 'part' and ready is null"},
        {"predicate": "ready is not null", "final": True},
    ]
    attributes = [{"name": "kind"}, {"name": "ready", "type": "integer"}]
    api.flows.publish(name, {"attributes": attributes, "triggers": triggers})
    wid = api.instances.start(name, {"kind": "order"})
    api.children.continue_children()
    (child,) = api.children.list(wid)
    pack = Job.objects.get(wid=child.wid, transition="pack")
    api.repairs.repair(
        child.wid, "complete", {"job": pack.pk, "changes": {"kind": "odd"}}, "A mistake.", actor="ana"
    )
    while api.children.continue_children() is not None:
        pass
    (job,) = api.children.jobs(wid)
    page = f"/instances/{wid}/children/"
    assert "No rule applies" in alice.get(page).content.decode() and (job.failed, job.done) == (1, 0)
    assert api.children.repaired(wid, job.job_id) == 0
    api.repairs.repair(child.wid, "patch", {"changes": {"ready": 1}}, "It is packed.", actor="ana")
    assert api.children.repaired(wid, job.job_id) == 1
    assert "1 of the failed ones was repaired later, and is final." in alice.get(page).content.decode()
    api.flows.drop(name, force=True)


def test_only_failed_children_of_the_job_that_are_final_now_were_repaired(site: None) -> None:
    """Neither those that were final before, nor those of another job, nor a child that was cancelled."""
    name = unique()
    api.flows.create(name)
    once = {"transition": "once", "predicate": "kind = 'order' and ready is null", "child": name}
    thrice = {"transition": "thrice", "predicate": "kind = 'order' and ready = 1 and sent is null"}
    part = {"child_set": ["kind = 'part'"], "child_exception": "fail"}
    triggers = [
        once | part | {"child_result": ["ready = children_done"]},
        thrice | part | {"child": name, "child_count": "3", "child_result": ["sent = children_failed"]},
        {"transition": "pack", "predicate": "kind = 'part' and ready is null"},
        {"predicate": "kind = 'part' and ready is not null or sent is not null", "final": True},
    ]
    numbers = [{"name": each, "type": "integer"} for each in ("ready", "sent")]
    api.flows.publish(name, {"attributes": [{"name": "kind"}, *numbers], "triggers": triggers})
    wid = api.instances.start(name, {"kind": "order"})
    (first,) = opened(wid)
    packed(first, ready=1)
    done, cancelled, failed = opened(wid)
    packed(done, ready=1)
    packed(failed, kind="odd")
    api.instances.cancel(cancelled, "The part is out of stock.", actor="ana")
    assert [*opened(wid)] == [done, cancelled, failed]
    (job, before) = api.children.jobs(wid)
    assert (job.failed, job.done, before.done) == (2, 1, 1)
    ends = api.children.ends(wid, job.job_id)
    assert {number: (each.actor, each.reason) for number, each in ends.items()} == {
        2: ("ana", "The part is out of stock."),
        3: ("", "STUCK"),
    }
    assert api.children.ends(wid, before.job_id) == {}
    assert [api.children.repaired(wid, each.job_id) for each in (job, before)] == [0, 0]
    api.repairs.repair(
        failed, "patch", {"changes": {"kind": "part", "ready": 1}}, "It is packed.", actor="ana"
    )
    assert [api.children.repaired(wid, each.job_id) for each in (job, before)] == [1, 0]
    api.flows.drop(name, force=True)


def opened(wid: int) -> list[int]:
    """Let children be started, counted and given back; return those of the newest job."""
    while api.children.continue_children() is not None:
        pass
    return [child.wid for child in api.children.list(wid)]


def packed(wid: int, **changes: Any) -> None:
    """Complete the job of a child."""
    job = Job.objects.get(wid=wid, transition="pack")
    api.repairs.repair(wid, "complete", {"job": job.pk, "changes": changes}, "It is packed.", actor="ana")
