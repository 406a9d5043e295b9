"""A wait notices soon what has happened, and looks seldom where that takes long."""

from __future__ import annotations

import pytest

from testkit.waiting import pause_after, until


def pauses(seconds: float) -> list[float]:
    """Return the pauses of a wait that lasts so long, if looking takes no time."""
    found: list[float] = []
    while sum(found) < seconds:
        found.append(pause_after(sum(found), 0.02))
    return found


def test_a_long_wait_looks_a_few_times_a_second() -> None:
    assert len(pauses(60.0)) < 60 / 0.02 / 8
    assert max(pauses(60.0)) <= 0.25


def test_a_short_wait_notices_at_once() -> None:
    assert set(pauses(0.4)) == {0.02}


def test_no_pause_is_shorter_than_asked_for() -> None:
    assert pause_after(0.0, 0.5) == pause_after(60.0, 0.5) == 0.5


def test_a_wait_without_end_says_what_it_waited_for() -> None:
    with pytest.raises(TimeoutError, match=r"no bell rang \(waited 0.05 s\)"):
        until(lambda: False, 0.05, "no bell rang")
