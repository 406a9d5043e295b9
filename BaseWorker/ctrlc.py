"""Ctrl-C, told apart from a KeyboardInterrupt that a transition raises by itself."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType


class Pressed(KeyboardInterrupt):
    """A person pressed Ctrl-C."""


class CtrlC:
    """Raises Pressed at Ctrl-C, as long as it is entered, and remembers it.

    A program that handles SIGINT by itself, or in another thread than the main one, goes on doing so.
    """

    def __init__(self) -> None:
        self._pressed = self._ours = False

    def check(self) -> None:
        """Raises Pressed when Ctrl-C was pressed and somebody swallowed it."""
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
