"""A stop flag for loops of this process, set by signals."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from types import FrameType


class Stop:
    """Set by a signal; ends a wait at once.

    A threading.Event is no substitute: a signal that arrives while its loop is inside `wait` would deadlock,
    because the thread that handles the signal holds the event's lock already.
    """

    def __init__(self) -> None:
        self._is_set = False
        self._read, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def on(self, *numbers: signal.Signals) -> None:
        """Set the flag on these signals; SIGHUP stays ignored where it is (`nohup`)."""
        for number in numbers:
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._on_signal)

    def is_set(self) -> bool:
        """Return whether the loop is to end."""
        return self._is_set

    def set(self) -> None:
        """Set the flag."""
        self._is_set = True
        with contextlib.suppress(BlockingIOError):  # a full pipe ends every wait, too
            os.write(self._write, b"!")

    def wait(self, seconds: float) -> bool:
        """Wait until the time is over or the flag is set; return whether it is set."""
        if not self._is_set:
            select.select([self._read], [], [], max(0.0, seconds))
        return self._is_set

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.set()
