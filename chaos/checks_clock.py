"""Proofs for a clock that goes back: who it was wrong for, and what waits for how long."""

from __future__ import annotations

from chaos.guarded import Bench, must
from flows import api


def clock_back(b: Bench) -> None:
    """A lease that was given by a clock an hour ahead does not last an hour when that is put right."""
    b.start()
    b.sql("set wedsql.test_offset = '1 hour'")
    api.reap(conn=b.conn)
    b.lease("tr_a")
    b.sql("set wedsql.test_offset = '0'")
    api.reap(conn=b.conn)
    b.sql("set wedsql.test_offset = '2 minutes'")
    must(api.reap(conn=b.conn)["expired"] == 1, "the lease lasts an hour")


def timer_of_a_wrong_clock(b: Bench) -> None:
    """A timer that a clock set an hour ahead does not wait for that hour when the clock is put right."""
    _timer(b)
    _reap(b, "0")
    _reap(b, "1 hour")
    b.start()
    _reap(b, "0")
    must(_reap(b, "11 minutes") == 1, "the timer waits an hour longer")


def timer_of_the_right_clock(b: Bench) -> None:
    """A timer does not fire early when the clock was an hour behind for a while."""
    _timer(b)
    _reap(b, "0")
    b.start()
    _reap(b, "-1 hour")
    must(_reap(b, "9 minutes") == 0, "the timer came early")
    must(_reap(b, "11 minutes") == 1, "the timer did not come")


def _timer(b: Bench) -> None:
    b.sql(
        "insert into wed_trig (trname, cpred, due_after) values ('tr_later', 'a is not null', '10 minutes')"
    )


def _reap(b: Bench, offset: str) -> int:
    """Timers that fired in a round at that time."""
    b.sql("select set_config('wedsql.test_offset', %s, false)", offset)
    return api.reap(conn=b.conn)["timers"]
