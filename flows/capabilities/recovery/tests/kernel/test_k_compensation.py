"""R8 and what all operations that undo steps share: compensations run one at a time, the last step first."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.kit import Kit, broken, refused

pytestmark = pytest.mark.kernel


@pytest.fixture
def trip(kit: Kit) -> Kit:
    """Book, pay (undone by transitions), note (undone by the kernel), then wait for the departure."""
    kit.attrs("booked", "paid", "noted", "gone")
    undo = {"compensation": "transition", "class": "compensatable"}
    kit.trig("tr_book", "booked is null", compensated_by="tr_unbook", **undo)
    kit.trig("tr_pay", "booked = 'yes' and paid is null", compensated_by="tr_refund", backoff="1 hour",
             max_attempts=2, **undo)  # fmt: skip
    kit.trig("tr_note", "paid = 'yes' and noted is null", compensation="inverse")
    kit.trig("tr_leave", "noted is not null and gone is null")
    kit.final("gone = 'yes'")
    return kit


def travelled(kit: Kit) -> int:
    wid = kit.start()
    kit.run("tr_book", wid, booked="yes")
    kit.run("tr_pay", wid, paid="yes")
    kit.run("tr_note", wid, noted="today")
    return wid


def steps(kit: Kit, wid: int, since: int = 4) -> list[tuple[str, str, int | None]]:
    """Return name, status and compensated step of the later rows of the history."""
    return [(row.trw, row.status, row.compensates_seq) for row in kit.trace(wid) if row.seq > since]


def test_r8_steps_are_compensated_in_reverse_order_and_the_instance_is_aborted(trip: Kit) -> None:
    wid = travelled(trip)
    assert api.compensations.abort(wid, "Cancelled by the customer.", actor="olga", conn=trip.conn) == "X"
    assert (trip.status(wid), trip.jobs(wid), trip.state(wid)["noted"]) == ("X", ["tr_refund"], None)
    assert broken(trip) == []
    assert trip.run("tr_refund", wid, paid="refunded").status == "X"
    assert trip.jobs(wid) == ["tr_unbook"]
    assert broken(trip) == []
    trip.run("tr_unbook", wid, booked=None)
    assert trip.status(wid) == "A"
    assert steps(trip, wid) == [
        ("_RECOVER:abort", "X", None),
        ("_COMP:tr_note", "X", 4),
        ("_COMP:tr_pay", "X", 3),
        ("_COMP:tr_book", "X", 2),
        ("_RECOVER:abort", "A", None),
    ]
    assert trip.state(wid) == {"booked": None, "paid": "refunded", "noted": None, "gone": None}
    found = trip.instance(wid)
    assert (found.status, found.reason) == ("A", "Cancelled by the customer.")
    assert found.finished_at is not None and trip.jobs(wid) == []
    assert trip.one("select count(*) from wedsql.recovery") == 0
    assert broken(trip) == []


def test_r8_an_instance_without_effects_is_aborted_at_once(trip: Kit) -> None:
    wid = trip.start()
    assert api.compensations.abort(wid, "Wrong.", conn=trip.conn) == "A"
    assert [row.trw for row in trip.trace(wid)] == ["_INIT", "_RECOVER:abort", "_RECOVER:abort"]
    assert broken(trip) == []
    with refused("WD105"):
        api.compensations.abort(wid, "Again.", conn=trip.conn)
    with refused("WD105"):
        api.instances.cancel(wid, "Again.", conn=trip.conn)


def test_a_compensation_gets_the_state_that_its_step_wrote_and_the_present_one(trip: Kit) -> None:
    wid = travelled(trip)
    api.compensations.abort(wid, "No.", conn=trip.conn)
    with trip.step():
        job = trip.take("tr_refund", wid)
        assert (job.payload["paid"], job.payload["noted"]) == ("yes", None)
        assert (job.state["paid"], job.state["noted"]) == ("yes", None)
        trip.complete(job, {"paid": None})
    with trip.step():
        job = trip.take("tr_unbook", wid)
        assert (job.payload["booked"], job.payload["paid"], job.state["paid"]) == ("yes", None, None)
        trip.complete(job, {"booked": None})
    assert trip.status(wid) == "A"


def test_no_other_job_runs_and_no_other_operation_is_performed_meanwhile(trip: Kit) -> None:
    wid = travelled(trip)
    api.compensations.abort(wid, "No.", conn=trip.conn)
    assert trip.jobs(wid) == ["tr_refund"]
    api.instances.rematch(trip.name, [wid], conn=trip.conn)
    trip.trig("tr_new", "booked = 'yes'")
    assert (trip.status(wid), trip.jobs(wid)) == ("X", ["tr_refund"])
    for operation in (
        api.operations.suspend,
        api.operations.resume,
        api.instances.cancel,
        api.compensations.abort,
    ):
        with refused("WD105") as why:
            operation(wid, "Now.", conn=trip.conn)
        assert why.message == f"Instance {wid} is being compensated."
    with refused("WD105"):
        api.compensations.roll_back(wid, 1, "Now.", conn=trip.conn)
    client = trip.connect()
    (job,) = trip.pending(wid)
    with refused("WD105"), client.transaction():  # by the paper's protocol
        assert trip.lock(client, wid, job.tgid)
        client.execute(f"update {trip.name}.wed_flow set paid = null where wid = %s", [wid])
    assert broken(trip) == []


def test_a_repeated_result_gets_the_first_answer(trip: Kit) -> None:
    wid = travelled(trip)
    api.compensations.abort(wid, "No.", conn=trip.conn)
    job = trip.lease("tr_refund")
    done = api.jobs.complete(job, {"paid": None}, actor="w", conn=trip.conn)
    assert api.jobs.complete(job, {"paid": None}, actor="w", conn=trip.conn).seq == done.seq
    with refused("WD105", "WD205"):
        api.jobs.complete(job, {"paid": "x"}, actor="w", conn=trip.conn)
    assert [row[2] for row in steps(trip, wid)] == [None, 4, 3]
    last = trip.lease("tr_unbook")
    done = api.jobs.complete(last, {"booked": None}, actor="w", conn=trip.conn)
    assert api.jobs.complete(last, {"booked": None}, actor="w", conn=trip.conn) == done
    assert trip.status(wid) == "A"


def test_a_worker_that_dies_in_a_compensation_does_nothing_twice(trip: Kit) -> None:
    wid = travelled(trip)
    api.compensations.abort(wid, "No.", conn=trip.conn)
    lost = trip.lease("tr_refund", duration="1 minute")
    assert trip.reap("2 minutes")["expired"] == 1
    trip.clock("2 hours")
    again = trip.lease("tr_refund")
    assert (again.id, again.attempts) == (lost.id, 1)
    api.jobs.complete(again, {"paid": None}, conn=trip.conn)
    with refused("WD105", "WD203", "WD205"):
        api.jobs.complete(lost, {"paid": "twice"}, conn=trip.conn)
    assert ([row[2] for row in steps(trip, wid)], trip.state(wid)["paid"]) == ([None, 4, 3], None)
    assert broken(trip) == []


def test_a_job_that_a_worker_holds_is_waited_for(trip: Kit) -> None:
    wid = travelled(trip)
    job = trip.lease("tr_leave")
    with refused("WD203") as why:
        api.compensations.abort(wid, "No.", conn=trip.conn)
    assert "Release" in why.hint
    api.jobs.release(job, conn=trip.conn)
    worker = trip.connect()
    with worker.transaction():
        assert api.jobs.take_many(trip.name, ["tr_leave"], 1, conn=worker)
        with refused("WD203"):
            api.compensations.abort(wid, "No.", conn=trip.conn)
    assert (trip.status(wid), len(trip.trace(wid))) == ("R", 4)
    assert api.compensations.abort(wid, "No.", conn=trip.conn) == "X"


def test_a_definition_that_changes_meanwhile_changes_no_compensation(trip: Kit) -> None:
    wid = travelled(trip)
    api.compensations.abort(wid, "No.", conn=trip.conn)
    trip.rows("update {f}.wed_trig set trname = 'tr_charge' where trname = 'tr_pay'")
    assert trip.jobs(wid) == ["tr_refund"]
    trip.rows("delete from {f}.wed_trig where trname in ('tr_charge', 'tr_book')")
    trip.attr("gift", "none")
    assert broken(trip) == []
    trip.run("tr_refund", wid, paid=None)
    trip.run("tr_unbook", wid, booked=None)
    assert trip.status(wid) == "A"
    assert trip.state(wid)["gift"] == "none"
    assert broken(trip) == []


def test_the_condition_of_the_undone_step_is_not_asked_when_its_compensation_is_taken(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_x", "a is null", compensation="transition", compensated_by="tr_undo", revalidate="at_take")
    kit.trig("tr_y", "a = '1' and b is null")
    wid = kit.start()
    kit.run("tr_x", wid, a="1")
    api.compensations.abort(wid, "No.", conn=kit.conn)
    kit.run("tr_undo", wid, a=None)
    assert kit.status(wid) == "A"


def test_an_instance_with_compensations_is_not_removed(trip: Kit) -> None:
    wid = travelled(trip)
    api.compensations.abort(wid, "No.", conn=trip.conn)
    assert broken(trip) == []
    trip.run("tr_refund", wid, paid=None)
    trip.run("tr_unbook", wid, booked=None)
    trip.policy(retention="1 hour")
    trip.clock("2 hours")
    assert trip.rows("select * from wedsql.retirable(%s)", [trip.name]) == []  # a recovery is evidence


def test_the_repair_desk_previews_what_it_costs(trip: Kit) -> None:
    wid = travelled(trip)
    shown = api.repairs.preview(wid, "abort", conn=trip.conn)
    assert [(one["seq"], one["compensated_by"]) for one in shown.facts["compensations"]] == [
        (4, ""), (3, "tr_refund"), (2, "tr_unbook"),
    ]  # fmt: skip
    assert (shown.status_after, shown.steps) == ("X", ["_RECOVER:abort", "_COMP:tr_note"])
    assert (trip.status(wid), len(trip.trace(wid))) == ("R", 4)
    done = api.repairs.repair(wid, "abort", {}, "No.", expected_seq=shown.seq, conn=trip.conn)
    assert (done.status, done.facts) == ("X", shown.facts)
    assert api.repairs.repair(wid, "skip_compensation", {}, "By hand.", conn=trip.conn).status == "X"
    trip.run("tr_unbook", wid, booked=None)
    assert trip.status(wid) == "A"
