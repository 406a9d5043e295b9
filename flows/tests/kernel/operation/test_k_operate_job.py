"""What an operator does to one job: try it again now, release it, withdraw it, change its priority."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flows import api
from flows.tests.kit import Kit, broken, refused

pytestmark = pytest.mark.kernel


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("a", "b")
    kit.trig("tr_x", "a = '1'", backoff="1 hour", max_attempts=2)
    kit.trig("tr_y", "b = '1'")
    kit.final("a = '2'")
    return kit


def job_of(kit: Kit, wid: int, transition: str = "tr_x") -> int:
    return next(job.id for job in kit.pending(wid) if job.trname == transition)


def last(kit: Kit, wid: int) -> tuple[str, str, str, str]:
    """Return name, actor, reason and status of the last step."""
    found = kit.rows("select trw, actor, reason, status from wedsql.wed_trace where wid = %s"
                     " order by seq desc limit 1", [wid])  # fmt: skip
    return tuple(found[0])


def park(kit: Kit, wid: int) -> None:
    for hours in (0, 3):
        kit.clock(f"{hours} hours")
        kit.fail("tr_x", wid)
    assert kit.status(wid) == "E"


def test_r13_a_job_in_back_off_is_offered_now(shop: Kit) -> None:
    wid = shop.start(a="1")
    shop.fail("tr_x", wid)
    assert api.jobs.offer(shop.name, ["tr_x"], conn=shop.conn) == []
    api.operations.retry_job(wid, job_of(shop, wid), "The printer works.", actor="olga", conn=shop.conn)
    assert last(shop, wid) == ("_RECOVER:retry", "olga", "The printer works.", "R")
    assert shop.run("tr_x", wid, a="2").status == "F"
    assert broken(shop) == []


def test_r1_a_parked_job_has_all_its_attempts_again_and_the_instance_runs(shop: Kit) -> None:
    wid = shop.start(a="1")
    park(shop, wid)
    api.operations.retry_job(wid, job_of(shop, wid), "Again.", conn=shop.conn)
    assert (shop.status(wid), shop.instance(wid).reason, shop.jobs(wid)) == ("R", None, ["tr_x"])
    assert broken(shop) == []
    for hours, status in ((3, "R"), (6, "E")):
        shop.clock(f"{hours} hours")
        shop.fail("tr_x", wid)
        assert (shop.status(wid), broken(shop)) == (status, [])


def test_r13_a_lease_is_released_and_its_result_rejected(shop: Kit) -> None:
    wid = shop.start(a="1")
    job = shop.lease("tr_x")
    api.operations.release_job(wid, job.id, "The laptop is lost.", conn=shop.conn)
    with refused("WD203"):
        api.jobs.complete(job, {"a": "2"}, conn=shop.conn)
    assert shop.run("tr_x", wid, a="2").status == "F"
    assert broken(shop) == []


def test_r13_a_withdrawn_job_whose_condition_holds_makes_an_exception(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    api.operations.withdraw_job(wid, job_of(shop, wid), "Ordered twice.", actor="olga", conn=shop.conn)
    assert (shop.status(wid), shop.instance(wid).reason) == ("E", "WITHDRAWN")
    assert shop.jobs(wid) == ["_EXCPT", "tr_y"]
    assert broken(shop) == []


def test_r13_a_withdrawn_job_whose_condition_no_longer_holds_is_only_removed(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    shop.run("tr_y", wid, a="0")
    assert shop.jobs(wid) == ["tr_x", "tr_y"]
    api.operations.withdraw_job(wid, job_of(shop, wid), "No longer needed.", actor="olga", conn=shop.conn)
    assert (shop.status(wid), shop.jobs(wid)) == ("R", ["tr_y"])
    assert last(shop, wid) == ("_RECOVER:withdraw", "olga", "No longer needed.", "R")
    assert broken(shop) == []


@pytest.mark.parametrize(("a", "outcome"), [("1", ("E", "WITHDRAWN")), ("0", ("R", None))])
def test_an_exception_whose_parked_job_is_withdrawn_has_no_old_reason(
    shop: Kit, a: str, outcome: tuple[str, str | None]
) -> None:
    shop.rows("update {f}.wed_trig set max_attempts = 1 where trname = 'tr_x'")
    wid = shop.start(a="1", b="1")
    number = job_of(shop, wid)
    shop.fail("tr_x", wid)
    assert (shop.status(wid), shop.instance(wid).reason) == ("E", "ATTEMPTS")
    shop.run("tr_y", wid, a=a)
    api.operations.withdraw_job(wid, number, "No longer needed.", conn=shop.conn)
    assert (shop.status(wid), shop.instance(wid).reason) == outcome
    assert broken(shop) == []


def test_r13_the_highest_priority_is_taken_first(shop: Kit) -> None:
    first, second = shop.start(a="1"), shop.start(a="1")
    api.operations.prioritize_job(second, job_of(shop, second), 5, "VIP.", conn=shop.conn)
    assert [job.wid for job in api.jobs.offer(shop.name, ["tr_x"], conn=shop.conn)] == [second, first]
    assert last(shop, second)[:1] + last(shop, second)[2:] == ("_RECOVER:priority", "tr_x 0 -> 5: VIP.", "R")
    for bad in (40_000, -40_000):
        with refused("WD009"):
            api.operations.prioritize_job(second, job_of(shop, second), bad, "x", conn=shop.conn)


def test_r13_a_job_that_runs_gets_more_time(shop: Kit) -> None:
    """In every way of holding it the limit that applies at the end is the prolonged one."""
    wid, other = shop.start(a="1"), shop.start(a="1")
    worker = shop.connect()
    with shop.step(worker):
        job = shop.take("tr_x", wid, conn=worker)
        api.operations.extend_job(wid, job.id, 3600, "Slow.", actor="olga", conn=shop.conn)
        shop.clock("30 minutes", worker)
        assert shop.complete(job, {"a": "2"}, conn=worker).status == "F"
    limit = "select timeout = '1 minute' from wedsql.job_pool where wid = %s and trname = 'tr_x'"
    assert shop.one(limit, [other])
    assert broken(shop) == []


def test_r13_a_lease_that_is_prolonged_does_not_expire(shop: Kit) -> None:
    wid = shop.start(a="1")
    job = shop.lease("tr_x")
    api.operations.extend_job(wid, job.id, 3600, "Slow.", actor="olga", conn=shop.conn)
    assert last(shop, wid) == ("_RECOVER:extend", "olga", "tr_x +01:00:00: Slow.", "R")
    shop.clock("30 minutes")
    shop.reap("30 minutes")
    assert api.jobs.complete(job, {"a": "2"}, conn=shop.conn).status == "F"


def test_r13_what_cannot_be_prolonged_is_rejected(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    number = job_of(shop, wid)
    for seconds in (0, -1, 31 * 86_400):
        with refused("WD009"):
            api.operations.extend_job(wid, number, seconds, "x", conn=shop.conn)
    with refused("WD009"):
        api.operations.extend_job(wid, number, 60, "", conn=shop.conn)
    shop.rows("update wedsql.job_pool set timeout = null where id = %s", [number])
    with refused("WD212"):
        api.operations.extend_job(wid, number, 60, "x", conn=shop.conn)
    parked = shop.start(a="1")
    park(shop, parked)
    with refused("WD212"):
        api.operations.extend_job(parked, job_of(shop, parked), 60, "x", conn=shop.conn)


CALLS: list[Callable[..., None]] = [
    api.operations.retry_job,
    api.operations.release_job,
    api.operations.withdraw_job,
]


@pytest.mark.parametrize("call", CALLS)
def test_r13_a_job_that_is_gone_or_held_is_left_alone(shop: Kit, call: Callable[..., None]) -> None:
    wid = shop.start(a="1", b="1")
    number = job_of(shop, wid)
    with refused("WD009"):
        call(wid, number, "", conn=shop.conn)
    worker = shop.connect()
    with worker.transaction(force_rollback=True):
        api.jobs.take_many(shop.name, ["tr_x"], 1, job_ids=[number], conn=worker)
        with refused("WD203"):
            call(wid, number, "x", conn=shop.conn)
    shop.run("tr_x", wid, a="0")
    with refused("WD205"):
        call(wid, number, "x", conn=shop.conn)
    assert shop.jobs(wid) == ["tr_y"]


@pytest.mark.parametrize("call", CALLS)
def test_r13_the_exception_itself_and_a_suspended_instance(shop: Kit, call: Callable[..., None]) -> None:
    wid = shop.start(a="1")
    shop.run("tr_x", wid, a="7")
    with refused("WD212"):
        call(wid, job_of(shop, wid, "_EXCPT"), "x", conn=shop.conn)
    other = shop.start(a="1")
    number = job_of(shop, other)
    api.operations.suspend(other, "x", conn=shop.conn)
    with refused("WD105"):
        call(other, number, "x", conn=shop.conn)


def test_r13_what_is_ready_is_not_retried_and_what_is_free_not_released(shop: Kit) -> None:
    wid = shop.start(a="1")
    for call in (api.operations.retry_job, api.operations.release_job):
        with refused("WD212"):
            call(wid, job_of(shop, wid), "x", conn=shop.conn)
    assert len(shop.trace(wid)) == 1


def test_r13_a_job_waits_for_an_older_one_of_its_transition(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_x", "a = '1'")
    kit.trig("tr_x", "b = '1'")
    wid = kit.start(a="1", b="1")
    api.workers.register("test", "w", "here", 1, [f"{kit.name}:tr_x"], conn=kit.conn)
    assert sorted(job.waits_for for job in api.reasons.explain_jobs(wid, conn=kit.conn)) == [
        "exclusion",
        "worker",
    ]


def test_r1_a_retried_job_has_the_present_state(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    park(shop, wid)
    shop.run("tr_y", wid, b="2")
    api.operations.retry_job(wid, job_of(shop, wid), "Again.", conn=shop.conn)
    assert [job.payload["b"] for job in shop.pending(wid)] == ["2"]


def test_r1_a_job_whose_condition_no_longer_holds_is_not_retried(shop: Kit) -> None:
    shop.rows("update {f}.wed_trig set revalidate = 'at_take' where trname = 'tr_x'")
    wid = shop.start(a="1", b="1")
    park(shop, wid)
    shop.run("tr_y", wid, a="7")
    for call in (
        api.operations.retry_job,
        lambda *args, conn: api.repairs.repair(args[0], "retry", {}, "x", conn=conn),
    ):
        with refused("WD533"):
            call(wid, job_of(shop, wid), "Again.", conn=shop.conn)
    assert shop.status(wid) == "E"
    shop.rows("update {f}.wed_trig set revalidate = 'none' where trname = 'tr_x'")
    api.operations.retry_job(wid, job_of(shop, wid), "Again.", conn=shop.conn)
    assert shop.status(wid) == "R"
    assert broken(shop) == []
