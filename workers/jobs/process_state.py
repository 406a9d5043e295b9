"""Restores what handlers change in their process.

A process runs many handlers one after another. What one of them changes for the whole process is restored;
where that is impossible, as with a closed descriptor, the process is replaced after the job.
The check runs after each batch of jobs, so that it costs quick handlers next to nothing.
"""

from __future__ import annotations

import _locale  # the C modules: their wrappers cost ten times as much
import _signal
import contextlib
import decimal
import os
import signal
import sys
import time

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE)


class SavedState:
    """The state of the process before its first handler runs; created in the main thread."""

    def __init__(self) -> None:
        self._signals = [_signal.getsignal(number) for number in _SIGNALS]
        self._environ = dict(os.environ._data)  # type: ignore[attr-defined]  # as bytes
        self._folder = os.getcwd()
        self._umask = os.umask(0o077)
        os.umask(self._umask)
        self._recursion = sys.getrecursionlimit()
        self._streams = sys.stdin, sys.stdout, sys.stderr
        self._mask = _signal.pthread_sigmask(signal.SIG_BLOCK, ())
        self._locale = _locale.setlocale(_locale.LC_ALL)
        self._decimal = decimal.getcontext().copy()

    def restore(self) -> list[str]:
        """Restore what differs; return the names of it for a log line. Costs some microseconds."""
        if sys.getrecursionlimit() != self._recursion:
            sys.setrecursionlimit(self._recursion)
        steps = (
            ("signal handlers", self._signal_handlers),
            ("environment", self._environment),
            ("directory", self._directory),
            ("umask", lambda: os.umask(self._umask) != self._umask),
            ("standard streams", self._standard_streams),
            ("locale", self._language),
            ("decimal context", self._decimals),
        )
        return [name for name, step in steps if step()]

    def _signal_handlers(self) -> bool:
        changed = False
        for number, before in zip(_SIGNALS, self._signals, strict=True):
            if _signal.getsignal(number) is not before and before is not None:
                signal.signal(number, before)
                changed = True
        if _signal.pthread_sigmask(signal.SIG_BLOCK, ()) != self._mask:
            _signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
            changed = True
        return changed

    def _environment(self) -> bool:
        if os.environ._data == self._environ:  # type: ignore[attr-defined]
            return False
        os.environ.clear()
        os.environb.update(self._environ)
        time.tzset()
        return True

    def _directory(self) -> bool:
        with contextlib.suppress(OSError):
            if os.getcwd() == self._folder:
                return False
        with contextlib.suppress(OSError):  # the directory was deleted
            os.chdir(self._folder)
        return True

    def _standard_streams(self) -> bool:
        if (sys.stdin, sys.stdout, sys.stderr) == self._streams:
            return False
        sys.stdin, sys.stdout, sys.stderr = self._streams
        return True

    def _language(self) -> bool:
        if _locale.setlocale(_locale.LC_ALL) == self._locale:
            return False
        _locale.setlocale(_locale.LC_ALL, self._locale)
        return True

    def _decimals(self) -> bool:
        now, before = decimal.getcontext(), self._decimal
        alike = now.prec == before.prec and now.rounding == before.rounding and now.traps == before.traps
        if alike and (now.Emin, now.Emax) == (before.Emin, before.Emax):
            return False
        decimal.setcontext(before.copy())
        return True
