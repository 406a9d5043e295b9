"""After a re-match no running instance is without work, and only exceptions have an `_EXCPT` job."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, broken, tgid

pytestmark = pytest.mark.kernel


def timed(kit: Kit) -> int:
    """Return an instance whose only work is a timer of an hour."""
    kit.attrs("a")
    kit.trig("tr_wait", "a = '1'", due_after="1 hour")
    kit.final("a = 'end'")
    wid = kit.start(a="1")
    assert (kit.status(wid), kit.jobs(wid)) == ("R", [])
    return wid


def other_predicate(kit: Kit) -> None:
    kit.rows("update {f}.wed_trig set cpred = 'a = ''2''' where trname = 'tr_wait'")


def disable(kit: Kit) -> None:
    kit.rows("update {f}.wed_trig set enabled = false where trname = 'tr_wait'")


def delete(kit: Kit) -> None:
    kit.rows("delete from {f}.wed_trig where trname = 'tr_wait'")


@pytest.mark.parametrize("change", [other_predicate, disable, delete])
def test_k17_a_timer_whose_condition_is_gone_leaves_an_exception(
    kit: Kit, change: Callable[[Kit], None]
) -> None:
    wid = timed(kit)
    change(kit)
    assert (kit.status(wid), kit.jobs(wid)) == ("E", ["_EXCPT"])
    assert kit.one("select count(*) from wedsql.timer where wid = %s", [wid]) == 0
    assert broken(kit) == []


def test_k17_a_timer_that_still_holds_is_left_alone(kit: Kit) -> None:
    wid = timed(kit)
    kit.rows("update {f}.wed_trig set cpred = 'a in (''1'', ''2'')' where trname = 'tr_wait'")
    assert kit.status(wid) == "R"
    assert kit.reap("61 minutes")["timers"] == 1
    assert kit.jobs(wid) == ["tr_wait"]


def test_k17_rematch_finds_the_timer_that_an_older_kernel_left(kit: Kit) -> None:
    """The instance is running, nothing is pending, and the timer's condition does not hold."""
    wid = timed(kit)
    other_predicate(kit)
    kit.rows("set role wed_owner")
    kit.rows("delete from wedsql.job_pool where wid = %s", [wid])
    kit.rows("update wedsql.instance set status = 'R', reason = null where wid = %s", [wid])
    kit.rows(
        "insert into wedsql.timer values (%s, %s, %s, now() + interval '1 hour')",
        (wid, tgid(kit, "tr_wait"), kit.id),
    )
    kit.rows("reset role")
    report = api.instances.rematch(kit.name, conn=kit.conn)
    assert (report["new_exception"], kit.status(wid)) == (1, "E")
    assert broken(kit) == []


def test_k37_no_due_time_no_timer(kit: Kit) -> None:
    """Clearing the due attribute deletes the timer, so that the trigger does not fire."""
    kit.attrs("a", "b")
    kit.attr("due", None, "timestamptz")
    kit.trig("tr_remind", "a = '1'", due_attr="due")
    kit.trig("tr_step", "b = '1'")
    wid = kit.start(a="1", b="1", due=kit.one("select wedsql.now() + interval '1 hour'"))
    assert kit.one("select count(*) from wedsql.timer where wid = %s", [wid]) == 1
    kit.run("tr_step", wid, due=None)
    assert kit.one("select count(*) from wedsql.timer where wid = %s", [wid]) == 0
    assert kit.reap("2 hours")["timers"] == 0
    assert kit.jobs(wid) == ["tr_step"]


def due_in(kit: Kit, wid: int) -> float:
    """Return the days from the instance's start to the due time of its timer."""
    return float(
        kit.one(
            "select extract(epoch from x.due_at - t.tstmp) / 86400 from wedsql.timer x"
            " join wedsql.wed_trace t on t.wid = x.wid and t.seq = 1 where x.wid = %s",
            [wid],
        )
    )


@pytest.mark.parametrize("by_publish", [False, True])
def test_a_changed_due_time_reaches_the_timers_that_wait(kit: Kit, by_publish: bool) -> None:
    """The new time counts from the same commit as the old one, or from the attribute."""
    kit.attrs("a")
    kit.attr("due", None, "timestamptz")
    kit.trig("tr_x", "a = '1'", due_after="10 days")
    wid = kit.start(a="1", due="2100-01-01 00:00:00+00")
    assert round(due_in(kit, wid)) == 10
    for due_attr, due_after in ((None, "3 days"), ("due", None), ("due", "1 day"), (None, "4 days")):
        if by_publish:
            definition = api.flows.definition(kit.name, conn=kit.conn)
            definition["triggers"][0] |= {"due_attr": due_attr, "due_after": due_after}
            kit.publish(definition)
        else:
            kit.rows("update {f}.wed_trig set due_attr = %s, due_after = %s", [due_attr, due_after])
        at = kit.one("select due_at from wedsql.timer where wid = %s", [wid])
        if due_attr:
            assert at.astimezone(UTC).date().isoformat() == ("2100-01-02" if due_after else "2100-01-01")
        else:
            assert round(due_in(kit, wid)) == int(due_after[0])
    kit.rows("update {f}.wed_trig set due_after = '-1 second'")
    assert kit.jobs(wid) == ["tr_x"]


WAITING = {  # what delays a matched trigger, with the state that does so
    "due_after": ({"due_after": "1 hour"}, {}),
    "due_attr": ({"due_attr": "due"}, {"due": "2999-01-01"}),
    "due_attr_after": ({"due_attr": "due", "due_after": "1 month"}, {"due": "2999-01-31"}),
    "due_attr_empty": ({"due_attr": "due"}, {"due": None}),
    "fire_once": ({"fire_once": True}, {}),
}


@pytest.fixture(params=WAITING)
def waiting(kit: Kit, request: pytest.FixtureRequest) -> int:
    """An instance with a pending job, and another trigger that does not fire though its condition holds."""
    options, state = WAITING[request.param]
    kit.attrs("a")
    kit.attr("due", None, "date")
    kit.trig("tr_work", "a = '1'")
    kit.trig("tr_wait", "a = '1'", **options)
    wid = kit.start(a="1", **state)
    if options.get("fire_once"):
        kit.run("tr_wait", wid)
    assert kit.jobs(wid) == ["tr_work"]
    return wid


def everything(kit: Kit, wid: int) -> list[Any]:
    """Return all rows of an instance, each with the transaction that wrote it."""
    tables = ("instance", "job_pool", "timer", "wed_trace", "job_log")
    return [kit.rows(f"select x.xmin, x.* from wedsql.{name} x where wid = %s", [wid]) for name in tables]


def test_k17_a_rematch_writes_nothing_where_nothing_follows(kit: Kit, waiting: int) -> None:
    before = everything(kit, waiting)
    report = api.instances.rematch(kit.name, conn=kit.conn)
    assert (report["checked"], report["changed"], report["fired"]) == (1, 0, {})
    kit.rows("update {f}.wed_trig set cpred = 'a in (''1'', ''2'')'")
    kit.trig("tr_other", "a = 'other'")
    assert everything(kit, waiting) == before


def test_k17_a_rematch_moves_and_sets_timers(kit: Kit, waiting: int) -> None:
    """Necessary changes are still made: the trigger does not wait any more, for this or for another time."""
    kit.rows(
        "update {f}.wed_trig set due_attr = null, due_after = null, fire_once = false"
        " where trname = 'tr_wait'"
    )
    assert sorted(kit.jobs(waiting)) == ["tr_wait", "tr_work"]
    assert broken(kit) == []


def test_k17_a_rematch_sets_the_timer_of_a_new_trigger(kit: Kit) -> None:
    kit.attrs("a")
    kit.attr("due", None, "timestamptz")
    kit.trig("tr_work", "a = '1'")
    wid = kit.start(a="1", due="2999-01-01 10:00+00")
    kit.trig("tr_wait", "a = '1'", due_attr="due")
    assert kit.one("select due_at at time zone 'UTC' from wedsql.timer where wid = %s", [wid]).year == 2999
    kit.rows("update {f}.wed_trig set due_after = '1 year' where trname = 'tr_wait'")
    assert kit.one("select due_at at time zone 'UTC' from wedsql.timer where wid = %s", [wid]).year == 3000


@pytest.mark.parametrize(
    ("change", "due"),
    [
        ("due_attr = 'other'", None),
        ("due_attr = 'sooner'", "2998-01-01"),
        ("due_after = '1 day'", "2999-01-02"),
        ("due_attr = null, due_after = null", None),
    ],
)
@pytest.mark.parametrize("parked", [False, True])
def test_k37_a_changed_due_time_moves_the_timer_beside_a_pending_job(
    kit: Kit, change: str, due: str | None, parked: bool
) -> None:
    """The trigger waits for its next time while its job is pending: only that time changes."""
    kit.attrs("a", "b")
    for name in ("due", "sooner", "other"):
        kit.attr(name, None, "date")
    kit.trig("tr_wait", "a = '1'", due_attr="due", max_attempts=1)
    kit.trig("tr_step", "b = '1'")
    wid = kit.start(a="1", b="1", due="2020-01-01", sooner="2998-01-01")
    kit.run("tr_step", wid, b="0", due="2999-01-01")
    if parked:
        with kit.step():
            api.jobs.fail(kit.take("tr_wait", wid), "no", conn=kit.conn)
    before = (kit.jobs(wid), kit.status(wid), len(kit.trace(wid)))
    kit.rows("update {f}.wed_trig set " + change + " where trname = 'tr_wait'")
    found = kit.rows(
        "select to_char(due_at at time zone 'UTC', 'YYYY-MM-DD') as day from wedsql.timer where wid = %s",
        [wid],
    )
    assert [row.day for row in found] == ([due] if due else [])
    assert (kit.jobs(wid), kit.status(wid), len(kit.trace(wid))) == before
    assert broken(kit) == []


@pytest.mark.parametrize("beside", [False, True])
def test_k17_fire_once_deletes_the_timer_of_a_trigger_that_fired(kit: Kit, beside: bool) -> None:
    """The trigger's fire_once was set while it waited to fire a second time."""
    kit.attrs("a", "b")
    kit.trig("tr_wait", "a = '1'", due_after="1 hour")
    kit.trig("tr_step", "b = '1'")
    wid = kit.start(a="1", b="1")
    assert kit.reap("61 minutes")["timers"] == 1
    kit.run("tr_wait", wid, a="1")
    kit.run("tr_step", wid, b="1" if beside else "0")
    assert kit.one("select count(*) from wedsql.timer where wid = %s", [wid]) == 1
    kit.rows("update {f}.wed_trig set fire_once = true where trname = 'tr_wait'")
    assert kit.one("select count(*) from wedsql.timer where wid = %s", [wid]) == 0
    assert (kit.status(wid), kit.jobs(wid)) == (("R", ["tr_step"]) if beside else ("E", ["_EXCPT"]))
    assert broken(kit) == []


def test_k17_withdrawing_no_job_touches_no_instance(kit: Kit) -> None:
    """Not even one that a re-match would change."""
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    unused = kit.numbered_trig("tr_unused", "a = 'other'")
    wid = kit.start(a="1")
    kit.rows("set role wed_owner")
    kit.rows("delete from wedsql.job_pool where wid = %s", [wid])
    kit.rows("reset role")
    before = everything(kit, wid)
    assert kit.one("select wedsql.withdraw(%s, %s)", (kit.name, unused)) == 0
    assert everything(kit, wid) == before


def test_k17_publishing_locks_only_the_instances_for_which_something_follows(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_one", "a is not null")
    kit.final("a = 'end'")
    waits, fires, stuck = kit.start(a="1"), kit.start(a="1", b="1"), kit.start(a="1")
    kit.run("tr_one", stuck, a=None)
    kit.trig("tr_two", "b = '1'")
    locked = kit.rows("select w.wid from {f}.wed_flow w where w.xmax::text <> '0' order by w.wid")
    assert [row[0] for row in locked] == [fires, stuck]
    assert kit.status(waits) == "R"
    assert kit.jobs(fires) == ["tr_one", "tr_two"]
    assert (kit.status(stuck), kit.jobs(stuck)) == ("E", ["_EXCPT"])
    assert broken(kit) == []
