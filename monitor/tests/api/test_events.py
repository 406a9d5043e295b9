"""Events: each step once and in its order whatever the order of commits, from any id."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from flows import api as kernel
from flows.queries.base import snapshot
from flows.queries.history import changes
from flows.queries.history.changes import Batch, Change, Place, Seen
from monitor.api import streams
from monitor.tests.conftest import Parcels
from monitor.tests.server.programs import BASE, Program, operator, owner, problem

__all__ = ["operator", "owner"]
Connect = Callable[..., psycopg.Connection[Any]]


def here() -> Place:
    with snapshot():
        return changes.here()


def read(place: Place, flow: str | None) -> Batch:
    with snapshot():
        return changes.read(place, None if flow is None else [flow])


def all_after(place: Place, flow: str) -> list[Change]:
    """Return every change behind a place, whose id goes through a client each time."""
    found: list[Change] = []
    while True:
        batch = read(Place.parse(str(place)), flow)
        found, place = found + batch.changes, batch.place
        if not batch.more:
            return found


def steps(found: list[Change]) -> list[tuple[int, int]]:
    return [(each.wid, each.seq) for each in found]


def test_a_step_that_is_committed_late_comes_late_and_once(
    site: None, parcels: Parcels, connect: Connect
) -> None:
    late, begin = connect(), here()
    with late.transaction():
        slow = kernel.instances.start(parcels.flow, {}, conn=late)
        quick = [parcels.start(), parcels.start()]
        first = read(begin, parcels.flow)
        assert steps(first.changes) == [(wid, 1) for wid in quick]
    assert steps(all_after(first.place, parcels.flow)) == [(slow, 1)]
    for change in first.changes:
        behind = [wid for wid in quick if wid > change.wid]
        assert steps(all_after(change.place, parcels.flow)) == [(wid, 1) for wid in [*behind, slow]]
    assert sorted(steps(all_after(begin, parcels.flow))) == sorted((wid, 1) for wid in [slow, *quick])


@pytest.mark.parametrize("page", [1, 2, 500])
@pytest.mark.parametrize("batch", [0, 1, 3, 5_000])
def test_steps_of_an_instance_keep_their_order_from_every_id(
    page: int, batch: int, site: None, parcels: Parcels, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transaction that writes the third step of `wid` has a smaller number than that of the second."""
    monkeypatch.setattr(changes, "PAGE", page)
    monkeypatch.setattr(changes, "BATCH", batch)
    other, begin = Parcels(parcels.flow, connect()), here()
    wid = parcels.start()
    with other.connection.transaction():
        other.connection.execute("select txid_current()")
        parcels.start()
        parcels.do("tr_label", wid, extra={})
        other.do("tr_pack", wid, stage="packed")
    parcels.start_many(3)
    parcels.do("tr_send", wid, stage="sent")
    found = all_after(begin, parcels.flow)
    assert len(found) == len(set(steps(found))) == 8
    assert [each.seq for each in found if each.wid == wid] == [1, 2, 3, 4]
    for at, change in enumerate(found):
        assert steps(all_after(change.place, parcels.flow)) == steps(found[at + 1 :])


def test_only_the_chosen_flows_are_read(site: None, parcels: Parcels) -> None:
    begin = here()
    parcels.start()
    assert read(begin, "nothing").changes == [] and read(begin, "nothing").place != begin
    assert {each.flow for each in read(begin, None).changes} >= {parcels.flow}


def test_an_id_is_read_as_it_was_written() -> None:
    seen = Seen(4711, frozenset({4000, 4709}))
    assert str(seen) == "4711-2-711"
    for place in (Place("0c1d9a52", seen), Place("0c1d9a52", seen, seen.up_to(4500), 12, 3)):
        assert Place.parse(str(place)) == place


def test_the_stream_is_not_opened_for_a_wrong_request(operator: Program, parcels: Parcels) -> None:
    now = here()
    later = replace(now, after=Seen(now.after.end + 1_000_000))
    elsewhere = replace(now, source="0" * 8)
    backwards = replace(now, until=Seen(now.after.end - 1))
    problem(operator.get("/events?flow=nothing"), 404)
    for wrong in ("x", "1", "0c1d9a52.1-", "0c1d9a52.1-2.3", "9" * 17_000, later, elsewhere, backwards):
        problem(operator.get("/events", **{"Last-Event-ID": str(wrong)}), 422)
        problem(operator.get(f"/events?cursor={wrong}"), 422)
    assert open_streams() == 0


def open_streams() -> int:
    gc.collect()  # answers of the test client refer to themselves
    return streams.slots.total


def test_the_headers_of_a_stream_are_answered_without_one(operator: Program, parcels: Parcels) -> None:
    found = operator.client.head(f"{BASE}/events", headers=operator.headers)
    assert (found.status_code, found.headers["Content-Type"]) == (200, "text/event-stream")
    assert found.content == b"" and open_streams() == 0


def test_a_stream_that_never_begins_gives_its_place_back(operator: Program, parcels: Parcels) -> None:
    assert open_streams() == 0
    opened = [operator.get(f"/events?flow={parcels.flow}") for _ in range(streams.MOST_OF_A_CALLER)]
    assert {each.headers["Content-Type"] for each in opened} == {"text/event-stream"}
    refused = operator.get("/events")
    assert "Too many streams" in problem(refused, 429)["detail"] and "Retry-After" in refused.headers
    opened.clear()
    assert open_streams() == 0
    assert operator.get(f"/events?cursor={here()}").status_code == 200


def test_the_header_of_a_client_that_connects_again_counts_before_the_address(operator: Program) -> None:
    place, other = str(here()), "no place"
    found = [
        operator.client.head(
            f"{BASE}/events?cursor={first}", headers=operator.headers | {"Last-Event-ID": last}
        )
        for first, last in ((other, place), (place, other))
    ]
    assert [each.status_code for each in found] == [200, 422]


def test_all_callers_together_have_a_limit(
    operator: Program, parcels: Parcels, monkeypatch: pytest.MonkeyPatch
) -> None:
    gc.collect()  # closes the streams that other tests have left
    monkeypatch.setattr(streams, "MOST_STREAMS", 2)
    opened = [operator.get("/events") for _ in range(2)]
    assert [each.status_code for each in opened] == [200, 200]
    assert "Too many streams" in problem(operator.get("/events"), 429)["detail"]
