"""Ends a web process in time: one that is asked to end while it answers requests would wait for ever.

Daphne cancels what is in progress, but a thread that computes an answer may wait for the event loop, which
has ended by then, and Python waits for its threads. A lost answer is one that the client asks for again.
"""

from __future__ import annotations

import os
import sys
import threading

SECONDS = 5.0


def install() -> None:
    """Let the process end within seconds after its server has, if daphne is the server of this process."""
    if "daphne.server" in sys.modules:
        from twisted.internet import reactor

        reactor.addSystemEventTrigger("after", "shutdown", _limit)  # type: ignore[arg-type]


def _limit() -> None:
    timer = threading.Timer(SECONDS, os._exit, [0])
    timer.daemon = True
    timer.start()
