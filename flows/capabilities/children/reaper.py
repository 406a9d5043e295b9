"""Starts children, counts their ends, and passes on what happens to their parents."""

from __future__ import annotations

import logging
import time
from typing import Any

import psycopg

from flows import api
from flows.error_text import summarize
from flows.errors import WedError

log = logging.getLogger("workers.reaper")

# Seconds of a round.
_BUDGET = 2.0


def in_round(connection: psycopg.Connection[Any]) -> None:
    """Go on with jobs that start children, in short transactions; a failure is logged and hinders nothing."""
    until = time.monotonic() + _BUDGET
    try:
        while api.continue_children(conn=connection) is not None and time.monotonic() < until:
            pass
    except (WedError, psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable) as error:
        log.warning("Children were not continued: %s", summarize(error), extra={"worker": "reaper"})
