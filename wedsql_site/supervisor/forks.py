"""Forks of the supervisor, which share the memory of all that it has imported."""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from functools import partial
from typing import NoReturn, TypeVar

from workers.process.parent import die_with_parent

T = TypeVar("T")
# The signals that the supervisor handles.
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_LOOK_EVERY = 0.02


class ForkFailed(RuntimeError):
    """A fork ended without a result; its error was printed."""


class Fork:
    """A forked process; has the methods of subprocess.Popen that the supervisor uses."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, minus the signal that killed it, or None while it runs."""
        if self._code is None:
            found, status = os.waitpid(self.pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if found else None
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code when it has ended; raises subprocess.TimeoutExpired."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired([str(self.pid)], timeout or 0.0)
            time.sleep(_LOOK_EVERY)
        return code

    def terminate(self) -> None:
        """Send SIGTERM unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)


def start(run: Callable[[], object]) -> Fork:
    """Run a function in a process of its own, which dies with this one; this one must have one thread."""
    parent = os.getpid()
    sys.stdout.flush()
    sys.stderr.flush()
    gc.freeze()  # a garbage collection in the fork would copy the memory that both share
    # A signal that arrives before the fork has its own handlers waits for them.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        pid = os.fork()
        if not pid:
            _run(partial(_as_child, run, parent, before))
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return Fork(pid)


def result(work: Callable[[], T]) -> T:
    """Return the result of a function in a fork, so that its memory is free afterwards; raises ForkFailed.

    Signals to this process are handled when it has ended.
    """
    receiver, sender = os.pipe()
    fork = start(partial(_send, work, sender))
    os.close(sender)
    with os.fdopen(receiver, "rb") as answers:
        sent = answers.read()
    if fork.wait() or not sent:
        raise ForkFailed("the start failed; the error is above")
    returned: T = pickle.loads(sent)  # noqa: S301 - from a fork of this process
    return returned


def _send(work: Callable[[], object], sender: int) -> None:
    for number in _SIGNALS:
        signal.signal(number, lambda *_signal: None)
    with os.fdopen(sender, "wb") as answers:
        answers.write(pickle.dumps(work()))


def _as_child(run: Callable[[], object], parent: int, mask: set[signal.Signals | int]) -> object:
    die_with_parent(parent)
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
            signal.signal(number, default)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return run()


def _run(run: Callable[[], object]) -> NoReturn:
    """Run a function and end this process as the interpreter does, without the supervisor's own ends."""
    code = 1
    try:
        run()
        code = 0
    except SystemExit as error:
        code = _exit_code(error)
    except BaseException:  # noqa: BLE001 - nothing above may handle it
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            _finish()
        os._exit(code)


def _finish() -> None:
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as the interpreter does
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()


def _exit_code(error: SystemExit) -> int:
    if error.code is None or isinstance(error.code, int):
        return error.code or 0
    print(error.code, file=sys.stderr)  # noqa: T201 - as the interpreter does
    return 1
