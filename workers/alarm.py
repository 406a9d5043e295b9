"""A handler's time limit inside the process: one that hangs in Python ends when its job's time does."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

from workers.outcome import HandlerTimeout

# A handler gets its timeout and this much more: the kernel's own check at the commit comes first.
GRACE = 0.2
_LONGEST = 24 * 3600.0


@contextlib.contextmanager
def limit(seconds: float | None) -> Iterator[None]:
    """Raise HandlerTimeout in the block when it takes longer; None sets no limit, nor does another thread.

    An alarm that somebody else set is put back afterwards, less the time that passed.
    """
    if seconds is None or seconds > _LONGEST or threading.current_thread() is not threading.main_thread():
        yield
        return
    begun = time.monotonic()
    others = signal.signal(signal.SIGALRM, _expire) or signal.SIG_DFL
    # Once more each second: a handler may have swallowed the first.
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds + GRACE, 1.0)
    if left and left < seconds + GRACE:
        signal.signal(signal.SIGALRM, others)
        signal.setitimer(signal.ITIMER_REAL, left, interval)
        yield
        return
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, others)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(0.001, left - (time.monotonic() - begun)), interval)


def postpone(seconds: float) -> None:
    """The running limit, if there is one, begins anew with so many seconds."""
    if signal.getsignal(signal.SIGALRM) is _expire:
        signal.setitimer(signal.ITIMER_REAL, min(seconds + GRACE, _LONGEST), 1.0)


def _expire(_number: int, _frame: FrameType | None) -> NoReturn:
    raise HandlerTimeout("The handler ran longer than the timeout of its job.")
