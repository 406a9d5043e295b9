"""What a process that a handler forked must not do: speak for its parent, or go on as if it were it."""

from __future__ import annotations

import os


def end_foreign(pid: int, orderly: bool) -> None:
    """End this process if it is not `pid`: it came out of a handler that forked and returned twice.

    At once and without clean-up, for what it inherited is its parent's: connection, journal, exit handlers.
    """
    if os.getpid() != pid:
        os._exit(0 if orderly else 1)


def detach(descriptor: int) -> None:
    """Leave an inherited socket to the parent: whatever this process writes to it from now on is lost."""
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    os.dup2(null, descriptor)
    os.close(null)
