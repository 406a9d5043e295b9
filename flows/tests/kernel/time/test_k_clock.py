"""After the clock is set back, no job and no timer waits too long (docs/reliability.md, F7)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel
HOUR = 3600
STARTS = {"attributes": [{"name": "a"}], "triggers": [{"transition": "tr_x", "predicate": "a is null"}]}
MOMENT = """select to_char((wedsql.now() + %s::interval) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')"""


@pytest.fixture
def timed(kit: Kit) -> Kit:
    """A flow with a timer of half an hour, and one of five minutes after the moment in its data."""
    kit.attrs("a")
    kit.attr("due", None, "timestamptz")
    kit.trig("tr_later", "a is not null", due_after="30 minutes")
    kit.trig("tr_then", "due is not null", due_attr="due", due_after="5 minutes")
    kit.reap("0")
    return kit


def fires(kit: Kit, *offsets: str) -> list[int]:
    """Return how many timers fire in rounds at each of these times, one after the other."""
    return [kit.reap(offset)["timers"] for offset in offsets]


@pytest.fixture
def one(kit: Kit) -> Kit:
    """A flow with one transition."""
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'", timeout="1 minute", backoff="1 minute", max_attempts=9)
    kit.final("a = '2'")
    return kit


def test_f7_a_lease_of_an_hour_ahead_ends_when_it_should(one: Kit) -> None:
    one.start(a="1")
    one.reap("1 hour")
    job = api.jobs.lease_many(one.name, ["tr_x"], 1, "gone", duration=timedelta(minutes=1), conn=one.conn)[0]
    assert one.reap("0")["expired"] == 0
    assert one.reap("55 seconds")["expired"] == 0
    assert one.reap("62 seconds")["expired"] == 1
    with refused("WD203", "WD204"):
        one.complete(job, {"a": "2"})


def test_f7_the_holder_of_a_lease_may_still_finish(one: Kit) -> None:
    one.start(a="1")
    one.reap("1 hour")
    job = api.jobs.lease_many(one.name, ["tr_x"], 1, "busy", duration=timedelta(minutes=1), conn=one.conn)[0]
    one.reap("30 seconds")
    assert one.complete(job, {"a": "2"}).status == "F"


def test_f7_a_failed_attempt_of_an_hour_ahead_comes_back_when_it_should(one: Kit) -> None:
    one.start(a="1")
    one.reap("1 hour")
    one.fail("tr_x", why="not today")
    one.reap("0")
    assert not api.jobs.offer(one.name, ["tr_x"], 1, conn=one.conn)
    one.clock("3 minutes")
    assert api.jobs.offer(one.name, ["tr_x"], 1, conn=one.conn)


def test_f7_going_back_is_logged_once_and_shown_while_it_lasts(one: Kit) -> None:
    notices: list[str] = []
    one.conn.add_notice_handler(lambda diag: notices.append(diag.message_primary or ""))
    one.reap("1 hour")
    one.reap("0")
    one.reap("0")
    assert len(notices) == 1 and notices[0].startswith("the clock of the database went back by 00:59:")
    behind = one.one("select extract(epoch from wedsql.clock_behind())::float8")
    assert HOUR - 60 < behind <= HOUR
    one.reap("61 minutes")
    assert one.one("select wedsql.clock_behind() = interval '0'")


def test_f7_a_clock_that_only_goes_on_moves_nothing(one: Kit) -> None:
    one.start(a="1")
    one.reap("0")
    api.jobs.lease_many(one.name, ["tr_x"], 1, "x", duration=timedelta(hours=1), conn=one.conn)
    before = one.one("select lease_until from wedsql.job_pool where trname = 'tr_x' and state = 'L'")
    one.reap("1 minute")
    one.reap("59.5 seconds")  # the clocks of two reapers differ slightly
    after = one.one("select lease_until from wedsql.job_pool where trname = 'tr_x' and state = 'L'")
    assert before == after


def test_f7_workers_of_an_hour_ahead_are_not_taken_for_alive(one: Kit) -> None:
    one.reap("1 hour")
    api.workers.register("process", "gone", "here", 1, [f"{one.name}:tr_x"], conn=one.conn)
    one.reap("0")
    try:
        assert one.one("select seen_at <= wedsql.now() from wedsql.worker where name = 'gone'")
    finally:
        one.rows("delete from wedsql.worker where name = 'gone'")


def test_f7_a_timer_of_an_hour_ahead_fires_when_it_should(timed: Kit) -> None:
    fires(timed, "1 hour")
    timed.start(a="1")
    assert fires(timed, "60.5 minutes", "30 seconds", "29 minutes", "31 minutes") == [0, 0, 0, 1]


def test_f7_however_long_the_clock_was_ahead(timed: Kit) -> None:
    """The timer was set early in the three hours before the error was noticed."""
    longer = "update wedsql.trig set due_after = '5 hours' where flow_id = %s and due_after is not null"
    timed.rows(longer, [timed.id])
    fires(timed, "1 hour")
    timed.start(a="1")
    assert set(fires(timed, *(f"{seconds} seconds" for seconds in range(HOUR, 4 * HOUR + 1, 50)))) == {0}
    assert fires(timed, "180 minutes", "299 minutes", "301 minutes") == [0, 0, 1]


def test_f7_a_timer_of_before_is_not_early_when_the_clock_is_put_right(timed: Kit) -> None:
    longer = "update wedsql.trig set due_after = '2 hours' where flow_id = %s and due_after is not null"
    timed.rows(longer, [timed.id])
    timed.start(a="1")
    assert fires(timed, "1 hour", "1 second", "119 minutes", "121 minutes") == [0, 0, 0, 1]


def test_f7_an_hour_behind_for_a_while_moves_no_timer(timed: Kit) -> None:
    timed.start(a="1")
    assert fires(timed, "-1 hour", "-50 minutes", "11 minutes", "29 minutes", "31 minutes") == [0, 0, 0, 0, 1]


def test_f7_a_clock_that_goes_to_and_fro_moves_no_timer(timed: Kit) -> None:
    """Returning to the right time is no jump ahead, so the next jump back moves nothing."""
    timed.start(a="1")
    assert fires(timed, "-1 hour", "1 second") == [0, 0]
    timed.start(a="1")
    assert fires(timed, "-3599 seconds", "2 seconds", "29 minutes", "31 minutes") == [0, 0, 0, 2]


def test_f7_a_moment_in_the_data_is_waited_for(timed: Kit) -> None:
    due = timed.one("select wedsql.now() + interval '85 minutes'")
    fires(timed, "1 hour")
    timed.start(due=due)
    assert fires(timed, "60.5 minutes", "30 seconds", "89 minutes", "91 minutes") == [0, 0, 0, 1]


def test_f7_a_round_that_comes_late_is_not_a_clock_that_was_ahead(timed: Kit) -> None:
    """The reaper did not run for an hour; later the clock goes back by a quarter of one."""
    fires(timed, "1 hour")
    timed.start(a="1")
    assert fires(timed, "60.5 minutes", "45 minutes", "89 minutes", "91 minutes") == [0, 0, 0, 1]


@pytest.mark.parametrize("entry", ["R/PT1M", "R/{first}/PT1M"])
def test_f7_instances_start_again_each_minute_and_none_twice(kit: Kit, entry: str) -> None:
    kit.reap("0")
    first = kit.one(MOMENT, ["0"])
    kit.publish(STARTS | {"start_at": [entry.format(first=first)]})

    def starts(*offsets: str) -> list[int]:
        return [kit.reap(offset)["starts"] for offset in offsets]

    assert starts("62 seconds", "1 day", "1 day 62 seconds") == [1, 1, 1]
    assert starts("64 seconds", "66 seconds", "182 seconds", "242 seconds") == [0, 0, 1, 1]


def test_f7_a_daily_start_that_came_early_does_not_come_again(kit: Kit) -> None:
    kit.reap("0")
    first = kit.one(MOMENT, ["1 hour"])
    kit.publish(STARTS | {"start_at": [f"R/{first}/P1D"]})
    times = ("2 days", "10 seconds", "61 minutes", "24 hours", "25 hours 1 minute", "49 hours 1 minute")
    assert [kit.reap(offset)["starts"] for offset in times] == [1, 0, 0, 0, 1, 1]
