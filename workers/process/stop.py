"""What tells a loop of this process to end: a signal, whatever the loop does at that moment."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from types import FrameType


class Stop:
    """Set by a signal; ends a wait at once.

    A threading.Event is no substitute: a signal that comes while its loop is inside `wait` finds the lock of
    the event taken, by the very thread that handles the signal and so never gives it back.
    """

    def __init__(self) -> None:
        self._is_set = False
        self._read, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def on(self, *numbers: signal.Signals) -> None:
        """Be set by these signals; SIGHUP stays ignored where it is (`nohup`)."""
        for number in numbers:
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._on_signal)

    def is_set(self) -> bool:
        """Whether the loop is to end."""
        return self._is_set

    def set(self) -> None:
        """Let the loop end."""
        self._is_set = True
        with contextlib.suppress(BlockingIOError):  # there is enough in it to end every wait
            os.write(self._write, b"!")

    def wait(self, seconds: float) -> bool:
        """Wait so long or until it is set; whether it is set."""
        if not self._is_set:
            select.select([self._read], [], [], max(0.0, seconds))
        return self._is_set

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.set()
