"""Timers and pickup deadlines: changes by time alone, without an update (K-37, K-43)."""

from __future__ import annotations

import pytest

from flows.tests.kit import Kit
from testkit.waiting import until

pytestmark = pytest.mark.kernel


def test_k43_no_worker_picks_it_up(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'", pickup_deadline="1 hour")
    wid = kit.start(a="1")
    assert kit.reap("59 minutes")["late"] == 0
    assert kit.reap("61 minutes")["late"] == 1
    assert (kit.status(wid), kit.pending(wid)[0].late, kit.logged(wid)) == ("R", True, ["late"])
    assert kit.reap("62 minutes")["late"] == 0
    assert kit.reap("121 minutes")["late"] == 1
    assert (kit.status(wid), kit.instance(wid).reason) == ("E", "PICKUP")
    assert kit.jobs(wid) == ["_EXCPT", "tr_x"]


def test_k43_a_held_job_is_not_late(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'", pickup_deadline="1 hour", timeout="1 day")
    wid = kit.start(a="1")
    holder = kit.connect()
    with holder.transaction(force_rollback=True):
        kit.take("tr_x", wid, holder)
        assert kit.reap("2 hours")["late"] == 0
    holder.close()
    until(lambda: kit.reap("2 hours")["late"] == 1)


def test_k37_a_due_time_fires_without_any_update(kit: Kit) -> None:
    kit.attrs("a")
    kit.attr("due", None, "timestamptz")
    kit.trig("tr_remind", "a = '1'", due_attr="due")
    due = kit.one("select wedsql.now() + interval '1 day'")
    wid = kit.start(a="1", due=due)
    assert (kit.jobs(wid), kit.status(wid)) == ([], "R")
    assert kit.reap("23 hours")["timers"] == 0
    assert kit.one("select wedsql.next_due()") == due
    assert kit.reap("25 hours")["timers"] == 1
    assert kit.jobs(wid) == ["tr_remind"]
    assert kit.story(wid) == [("_INIT", [], "R"), ("_REMATCH", ["tr_remind"], "R")]


def test_k37_a_past_due_time_fires_at_once(kit: Kit) -> None:
    kit.attrs("a")
    kit.attr("due", None, "date")
    kit.trig("tr_remind", "a = '1'", due_attr="due", due_after="1 day")
    assert kit.jobs(kit.start(a="1", due="2020-01-01")) == ["tr_remind"]


def test_k37_due_after_counts_from_the_commit_that_made_it_true(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_wait", "a = '1'", due_after="1 hour")
    kit.trig("tr_step", "b = '1'")
    wid = kit.start(a="1", b="1")
    kit.clock("30 minutes")
    kit.run("tr_step", wid, b="1")
    assert kit.reap("59 minutes")["timers"] == 0
    assert kit.reap("61 minutes")["timers"] == 1
    assert kit.jobs(wid) == ["tr_wait", "tr_step"]


def test_k37_a_timer_goes_when_its_condition_is_no_longer_true(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_wait", "a = '1'", due_after="1 hour")
    kit.trig("tr_step", "b = '1'")
    wid = kit.start(a="1", b="1")
    kit.run("tr_step", wid, a="0", b="1")
    assert kit.one("select count(*) from wedsql.timer where wid = %s", [wid]) == 0
    assert kit.reap("2 hours")["timers"] == 0
    assert kit.jobs(wid) == ["tr_step"]


def test_k37_a_changed_due_time_is_read_again(kit: Kit) -> None:
    kit.attrs("b")
    kit.attr("due", None, "timestamptz")
    kit.trig("tr_wait", "b is not null", due_attr="due")
    kit.trig("tr_step", "b = '1'")
    later, sooner = (kit.one("select wedsql.now() + %s::interval", [i]) for i in ("10 hours", "1 hour"))
    wid = kit.start(b="1", due=later)
    kit.run("tr_step", wid, due=sooner)
    assert kit.reap("2 hours")["timers"] == 1
    assert "tr_wait" in kit.jobs(wid)


def test_f5_a_locked_instance_is_left_to_the_next_round(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_leased", "a = '1'", timeout="10 minutes")
    kit.trig("tr_waits", "a = '1'", pickup_deadline="1 hour")
    kit.trig("tr_due", "a = '1'", due_after="1 hour")
    wid = kit.start(a="1")
    kit.lease("tr_leased")
    due = {"expired", "timers", "late"}
    kit.rows("set lock_timeout = '2s'")
    writer = kit.connect()
    with writer.transaction():
        kit.rows("select from {f}.wed_flow where wid = %s for no key update", [wid], writer)
        assert {word: n for word, n in kit.reap("2 hours").items() if word in due} == dict.fromkeys(due, 0)
    assert {word: n for word, n in kit.reap("2 hours").items() if word in due} == dict.fromkeys(due, 1)


@pytest.mark.parametrize(
    ("change", "jobs", "status"),
    [
        ("due_after = null", ["tr_wait"], "R"),
        ("due_after = null, cpred = 'a = ''9'''", ["_EXCPT"], "E"),
        ("enabled = false", ["_EXCPT"], "E"),
    ],
)
def test_k37_a_removed_due_time_leaves_no_timer(kit: Kit, change: str, jobs: list[str], status: str) -> None:
    kit.attrs("a")
    kit.trig("tr_wait", "a = '1'", due_after="1 hour")
    kit.final("a = '2'")
    wid = kit.start(a="1")
    assert (kit.jobs(wid), kit.status(wid)) == ([], "R")
    kit.rows("update {f}.wed_trig set " + change + " where trname = 'tr_wait'")
    assert (kit.jobs(wid), kit.status(wid)) == (jobs, status)
    assert kit.one("select count(*) from wedsql.timer where wid = %s", [wid]) == 0
