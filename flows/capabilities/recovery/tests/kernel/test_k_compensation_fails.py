"""Compensations that fail, are missing or were done by hand, and exceptions that are aborted."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.capabilities.recovery.tests.kernel.test_k_compensation import travelled, trip
from flows.tests.kit import Kit, broken, refused

pytestmark = pytest.mark.kernel
__all__ = ["trip"]


def fail_twice(kit: Kit, transition: str, wid: int) -> None:
    for hours in (0, 3):
        kit.clock(f"{hours} hours")
        kit.fail(transition, wid, "The bank is closed.")


def opened(kit: Kit, wid: int) -> list[str]:
    """Return the causes of the open cases of an instance."""
    query = "select cause from wedsql.repair_case where wid = %s and closed_at is null"
    return [row.cause for row in kit.rows(query, [wid])]


def test_a_failed_compensation_stays_and_is_seen_until_it_is_retried(trip: Kit) -> None:
    wid = travelled(trip)
    api.compensations.abort(wid, "No.", conn=trip.conn)
    fail_twice(trip, "tr_refund", wid)
    assert (trip.status(wid), trip.instance(wid).reason) == ("X", "COMPENSATION_FAILED")
    assert [job.state for job in trip.pending(wid)] == ["K"]
    last = trip.trace(wid)[-1]
    assert (last.trw, last.status) == ("_FAIL", "X")
    assert last.reason == "COMPENSATION_FAILED: The bank is closed."
    assert opened(trip, wid) == ["COMPENSATION_FAILED"]
    assert broken(trip) == []
    (job,) = trip.pending(wid)
    api.operations.retry_job(wid, job.id, "It is open again.", conn=trip.conn)
    assert (trip.status(wid), trip.instance(wid).reason, opened(trip, wid)) == ("X", None, [])
    assert broken(trip) == []
    trip.run("tr_refund", wid, paid=None)
    trip.run("tr_unbook", wid, booked=None)
    assert trip.status(wid) == "A"


def test_a_compensation_that_was_done_by_hand_is_skipped(trip: Kit) -> None:
    wid = travelled(trip)
    api.compensations.abort(wid, "No.", conn=trip.conn)
    held = trip.lease("tr_refund")
    with refused("WD203"):
        api.compensations.skip(wid, "Refunded by cheque.", conn=trip.conn)
    api.jobs.release(held, conn=trip.conn)
    fail_twice(trip, "tr_refund", wid)
    assert api.compensations.skip(wid, "Refunded by cheque.", actor="olga", conn=trip.conn) == "X"
    row = trip.trace(wid)[-1]
    assert (row.trw, row.compensates_seq, row.actor) == ("_COMP:tr_pay", 3, "olga")
    assert row.reason == "Not compensated: Refunded by cheque."
    assert (trip.jobs(wid), trip.instance(wid).reason, opened(trip, wid)) == (["tr_unbook"], None, [])
    trip.run("tr_unbook", wid, booked=None)
    assert trip.status(wid) == "A"
    assert broken(trip) == []
    with refused("WD105"):
        api.compensations.skip(wid, "Again.", conn=trip.conn)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"class": "pivot"}, "pivot"),
        ({"class": "compensatable"}, "missing"),
    ],
)
def test_what_cannot_be_undone_is_refused_unless_overridden(
    kit: Kit, options: dict[str, Any], problem: str
) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_x", "a is null", **options)
    kit.trig("tr_y", "a = '1' and b is null")
    wid = kit.start()
    kit.run("tr_x", wid, a="1")
    assert api.compensations.list(wid, "abort", conn=kit.conn) == [(2, "tr_x", None, problem)]
    with refused("WD111") as why:
        api.compensations.abort(wid, "No.", conn=kit.conn)
    assert (why.facts["step"], why.facts["transition"]) == (2, "tr_x")
    assert (kit.status(wid), len(kit.trace(wid))) == ("R", 2)
    assert api.compensations.abort(wid, "No.", override=True, conn=kit.conn) == "A"
    row = kit.trace(wid)[3]
    assert (row.trw, row.compensates_seq, row.reason) == ("_COMP:tr_x", 2, "Not compensated: No.")
    assert kit.state(wid)["a"] is None
    assert broken(kit) == []


def test_a_missing_compensation_can_be_published(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_x", "a is null", **{"class": "compensatable"})
    kit.trig("tr_y", "a = '1' and b is null")
    wid = kit.start()
    kit.run("tr_x", wid, a="1")
    kit.rows("update {f}.wed_trig set compensation = 'inverse' where trname = 'tr_x'")
    assert api.compensations.abort(wid, "No.", conn=kit.conn) == "A"
    assert kit.state(wid)["a"] is None


def test_an_exception_a_suspended_instance_and_parked_jobs_are_aborted(trip: Kit) -> None:
    wid, other = travelled(trip), travelled(trip)
    trip.run("tr_leave", wid, gone="no")
    assert (trip.status(wid), opened(trip, wid)) == ("E", ["STUCK"])
    api.operations.suspend(other, "Wait.", conn=trip.conn)
    for one in (wid, other):
        assert api.compensations.abort(one, "No.", conn=trip.conn) == "X"
        assert (trip.jobs(one), opened(trip, one)) == (["tr_refund"], [])
    assert broken(trip) == []
