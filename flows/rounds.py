"""What capabilities do in a round of the reaper: in short transactions, for a time."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

import psycopg

from flows.error_text import summarize
from flows.errors import WedError

log = logging.getLogger("workers.reaper")

# Seconds of a round.
_BUDGET = 2.0


def continue_while(more: Callable[[], bool], failed: str) -> None:
    """Continue while there is more, for a time; a failure is logged and hinders nothing else."""
    until = time.monotonic() + _BUDGET
    try:
        while more() and time.monotonic() < until:
            pass
    except (WedError, psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable) as error:
        log.warning("%s: %s", failed, summarize(error), extra={"worker": "reaper"})
