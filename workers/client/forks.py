"""Protection against handlers that fork: a child must neither use its parent's connection nor act for it."""

from __future__ import annotations

import os


def exit_if_forked(pid: int, orderly: bool) -> None:
    """Exit at once if this process is not `pid`, that is, if a handler forked and returned twice.

    No clean-up runs, because the connection, journal and exit handlers belong to the parent.
    """
    if os.getpid() != pid:
        os._exit(0 if orderly else 1)


def detach(descriptor: int) -> None:
    """Detach an inherited socket from this process: what is written to it from now on is discarded."""
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    os.dup2(null, descriptor)
    os.close(null)
