"""A clock that is set back leaves nobody waiting (RELIABILITY F7)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel
HOUR = 3600


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
    job = api.lease_many(one.name, ["tr_x"], 1, "gone", duration=timedelta(minutes=1), conn=one.conn)[0]
    assert one.reap("0")["expired"] == 0
    assert one.reap("55 seconds")["expired"] == 0
    assert one.reap("62 seconds")["expired"] == 1
    with refused("WD203", "WD204"):
        api.complete(job, {"a": "2"}, conn=one.conn)


def test_f7_the_holder_of_a_lease_may_still_finish(one: Kit) -> None:
    one.start(a="1")
    one.reap("1 hour")
    job = api.lease_many(one.name, ["tr_x"], 1, "busy", duration=timedelta(minutes=1), conn=one.conn)[0]
    one.reap("30 seconds")
    assert api.complete(job, {"a": "2"}, conn=one.conn).status == "F"


def test_f7_a_failed_attempt_of_an_hour_ahead_comes_back_when_it_should(one: Kit) -> None:
    one.start(a="1")
    one.reap("1 hour")
    api.fail(api.lease_many(one.name, ["tr_x"], 1, "x", conn=one.conn)[0], "not today", conn=one.conn)
    one.reap("0")
    assert not api.offer(one.name, ["tr_x"], 1, conn=one.conn)
    one.clock("3 minutes")
    assert api.offer(one.name, ["tr_x"], 1, conn=one.conn)


def test_f7_going_back_is_told_once_and_how_far_for_as_long_as_it_is_so(one: Kit) -> None:
    told: list[str] = []
    one.conn.add_notice_handler(lambda diag: told.append(diag.message_primary or ""))
    one.reap("1 hour")
    one.reap("0")
    one.reap("0")
    assert len(told) == 1 and told[0].startswith("the clock of the database went back by 00:59:")
    behind = one.one("select extract(epoch from wedsql.clock_behind())::float8")
    assert HOUR - 60 < behind <= HOUR
    one.reap("61 minutes")
    assert one.one("select wedsql.clock_behind() = interval '0'")


def test_f7_a_clock_that_only_goes_on_moves_nothing(one: Kit) -> None:
    one.start(a="1")
    one.reap("0")
    api.lease_many(one.name, ["tr_x"], 1, "x", duration=timedelta(hours=1), conn=one.conn)
    before = one.one("select lease_until from wedsql.job_pool where trname = 'tr_x' and state = 'L'")
    one.reap("1 minute")
    one.reap("59.5 seconds")  # two reapers are not exactly at one time
    after = one.one("select lease_until from wedsql.job_pool where trname = 'tr_x' and state = 'L'")
    assert before == after


def test_f7_workers_of_an_hour_ahead_are_not_taken_for_alive(one: Kit) -> None:
    one.reap("1 hour")
    api.register_worker("process", "gone", "here", 1, [f"{one.name}:tr_x"], conn=one.conn)
    one.reap("0")
    try:
        assert one.one("select seen_at <= wedsql.now() from wedsql.worker where name = 'gone'")
    finally:
        one.rows("delete from wedsql.worker where name = 'gone'")
