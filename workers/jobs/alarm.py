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

from workers.jobs.outcome import HandlerTimeout

# Seconds a handler gets beyond its timeout, so that the kernel's check at the commit comes first.
GRACE = 0.2
_LONGEST = 24 * 3600.0
# The signal repeats each second, because a handler may have swallowed the first exception.
_AGAIN = 1.0


class Alarm:
    """A context that raises HandlerTimeout in a handler that exceeds its limit; for a batch of handlers.

    Outside the main thread it sets no limits. An alarm set by other code is restored afterwards, less the
    time that passed, and goes off in time meanwhile.
    """

    def __init__(self) -> None:
        self._until = math.inf
        self._rings = math.inf
        self._others: object = None
        self._others_at = math.inf
        self._others_interval = 0.0
        self._handler = self._ring  # one bound method, to compare by identity

    def begin(self, seconds: float | None) -> None:
        """Start the limit of a handler, in seconds; None sets no limit."""
        if seconds is None or seconds > _LONGEST or threading.current_thread() is not threading.main_thread():
            return
        self._until = time.monotonic() + seconds + GRACE
        if signal.getsignal(signal.SIGALRM) is not self._handler:
            self._install()
        elif self._rings <= self._until and signal.getitimer(signal.ITIMER_REAL)[0]:
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
        self._until = self._rings = math.inf
        if self._others is None:
            return
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._restore_others()

    def _install(self) -> None:
        """Install the signal handler; remember the previous one and its timer."""
        left, interval = signal.setitimer(signal.ITIMER_REAL, 0)
        others = signal.signal(signal.SIGALRM, self._handler)
        if self._others is None:  # otherwise a job's handler replaced it meanwhile
            self._others = others or signal.SIG_DFL
            self._others_at = time.monotonic() + left if left else math.inf
            self._others_interval = interval

    def _restore_others(self) -> None:
        others, self._others = self._others, None
        signal.signal(signal.SIGALRM, others)  # type: ignore[arg-type]  # what signal.signal gave
        if self._others_at < math.inf:
            left = max(0.001, self._others_at - time.monotonic())
            signal.setitimer(signal.ITIMER_REAL, left, self._others_interval)

    def _set(self) -> None:
        self._rings = min(self._until, self._others_at)
        signal.setitimer(signal.ITIMER_REAL, max(0.001, self._rings - time.monotonic()), _AGAIN)

    def _ring(self, _number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if now >= self._others_at:
            self._restore_others()  # goes off at once
        elif now >= self._until:
            raise HandlerTimeout("The handler ran longer than the timeout of its job.")
        elif self._until < math.inf:
            self._set()
