"""Withdrawal (X1): jobs whose condition became false while they wait, are held, or end at that moment."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flows import api
from flows.tests.kit import Kit, refused
from flows.types import ClaimedJob, Completion

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="its sessions take jobs in each way")]


@pytest.fixture
def choice(kit: Kit) -> Kit:
    """A deferred choice: the customer answers or the time is over, and the other job is withdrawn."""
    kit.attrs("outcome", "note")
    kit.trig("tr_answer", "outcome is null", revalidate="withdraw")
    kit.trig("tr_end", "outcome is null", revalidate="withdraw")
    kit.trig("tr_close", "outcome is not null and note is null")
    kit.final("note is not null")
    return kit


def leased(kit: Kit, transition: str) -> ClaimedJob:
    return kit.lease(transition, conn=kit.conn)


def test_the_first_result_withdraws_the_other_job(choice: Kit) -> None:
    wid = choice.start()
    choice.run("tr_end", wid, outcome="time over")
    assert choice.jobs(wid) == ["tr_close"]
    assert choice.logged(wid) == ["withdrawn"]
    assert choice.rows("select actor, message from wedsql.job_log where wid = %s", [wid])[0].message == (
        "The condition no longer holds."
    )


def test_a_worker_that_holds_it_is_told_at_its_next_renewal(choice: Kit) -> None:
    wid = choice.start()
    job = leased(choice, "tr_answer")
    choice.run("tr_end", wid, outcome="time over")
    with refused("WD205"):
        api.jobs.extend(job, timedelta(minutes=1), conn=choice.conn)
    with refused("WD205"):
        api.jobs.release(job, conn=choice.conn)
    assert api.jobs.fail(job, "stopped", conn=choice.conn) is None, "no attempt is counted"
    assert choice.logged(wid) == ["withdrawn"]


def test_its_late_result_is_kept_and_not_applied(choice: Kit) -> None:
    wid = choice.start()
    job = leased(choice, "tr_answer")
    choice.run("tr_end", wid, outcome="time over")
    for _ in range(2):
        with refused("WD205"):
            api.jobs.complete(job, {"outcome": "yes"}, actor="late", conn=choice.conn)
    assert choice.state(wid)["outcome"] == "time over"
    (late,) = choice.rows("select changes, code from wedsql.late_result where wid = %s", [wid])
    assert (late.changes, late.code) == ({"outcome": "yes"}, "WD205")


def test_a_result_that_was_applied_first_withdraws_nothing_of_its_own(choice: Kit) -> None:
    wid = choice.start()
    answer, end = leased(choice, "tr_answer"), leased(choice, "tr_end")
    assert api.jobs.complete(answer, {"outcome": "yes"}, conn=choice.conn).ok
    assert choice.jobs(wid) == ["tr_close"], "the held one was withdrawn"
    with refused("WD205"):
        api.jobs.complete(end, {"outcome": "time over"}, conn=choice.conn)
    assert (choice.state(wid)["outcome"], choice.logged(wid)) == ("yes", ["withdrawn"])


def test_a_job_in_a_transaction_is_withdrawn_before_its_commit(choice: Kit) -> None:
    wid, other = choice.start(), choice.connect()
    with refused("WD205"), other.transaction():
        (job,) = api.jobs.take_many(choice.name, ["tr_answer"], 1, conn=other)
        choice.run("tr_end", wid, outcome="time over")
        api.jobs.complete(job, {"outcome": "yes"}, conn=other)
    assert (choice.state(wid)["outcome"], choice.jobs(wid)) == ("time over", ["tr_close"])


def test_several_results_in_one_commit_withdraw_each_its_own(choice: Kit) -> None:
    wids = [choice.start() for _ in range(3)]
    with choice.conn.transaction():
        jobs = api.jobs.take_many(choice.name, ["tr_end"], 3, conn=choice.conn)
        done = [Completion(job, {"outcome": "over" if job.wid != wids[1] else None}) for job in jobs]
        assert all(result.ok for result in api.jobs.complete_many(choice.name, done, conn=choice.conn))
    assert [choice.jobs(wid) for wid in wids] == [["tr_close"], ["tr_answer", "tr_end"], ["tr_close"]]


def test_a_condition_that_holds_again_fires_a_new_job(kit: Kit) -> None:
    """A milestone that is reached twice: what was withdrawn stays withdrawn."""
    kit.attrs("open", "done")
    kit.trig("tr_open", "open is null and done is null")
    kit.trig("tr_change", "open is not null", revalidate="withdraw")
    kit.trig("tr_shut", "open is not null")
    kit.final("done is not null")
    wid = kit.start()
    kit.run("tr_open", wid, open="1")
    first = leased(kit, "tr_change")
    kit.run("tr_shut", wid, open=None)
    assert kit.jobs(wid) == ["tr_open"]
    kit.run("tr_open", wid, open="2")
    assert kit.jobs(wid) == ["tr_change", "tr_shut"]
    with refused("WD205"):
        api.jobs.complete(first, {"done": "1"}, conn=kit.conn)
    assert leased(kit, "tr_change").id != first.id


def test_a_timer_and_a_signal_are_withdrawn_with_their_condition(kit: Kit) -> None:
    kit.attrs("paid")
    kit.trig("payment", "paid is null", signal=True, revalidate="withdraw", keep="1 hour")
    kit.trig("tr_remind", "paid is null", due_after="1 hour", revalidate="withdraw")
    kit.trig("tr_cash", "paid is null", revalidate="withdraw")
    kit.trig("tr_thank", "paid is not null")
    wid = kit.start()
    kit.run("tr_cash", wid, paid="cash")
    assert kit.jobs(wid) == ["tr_thank"]
    assert kit.one("select count(*) from wedsql.timer where wid = %s", [wid]) == 0
    sent = api.signals.send(kit.name, "payment", {"paid": "bank"}, to=wid, actor="bank", conn=kit.conn)
    assert sent.outcome == "kept", "its job is gone"
    kit.reap("2 hours")
    assert kit.state(wid)["paid"] == "cash" and kit.jobs(wid) == ["tr_thank"]


def test_a_withdrawn_holder_frees_its_lock(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_slow", "a is null", revalidate="withdraw", lock="one")
    kit.trig("tr_quick", "a is null")
    kit.trig("tr_next", "a is not null", lock="one")
    wid = kit.start()
    slow = leased(kit, "tr_slow")
    kit.run("tr_quick", wid, a="1")
    assert leased(kit, "tr_next").wid == wid
    with refused("WD205"):
        api.jobs.extend(slow, timedelta(minutes=1), conn=kit.conn)
