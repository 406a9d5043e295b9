"""The time limit of handlers that run one after another with one timer."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType

import pytest

from workers.jobs.alarm import GRACE, Alarm
from workers.jobs.outcome import HandlerTimeout

LONG = 5.0


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Checks that no test leaves a timer or a signal handler behind."""
    yield
    left = signal.getitimer(signal.ITIMER_REAL)[0]
    handler = signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert (left, handler) == (0.0, signal.SIG_DFL)


def busy(alarm: Alarm, limit: float | None, seconds: float) -> bool:
    """Run a handler for so long under this limit; return whether it was ended."""
    try:
        alarm.begin(limit)
        try:
            time.sleep(seconds)
        finally:
            alarm.end()
    except HandlerTimeout:
        return True
    return False


def test_a_handler_that_runs_too_long_is_ended_and_the_next_has_its_own_limit() -> None:
    with Alarm() as alarm:
        assert busy(alarm, 0.05, LONG)
        assert not busy(alarm, 0.05, 0.05 + GRACE / 2)
        assert not busy(alarm, 0.05, 0.05 + GRACE / 2)
        assert busy(alarm, 0.05, LONG)


def test_a_shorter_limit_after_a_long_one_counts() -> None:
    with Alarm() as alarm:
        assert not busy(alarm, 60.0, 0.0)
        assert busy(alarm, 0.05, LONG)


def test_a_longer_limit_after_a_short_one_is_granted() -> None:
    with Alarm() as alarm:
        assert not busy(alarm, 0.05, 0.0)
        assert not busy(alarm, 60.0, 0.05 + GRACE + 0.3)


def test_between_two_handlers_no_limit_runs() -> None:
    with Alarm() as alarm:
        assert not busy(alarm, 0.05, 0.0)
        time.sleep(0.05 + GRACE + 0.1)
        assert not busy(alarm, None, 0.0)


def test_a_limit_that_was_swallowed_comes_again() -> None:
    with Alarm() as alarm:
        alarm.begin(0.05)
        with pytest.raises(HandlerTimeout):
            time.sleep(LONG)
        with pytest.raises(HandlerTimeout):
            time.sleep(LONG)
        alarm.end()


def test_a_handler_that_takes_the_signal_away_limits_only_itself() -> None:
    with Alarm() as alarm:
        alarm.begin(0.05)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0)
        alarm.end()
        assert busy(alarm, 0.05, LONG)


def test_a_handler_that_stops_the_timer_limits_only_itself() -> None:
    with Alarm() as alarm:
        alarm.begin(0.05)
        signal.setitimer(signal.ITIMER_REAL, 0)
        alarm.end()
        assert busy(alarm, 0.05, LONG)


def test_the_limit_can_be_extended() -> None:
    with Alarm() as alarm:
        alarm.begin(0.05)
        alarm.postpone(0.4)
        time.sleep(0.05 + GRACE + 0.1)
        with pytest.raises(HandlerTimeout):
            time.sleep(LONG)
        alarm.end()


class Others:
    """Another use of the same signal."""

    def __init__(self, seconds: float) -> None:
        self.at: list[float] = []
        signal.signal(signal.SIGALRM, self._called)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        self.begun = time.monotonic()

    def _called(self, _number: int, _frame: FrameType | None) -> None:
        self.at.append(time.monotonic() - self.begun)

    def gone(self) -> None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def test_an_alarm_of_other_code_fires_while_a_handler_runs() -> None:
    others = Others(0.1)
    with Alarm() as alarm:
        assert not busy(alarm, 60.0, 0.3)
        assert len(others.at) == 1 and others.at[0] >= 0.1
        assert busy(alarm, 0.05, LONG), "and our own limit is there for the next"
    others.gone()


def test_an_alarm_of_other_code_is_restored_less_the_time_that_passed() -> None:
    others = Others(0.6)
    with Alarm() as alarm:
        assert busy(alarm, 0.05, LONG)
    assert others.at == []
    time.sleep(0.6)
    assert len(others.at) == 1 and others.at[0] >= 0.6
    others.gone()


def test_another_thread_has_no_limit() -> None:
    ended: list[bool] = []

    def run() -> None:
        with Alarm() as alarm:
            ended.append(busy(alarm, 0.0, GRACE + 0.2))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert ended == [False]
