"""Continues operations on many instances, in slices."""

from __future__ import annotations

import logging
import time
from typing import Any

import psycopg

from flows import api
from workers.reaper.report import WORKER

log = logging.getLogger("workers.reaper")

# Seconds of a round; a slice takes about one.
_BUDGET = 2.0


def continue_bulk_operations(connection: psycopg.Connection[Any]) -> None:
    """Continue the bulk operations that are on their way, each slice in a transaction of its own."""
    until = time.monotonic() + _BUDGET
    while time.monotonic() < until:
        with connection.transaction():
            bulk = api.continue_bulk(conn=connection)
        if bulk is None:
            return
        log.debug("a bulk operation was continued", extra={"bulk": bulk, "worker": WORKER})
