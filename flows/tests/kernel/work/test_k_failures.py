"""Attempts, back-off, parking and firing limits (K-10, K-18, K-31, K-56)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from flows import api
from flows.tests.kit import Kit, refused
from flows.types import ClaimedJob, Completion, Failure
from testkit.waiting import until

pytestmark = pytest.mark.kernel


@pytest.fixture
def one(kit: Kit) -> Kit:
    """A flow with one transition of three attempts and a back-off of ten seconds."""
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'", backoff="10 seconds", max_attempts=3)
    kit.final("a = '2'")
    return kit


def test_k10_a_failed_attempt_waits_its_back_off(one: Kit) -> None:
    wid = one.start(a="1")
    before = one.one("select wedsql.now()")
    result = one.fail("tr_x", why="no stock", sqlstate="P0001", actor="ann")
    assert result is not None and result.not_before is not None
    assert (result.attempts, result.parked) == (1, False)
    assert timedelta(seconds=9) <= result.not_before - before <= timedelta(seconds=13)
    row = one.pending(wid)[0]
    assert (row.state, row.last_error, row.last_state) == ("P", "no stock", "P0001")
    assert api.jobs.take_many(one.name, ["tr_x"], 1, conn=one.conn) == []
    assert api.jobs.offer(one.name, ["tr_x"], conn=one.conn) == []
    one.clock("14 seconds")
    assert one.take("tr_x", wid).attempts == 1


def test_k10_the_back_off_doubles(one: Kit) -> None:
    one.start(a="1")
    waits = []
    for minutes in (0, 1):
        one.clock(f"{minutes} minutes")
        now = one.one("select wedsql.now()")
        result = one.fail("tr_x", why="no")
        assert result is not None and result.not_before is not None
        waits.append((result.not_before - now).total_seconds())
    assert 9 <= waits[0] <= 13 and 18 <= waits[1] <= 26


def test_k10_attempts_used_up_make_an_exception_with_its_reason(one: Kit) -> None:
    wid = one.start(a="1")
    for minutes in (0, 5, 10):
        one.clock(f"{minutes} minutes")
        result = one.fail("tr_x", why="no stock")
    assert result is not None and result.parked
    assert (one.status(wid), one.instance(wid).reason) == ("E", "ATTEMPTS")
    assert one.jobs(wid) == ["_EXCPT", "tr_x"]
    assert one.logged(wid) == ["failed", "failed", "failed", "parked"]
    row = one.trace(wid)[-1]
    assert (row.trw, row.status, row.reason) == ("_EXCPT", "E", "ATTEMPTS: no stock")
    assert api.jobs.take_many(one.name, ["tr_x"], 1, conn=one.conn) == []


def test_k10_leaving_the_exception_frees_the_parked_job(one: Kit) -> None:
    wid = one.start(a="1")
    for minutes in (0, 5, 10):
        one.clock(f"{minutes} minutes")
        one.fail("tr_x", why="no stock")
    step = one.run("_EXCPT", wid, a="1")
    assert (step.status, step.fired) == ("R", ["tr_x"]), "the same condition fires a fresh job"
    assert one.pending(wid)[0].attempts == 0
    one.clock("0")
    assert one.run("tr_x", wid, a="2").status == "F"


def test_k10_failing_changes_no_attribute(one: Kit) -> None:
    wid = one.start(a="1")
    with one.step():
        job = one.take("tr_x", wid)
        result = api.jobs.fail(job, "no", conn=one.conn)
    assert result is not None and result.attempts == 1
    assert one.state(wid) == {"a": "1"}


@pytest.mark.mode("single", "batch", "held", why="who has the token of a lease has the lease")
def test_k10_a_failure_of_a_job_that_another_session_holds_counts_nothing(one: Kit) -> None:
    wid = one.start(a="1")
    other = one.connect()
    with one.step(other):
        job = one.take("tr_x", wid, other)
        assert api.jobs.fail(job, "mine?", conn=one.conn) is None
    assert one.pending(wid)[0].attempts == 0


def test_k10_a_failure_of_another_workers_lease_counts_nothing(one: Kit) -> None:
    wid = one.start(a="1")
    leased = one.lease("tr_x")
    assert api.jobs.fail(leased._replace(claim=(leased.claim or 0) + 1), "mine?", conn=one.conn) is None
    assert api.jobs.fail(leased._replace(claim=None), "mine?", conn=one.conn) is None
    assert one.pending(wid)[0].attempts == 0


def test_k10_a_parked_job_with_a_living_branch(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_a", "a = '1'", max_attempts=1)
    kit.trig("tr_b", "b = '1'")
    wid = kit.start(a="1", b="1")
    kit.fail("tr_a", why="no")
    assert kit.status(wid) == "E"
    assert kit.run("tr_b", wid, b="0").status == "E", (
        "the exception is not forgotten because a branch goes on"
    )
    assert kit.instance(wid).reason == "ATTEMPTS"
    assert kit.run("_EXCPT", wid, a="0", b="1").status == "R"
    assert kit.jobs(wid) == ["tr_b"]


def test_k10_several_failures_at_once(one: Kit) -> None:
    api.instances.start_many(one.name, [{"a": "1"}] * 3, conn=one.conn)
    jobs = api.jobs.lease_many(one.name, ["tr_x"], 3, "h", conn=one.conn)
    results = api.jobs.fail_many(one.name, [Failure(job, "no") for job in jobs], conn=one.conn)
    assert sorted(r.job_id for r in results) == sorted(job.id for job in jobs)
    assert {r.attempts for r in results} == {1}


def test_k18_lt5_counts_to_five_and_ends(kit: Kit) -> None:
    kit.attr("n", "0", "integer")
    kit.trig("tr_n", "n < 5")
    kit.final("n >= 5")
    wid = kit.start()
    for n in range(1, 6):
        kit.run("tr_n", wid, n=n)
    assert kit.story(wid) == [("_INIT", ["tr_n"], "R"), *[("tr_n", ["tr_n"], "R")] * 4, ("tr_n", [], "F")]


def test_k18_the_firing_limit_ends_a_loop(kit: Kit) -> None:
    kit.attr("n", "0", "integer")
    kit.trig("tr_n", "n >= 0", max_firings=3)
    wid = kit.start()
    for n in range(1, 4):
        step = kit.run("tr_n", wid, n=n)
    assert step.status == "E"
    assert (kit.status(wid), kit.instance(wid).reason) == ("E", "LOOP")
    assert kit.jobs(wid) == ["_EXCPT", "tr_n"]
    assert [row.status for row in kit.trace(wid)] == ["R", "R", "R", "E"]


def test_k18_the_firing_limit_of_the_flow(kit: Kit) -> None:
    kit.policy(max_firings=2)
    kit.attr("n", "0", "integer")
    kit.trig("tr_n", "n >= 0")
    wid = kit.start()
    kit.run("tr_n", wid, n=1)
    assert kit.status(wid) == "R"
    assert kit.run("tr_n", wid, n=2).status == "E"


def test_k31_no_progress_has_its_own_reason(kit: Kit) -> None:
    kit.attr("n", "0", "integer")
    kit.trig("tr_n", "n = 0", max_firings=3)
    wid = kit.start()
    for _ in range(3):
        kit.run("tr_n", wid, n=0)
    assert (kit.status(wid), kit.instance(wid).reason) == ("E", "NO_PROGRESS")


def test_k18_one_instance_blows_the_others_go_on(kit: Kit) -> None:
    kit.attr("n", "0", "integer")
    kit.trig("tr_n", "n >= 0", max_firings=2)
    blown, other = kit.start(), kit.start()
    for _ in range(2):
        kit.run("tr_n", blown)
    kit.run("tr_n", other, n=1)
    assert (kit.status(blown), kit.status(other)) == ("E", "R")


def test_k56_a_cancelled_instance_refuses_the_late_result(one: Kit) -> None:
    wid = one.start(a="1")
    other = one.connect()
    with refused("WD105"), one.step(other):
        job = one.take("tr_x", wid, other)
        api.instances.cancel(wid, "not wanted", actor="ann", conn=one.conn)
        one.complete(job, {"a": "2"}, conn=other)
    assert (one.status(wid), one.jobs(wid)) == ("C", [])
    row = one.trace(wid)[-1]
    assert (row.trw, row.status, row.actor, row.reason) == ("_CANCEL", "C", "ann", "not wanted")
    with refused("WD105"):
        api.instances.cancel(wid, "again", conn=one.conn)


def test_k56_cancelling_needs_a_reason_and_an_instance(one: Kit) -> None:
    wid = one.start(a="1")
    for reason in ("", "  "):
        with refused("WD009"):
            api.instances.cancel(wid, reason, conn=one.conn)
    with refused("WD104"):
        api.instances.cancel(2_000_000_000, "x", conn=one.conn)


def test_k10_a_failure_of_a_job_that_is_not_held_counts_nothing(one: Kit) -> None:
    wid, other = one.start(a="1"), one.start(a="1")
    ids = {w: one.pending(w)[0].id for w in (wid, other)}

    def taken(which: int) -> ClaimedJob:
        return api.jobs.take_many(one.name, ["tr_x"], 1, job_ids=[ids[which]], conn=one.conn)[0]

    with one.conn.transaction():
        job = taken(wid)
    assert [api.jobs.fail(job, "no", conn=one.conn) for _ in range(4)] == [None] * 4
    with one.conn.transaction():
        taken(other)
        assert api.jobs.fail(job, "no", conn=one.conn) is None
    assert (one.status(wid), one.pending(wid)[0].attempts, one.logged(wid)) == ("R", 0, [])
    with one.conn.transaction():
        result = api.jobs.fail(taken(wid), "no", conn=one.conn)
    assert result is not None and result.attempts == 1


def test_k18_a_repaired_loop_has_all_its_firings_again(kit: Kit) -> None:
    kit.attr("n", "0", "integer")
    kit.trig("tr_n", "n >= 0", max_firings=3)
    wid = kit.start()
    for n in range(1, 4):
        kit.run("tr_n", wid, n=n)
    assert kit.instance(wid).reason == "LOOP"
    assert kit.run("_EXCPT", wid, n=10).status == "R"
    assert [kit.run("tr_n", wid, n=n).status for n in (11, 12, 13)] == ["R", "R", "E"]
    assert kit.instance(wid).reason == "LOOP"


def test_k10_the_job_of_an_exception_names_the_step_that_made_it(one: Kit) -> None:
    wid = one.start(a="1")
    for minutes in (0, 5, 10):
        one.clock(f"{minutes} minutes")
        one.fail("tr_x")
    (job,) = [job for job in one.pending(wid) if job.trname == "_EXCPT"]
    assert job.cause_seq == one.trace(wid)[-1].seq == 2
    assert one.run("_EXCPT", wid, a="2").status == "F"
    assert one.trace(wid)[-1].cause_seq == 2


@pytest.mark.parametrize("count", [1, 2])
def test_k56_a_result_that_waits_for_a_cancellation_is_refused(one: Kit, count: int) -> None:
    for _ in range(count):
        one.start(a="1")
    jobs = sorted(
        api.jobs.lease_many(one.name, ["tr_x"], count, "tester", conn=one.conn), key=lambda job: job.wid
    )
    mine, other = one.connect(), one.connect()
    with ThreadPoolExecutor(1) as pool:
        with other.transaction():
            api.instances.cancel(jobs[0].wid, "not wanted", conn=other)
            done = [Completion(job, {"a": "2"}) for job in jobs]
            answer = pool.submit(api.jobs.complete_many, one.name, done, conn=mine)
            waiting = "select count(*) from pg_locks where not granted and pid = %s"
            until(lambda: one.one(waiting, [mine.info.backend_pid]) > 0)
        codes = [result.error.code if result.error else "" for result in answer.result(10)]
    assert codes == ["WD105", ""][:count]
