"""The time limit of handlers inside the process, by SIGALRM: ends one that hangs in Python.

One timer serves the handlers of a whole batch: it is set for the first and moved only for one with an
earlier limit, because setting it for each costs more than the rest of a quick handler's call.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from types import FrameType, TracebackType

from workers import messages
from workers.jobs.outcome import HandlerTimeout

# Seconds a handler gets beyond its timeout, so that the kernel's check at the commit comes first.
GRACE = 0.2
_LONGEST = 24 * 3600.0
# The signal repeats each second, because a handler may have swallowed the first exception.
_REPEAT_SECONDS = 1.0


class Alarm:
    """A context that raises HandlerTimeout in a handler that exceeds its limit; for a batch of handlers.

    Outside the main thread it sets no limits. An alarm set by other code is restored afterwards, less the
    time that passed, and goes off in time meanwhile.
    """

    def __init__(self) -> None:
        self._until = math.inf
        self._fires_at = math.inf
        self._previous: object = None
        self._previous_at = math.inf
        self._previous_interval = 0.0
        self._handler = self._on_alarm  # one bound method, to compare by identity

    def begin(self, seconds: float | None) -> None:
        """Start the limit of a handler, in seconds; None sets no limit."""
        if seconds is None or seconds > _LONGEST or threading.current_thread() is not threading.main_thread():
            return
        self._until = time.monotonic() + seconds + GRACE
        if signal.getsignal(signal.SIGALRM) is not self._handler:
            self._install()
        elif self._fires_at <= self._until and signal.getitimer(signal.ITIMER_REAL)[0]:
            return
        self._set()

    def end(self) -> None:
        """End the limit: the handler returned."""
        self._until = math.inf

    def postpone(self, seconds: float) -> None:
        """Restart the running limit, if there is one, with so many seconds."""
        if self._until < math.inf:
            self._until = time.monotonic() + min(seconds + GRACE, _LONGEST)
            self._set()

    def __enter__(self) -> Alarm:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Restore the state before the first limit."""
        self._until = self._fires_at = math.inf
        if self._previous is None:
            return
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._restore_previous()

    def _install(self) -> None:
        """Install the signal handler; remember the previous one and its timer."""
        left, interval = signal.setitimer(signal.ITIMER_REAL, 0)
        previous = signal.signal(signal.SIGALRM, self._handler)
        if self._previous is None:  # otherwise a job's handler replaced it meanwhile
            self._previous = previous or signal.SIG_DFL
            self._previous_at = time.monotonic() + left if left else math.inf
            self._previous_interval = interval

    def _restore_previous(self) -> None:
        previous, self._previous = self._previous, None
        signal.signal(signal.SIGALRM, previous)  # type: ignore[arg-type]  # what signal.signal gave
        if self._previous_at < math.inf:
            left = max(0.001, self._previous_at - time.monotonic())
            signal.setitimer(signal.ITIMER_REAL, left, self._previous_interval)

    def _set(self) -> None:
        self._fires_at = min(self._until, self._previous_at)
        signal.setitimer(signal.ITIMER_REAL, max(0.001, self._fires_at - time.monotonic()), _REPEAT_SECONDS)

    def _on_alarm(self, _number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if now >= self._previous_at:
            self._restore_previous()  # goes off at once
        elif now >= self._until:
            raise HandlerTimeout(messages.TIMEOUT)
        elif self._until < math.inf:
            self._set()
