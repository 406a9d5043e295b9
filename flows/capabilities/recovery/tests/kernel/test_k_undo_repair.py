"""Undoing the last repair: while nothing followed from it the instance is again what it was."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.capabilities.recovery.tests.kernel.test_k_forward import denied, do
from flows.capabilities.recovery.tests.kernel.test_k_repair import job_of
from flows.tests.kit import Kit, broken, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("a", "b")
    kit.attr("amount", 0, "integer")
    kit.trig("tr_x", "a = '1'", backoff="1 hour", max_attempts=1, timeout="1 hour")
    kit.trig("tr_y", "b = '1'")
    kit.trig("tr_once", "a = 'once'", fire_once=True)
    kit.final("a = 'end'")
    return kit


def stuck(kit: Kit) -> int:
    wid = kit.start(a="1", b="keep")
    kit.run("tr_x", wid, a="lost", amount=3)
    assert kit.status(wid) == "E"
    return wid


def patch(kit: Kit, wid: int, **changes: Any) -> Any:
    return do(kit, wid, "patch", changes=changes)


def facts(kit: Kit, wid: int) -> Any:
    """Return what the instance is: values, status, reason and jobs, without numbers of steps."""
    shown = (
        "select jsonb_build_object('status', i.status, 'reason', i.reason, 'jobs', (select jsonb_agg("
        "to_jsonb(j) - '{id,payload,fired_at,fired_xid,cause_seq}'::text[] order by j.tgid)"
        " from wedsql.job_pool j where j.wid = i.wid)) from wedsql.instance i where i.wid = %s"
    )
    return kit.one(shown, [wid]), api.reasons.explain_instance(wid, conn=kit.conn).state


def case_of(kit: Kit, wid: int) -> Any:
    return api.cases.list([kit.name], {"wid": wid}, conn=kit.conn)[0]


def test_undo_restores_values_jobs_and_the_case(shop: Kit) -> None:
    wid = stuck(shop)
    before, number = facts(shop, wid), case_of(shop, wid).number
    patch(shop, wid, a="1", b="1", amount=4)
    found = api.repairs.last(wid, conn=shop.conn)
    assert found is not None and (found.seq, found.problem, found.actor) == (3, "", "ana")
    assert found.values == {"a": "lost", "b": "keep", "amount": 3}
    shown = api.repairs.preview(wid, "undo", conn=shop.conn)
    assert (shown.status_after, shown.after, shown.steps) == ("E", found.values, ["_RECOVER:undo"])
    assert sorted(job.transition for job in shown.withdrawn) == ["tr_x", "tr_y"]
    done = do(shop, wid, "undo")
    assert (done.status, done.seq, done.facts) == ("E", 4, {"undone": 3})
    assert facts(shop, wid) == before
    assert (case_of(shop, wid).number, case_of(shop, wid).state) == (number, "reopened")
    steps = [(row.trw, row.actor) for row in shop.trace(wid)]
    assert steps[2:] == [("_RECOVER:patch", "ana"), ("_RECOVER:undo", "ana")]
    denied(shop, "WD528", wid, "undo")
    assert patch(shop, wid, a="end").status == "F"
    assert broken(shop) == []


def test_undo_parks_a_job_again_that_the_repair_ended(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    shop.fail("tr_x", wid)
    before = facts(shop, wid)
    patch(shop, wid, a="0")
    assert shop.jobs(wid) == ["tr_y"]
    do(shop, wid, "undo")
    assert facts(shop, wid) == before and sorted(shop.jobs(wid)) == ["_EXCPT", "tr_x", "tr_y"]
    assert do(shop, wid, "retry").status == "R"
    shop.run("tr_x", wid, a="end-1")
    assert broken(shop) == []


def test_undo_of_a_skipped_job(shop: Kit) -> None:
    wid = shop.start(a="1")
    before = facts(shop, wid)
    assert do(shop, wid, "skip", job=job_of(shop, wid), changes={"b": "x"}).status == "E"
    do(shop, wid, "undo")
    assert facts(shop, wid) == before
    assert shop.one("select count(*) from wedsql.skipped where wid = %s", [wid]) == 0
    assert api.cases.list([shop.name], {"wid": wid}, closed=True, conn=shop.conn)[0].state == "closed"
    shop.run("tr_x", wid, a="end")
    assert shop.status(wid) == "F" and broken(shop) == []


def test_undo_of_a_repair_that_led_to_another_exception(shop: Kit) -> None:
    wid = stuck(shop)
    before = facts(shop, wid)
    assert patch(shop, wid, a="nothing").status == "E"
    do(shop, wid, "undo")
    assert facts(shop, wid) == before and broken(shop) == []


def test_a_trigger_that_fires_once_fires_again_after_the_undo(shop: Kit) -> None:
    wid = stuck(shop)
    for _each in range(2):
        patch(shop, wid, a="once")
        assert shop.jobs(wid) == ["tr_once"]
        do(shop, wid, "undo")
    assert broken(shop) == []


def test_undo_is_refused_once_something_followed(shop: Kit) -> None:
    wid = shop.start(b="1")
    denied(shop, "WD528", wid, "undo")
    assert api.repairs.last(wid, conn=shop.conn) is None
    wid = stuck(shop)
    patch(shop, wid, a="1")
    job = shop.lease("tr_x")
    refused_as(shop, wid, "taken")
    api.jobs.release(job, conn=shop.conn)
    refused_as(shop, wid, "taken")
    shop.run("tr_x", wid, a="lost")
    refused_as(shop, wid, "moved")
    denied(shop, "WD528", wid, "undo")
    patch(shop, wid, a="1")
    shop.trig("tr_later", "a = 'later'")
    refused_as(shop, wid, "published")
    ended = stuck(shop)
    assert patch(shop, ended, a="end").status == "F"
    shop.trig("tr_last", "a = 'last'")
    refused_as(shop, ended, "published")
    assert broken(shop) == []


def refused_as(kit: Kit, wid: int, problem: str) -> None:
    found = api.repairs.last(wid, conn=kit.conn)
    assert found is not None and found.problem == problem
    with refused("WD528") as why:
        do(kit, wid, "undo")
    assert why.facts["problem"] == problem


def test_undo_is_refused_while_a_session_locks_the_job(shop: Kit) -> None:
    wid = stuck(shop)
    patch(shop, wid, a="1")
    other = shop.connect()
    with other.transaction():
        other.execute(f"select * from {shop.name}.take(array['tr_x'])")
        with refused("WD528", "WD010"):
            do(shop, wid, "undo")
    assert do(shop, wid, "undo").status == "E" and broken(shop) == []


def test_undo_of_an_accepted_state(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    shop.fail("tr_x", wid)
    before, number = facts(shop, wid), case_of(shop, wid).number
    assert do(shop, wid, "accept").status == "F"
    found = api.repairs.last(wid, conn=shop.conn)
    assert found is not None and (found.operation, found.problem) == ("accept", "")
    assert do(shop, wid, "undo").status == "E"
    assert facts(shop, wid) == before and shop.instance(wid).finished_at is None
    assert (case_of(shop, wid).number, case_of(shop, wid).state) == (number, "reopened")
    assert patch(shop, wid, a="1", b="1").status == "R" and broken(shop) == []


def test_undo_of_a_retry(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    shop.fail("tr_x", wid)
    before = facts(shop, wid)
    assert do(shop, wid, "retry").status == "R"
    assert do(shop, wid, "undo").status == "E"
    assert facts(shop, wid) == before and sorted(shop.jobs(wid)) == ["_EXCPT", "tr_x", "tr_y"]
    assert broken(shop) == []
    other = shop.lease("tr_y")
    do(shop, wid, "retry")
    assert do(shop, wid, "undo").status == "E", "the other job was held before the retry"
    api.jobs.release(other, conn=shop.conn)
    do(shop, wid, "retry")
    job = shop.lease("tr_x")
    refused_as(shop, wid, "taken")
    api.jobs.release(job, conn=shop.conn)
    refused_as(shop, wid, "taken")
    shop.fail("tr_x", wid)
    refused_as(shop, wid, "moved")
    assert broken(shop) == []


def test_undo_of_a_retry_gives_the_job_the_large_state_that_fired_it(shop: Kit) -> None:
    wid = shop.start(a="1", b="é" * 1_500)
    shop.fail("tr_x", wid)
    asked = "select payload::text from wedsql.job_pool where wid = %s and trname = 'tr_x'"
    assert shop.one(asked, [wid]) is None, "it is in the history only"
    do(shop, wid, "retry")
    assert "é" in shop.one(asked, [wid])
    do(shop, wid, "undo")
    assert shop.one(asked, [wid]) is None and broken(shop) == []
    do(shop, wid, "retry")
    assert shop.take("tr_x", wid).payload == shop.state(wid)


def test_undo_of_new_values_that_ended_the_instance(shop: Kit) -> None:
    wid = stuck(shop)
    before = facts(shop, wid)
    assert patch(shop, wid, a="end").status == "F"
    assert do(shop, wid, "undo").status == "E" and facts(shop, wid) == before
    wid = shop.start(a="1")
    do(shop, wid, "complete", job=job_of(shop, wid), changes={"a": "end"})
    denied(shop, "WD105", wid, "undo")
    assert broken(shop) == []


def test_undo_restores_what_an_instance_waits_for(shop: Kit) -> None:
    shop.trig("tr_later", "a = 'wait'", due_after="1 hour")
    shop.trig("tr_soon", "b = 'wait'", due_after="2 hours")
    timers = "select x.tgid, x.due_at from wedsql.timer x where x.wid = %s order by x.tgid"
    wid = stuck(shop)
    assert patch(shop, wid, a="wait").status == "R" and len(shop.rows(timers, [wid])) == 1
    assert do(shop, wid, "undo").status == "E" and shop.rows(timers, [wid]) == []
    wid = shop.start(a="1", b="wait")
    before, waiting = facts(shop, wid), shop.rows(timers, [wid])
    do(shop, wid, "skip", job=job_of(shop, wid), changes={"a": "wait", "b": "no"})
    assert shop.rows(timers, [wid]) != waiting
    do(shop, wid, "undo")
    assert facts(shop, wid) == before and shop.rows(timers, [wid]) == waiting and len(waiting) == 1
    assert broken(shop) == []


def test_undo_of_one_of_two_retries_after_a_worker_failed_the_exception(shop: Kit) -> None:
    shop.rows("update {f}.wed_trig set max_attempts = 1 where trname = 'tr_y'")
    wid = shop.start(a="1", b="1")
    for transition in ("tr_x", "tr_y", "_EXCPT"):
        shop.fail(transition, wid)
    before = [(job.trname, job.state) for job in shop.pending(wid)]
    assert do(shop, wid, "retry", job=job_of(shop, wid)).status == "E"
    do(shop, wid, "undo")
    assert [(job.trname, job.state) for job in shop.pending(wid)] == before
    assert shop.status(wid) == "E" and broken(shop) == []
