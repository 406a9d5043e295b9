"""Distinguishes Ctrl-C from a KeyboardInterrupt that a transition raises itself."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType


class Pressed(KeyboardInterrupt):
    """Ctrl-C was pressed."""


class CtrlC:
    """A context manager in which Ctrl-C raises Pressed and is recorded.

    Does nothing in a program with its own handler of SIGINT, or outside the main thread.
    """

    def __init__(self) -> None:
        self._pressed = self._ours = False

    def check(self) -> None:
        """Raise Pressed if Ctrl-C was pressed and the exception was caught elsewhere."""
        if self._pressed:
            raise Pressed

    def __enter__(self) -> CtrlC:
        main = threading.current_thread() is threading.main_thread()
        self._ours = main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self._ours:
            signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _press(self, _number: int, _frame: FrameType | None) -> None:
        self._pressed = True
        raise Pressed
