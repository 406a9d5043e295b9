"""Ends this process when its parent ends, in whatever way."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int | None = None, sign: int = signal.SIGKILL) -> None:
    """Have the system send `sign` to this process when its parent dies (Linux only).

    parent: the pid that forked this process, so that a parent that died before this call is noticed.
    """
    try:
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(sign), 0, 0, 0)
    except (OSError, AttributeError):
        return
    if parent is not None and os.getppid() != parent:
        os.kill(os.getpid(), sign)


def end_children_with_parent(then: Callable[[], None] | None = None) -> None:
    """Make every process that this one forks from now on die with it; does not extend to their children.

    then: called in each child afterwards. The pid of the forking process is noted before the fork, in memory
    that the child inherits: later the parent may be dead and `os.getppid()` another process.
    """
    owner = os.getpid()
    forks_now = 0

    def note() -> None:
        nonlocal forks_now
        forks_now = os.getpid()

    def tie() -> None:
        if forks_now == owner:
            die_with_parent(owner)
            if then is not None:
                then()

    os.register_at_fork(before=note, after_in_child=tie)
