"""Threads beside the rounds of the reaper, so that no slow rule, filter or receiver delays overdue work."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable

from django.db import DatabaseError, connection

from flows import capabilities
from flows.errors import WedError
from workers.alerts.deliveries import deliver_due
from workers.logs import summarize

log = logging.getLogger("workers.alerts")

PAUSE = 1.0
_READING = capabilities.beside_rounds()
# What each thread does. A thread has a connection of its own, of which the role of the reaper has few: two
# share what reads.
_HALF = (len(_READING) + 1) // 2
STEPS = (_READING[:_HALF], _READING[_HALF:], (deliver_due,))
_started_in = 0


def start() -> None:
    """Start the threads of this process, unless they run. They end with the process."""
    global _started_in
    if _started_in == os.getpid():
        return
    _started_in = os.getpid()
    for steps in filter(None, STEPS):
        threading.Thread(target=_repeat, args=steps, name=steps[0].__module__, daemon=True).start()


def _repeat(*steps: Callable[[], int]) -> None:
    while True:
        for step in steps:
            run(step)
        time.sleep(PAUSE)


def run(step: Callable[[], int]) -> None:
    """Run a round; one that fails is logged, and the next one connects again."""
    try:
        step()
    except (WedError, DatabaseError, OSError) as error:
        log.warning("a round of alerts, webhooks or mails failed: %s", summarize(error))
        connection.close()
    except Exception:
        log.exception("a round of alerts, webhooks or mails failed")
        connection.close()
