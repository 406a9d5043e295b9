"""The locks of a flow on their page and over HTTP: holders, queues, and pages of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client

from flows import api
from monitor.tests.conftest import Parcels, client_of, person, unique
from monitor.tests.server.programs import problem, program

TRIGGERS = [
    {
        "transition": "print",
        "predicate": "done is null",
        "lock": "printer {printer}",
        "label": "Print it",
    },
    {"predicate": "done is not null", "final": True},
]


@pytest.fixture
def printing(site: None) -> Iterator[tuple[str, list[int]]]:
    """A flow whose jobs need the lock of their printer: three that of a, one that of b."""
    name = unique()
    api.flows.create(name)
    api.flows.publish(name, {"attributes": [{"name": "printer"}, {"name": "done"}], "triggers": TRIGGERS})
    wids = [api.instances.start(name, {"printer": printer}) for printer in "aaab"]
    assert [job.wid for job in api.jobs.lease_many(name, ["print"], 1, "worker-7")] == [wids[0]]
    yield name, wids
    api.flows.drop(name, force=True)


def test_the_page_shows_the_holder_and_the_queue_of_each_lock(
    alice: Client, printing: tuple[str, list[int]]
) -> None:
    name, wids = printing
    page = alice.get(f"/flows/{name}/locks/").content.decode()
    assert page.index("printer a") < page.index("held by worker-7") < page.index("printer b")
    places = [page.index(f'href="/instances/{wid}/"') for wid in wids]
    assert places == sorted(places)
    assert "waits, number 2" in page and "Print it" in page
    assert f'href="/flows/{name}/locks/"' in alice.get(f"/flows/{name}/").content.decode()
    for address in (f"/instances/{wids[1]}/", f"/instances/{wids[1]}/why/"):
        assert f'href="/flows/{name}/locks/"' in alice.get(address).content.decode()


def test_pages_of_locks_have_each_lock_once(printing: tuple[str, list[int]]) -> None:
    name, wids = printing
    viewer = program(person("vera", f"flow:{name}:see"), "operate")
    whole = viewer.get(f"/flows/{name}/locks").json()
    assert [each["lock"] for each in whole["items"]] == ["printer a", "printer b"] and whole["next"] is None
    first = viewer.get(f"/flows/{name}/locks?limit=3").json()
    (one,) = first["items"]
    assert [job["instance"] for job in one["holders"]] == wids[:1] and one["holders"][0][
        "holder"
    ] == "worker-7"
    assert [job["instance"] for job in one["waiting"]] == wids[1:3] and not one["cut"]
    cut = viewer.get(f"/flows/{name}/locks?limit=2").json()
    assert cut["items"][0]["cut"] and [job["instance"] for job in cut["items"][0]["waiting"]] == wids[1:2]
    for page in (first, cut):
        rest = viewer.get(f"/flows/{name}/locks?cursor={page['next']}").json()
        assert [each["lock"] for each in rest["items"]] == ["printer b"] and rest["next"] is None


def test_a_job_that_failed_is_the_last_until_its_next_attempt(
    alice: Client, printing: tuple[str, list[int]]
) -> None:
    name, wids = printing
    (job,) = api.jobs.lease_many(name, ["print"], 1, "worker-8")
    assert job.wid == wids[3]
    api.jobs.fail(job, "out of paper")
    second = api.instances.start(name, {"printer": "b"})
    queue = api.locks.queues(name)[0][1]
    assert queue.holders == [] and [each.wid for each in queue.waiting] == [second, wids[3]]
    page = alice.get(f"/flows/{name}/locks/").content.decode()
    assert "free" in page and "its next attempt is due" in page


def test_a_free_lock_says_why_its_first_job_is_not_taken(
    alice: Client, printing: tuple[str, list[int]]
) -> None:
    name, wids = printing
    (queue,) = (each for each in api.locks.queues(name)[0] if each.lock == "printer b")
    api.operations.reassign_job(wids[3], queue.waiting[0].job, "ghost", "The old one.", actor="olga")
    page = alice.get(f"/flows/{name}/locks/").content.decode()
    assert page.count("assigned to ghost, by olga") == 1 and "No worker serves" not in page
    api.instances.start(name, {"printer": "b"})
    assert alice.get(f"/flows/{name}/locks/").content.decode().count("assigned to ghost, by olga") == 1


def test_an_empty_page_says_how_a_job_gets_a_lock(alice: Client, parcels: Parcels) -> None:
    page = alice.get(f"/flows/{parcels.flow}/locks/").content.decode()
    assert "No job needs a lock now" in page and "option “lock”" in page
    assert f'href="/flows/{parcels.flow}/locks/"' not in alice.get(f"/flows/{parcels.flow}/").content.decode()


def test_who_may_not_see_all_values_does_not_see_names_of_locks(printing: tuple[str, list[int]]) -> None:
    name, _wids = printing
    masked = [{"name": "printer", "visibility": "masked"}, {"name": "done"}]
    api.flows.publish(name, {"attributes": masked, "triggers": TRIGGERS})
    viewer = person("vera", f"flow:{name}:see")
    page = client_of(viewer).get(f"/flows/{name}/locks/")
    assert page.status_code == 403 and b"printer a" not in page.content
    found = program(viewer, "operate").get(f"/flows/{name}/locks")
    assert problem(found, 403) and b"printer a" not in found.content
