"""Ends this process when its parent ends, however that ends."""

from __future__ import annotations

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int | None = None, sign: int = signal.SIGKILL) -> None:
    """The system sends `sign` when the parent dies (Linux; elsewhere nothing happens).

    parent: the pid that forked this process, so that a parent who died before this call is noticed.
    """
    try:
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(sign), 0, 0, 0)
    except (OSError, AttributeError):
        return
    if parent is not None and os.getppid() != parent:
        os.kill(os.getpid(), sign)
