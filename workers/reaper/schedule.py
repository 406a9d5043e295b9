"""Publishes the definitions whose time has come, and continues the re-matches that follow."""

from __future__ import annotations

import logging
import time
from typing import Any

import psycopg

from flows import api
from workers.reaper.report import WORKER

log = logging.getLogger("workers.reaper")

_AT_ONCE = 10
# A publication may re-match every living instance of its flow, which takes longer than a round of the reaper.
_LIMIT = "10min"
# Seconds of a round for the re-matches of large flows, in batches of a fraction of that.
_REMATCH = 2.0


def publish_scheduled(connection: psycopg.Connection[Any]) -> None:
    """Publish what is due, each in a transaction of its own; a failure is kept with its request."""
    for _ in range(_AT_ONCE):
        with connection.transaction():
            if not api.publications.begin_due(conn=connection):
                return
        with connection.transaction():
            connection.execute(f"set local statement_timeout = '{_LIMIT}'")
            flow = api.publications.publish_due(conn=connection)
        if flow is None:
            return
        log.info("a scheduled publication was due", extra={"flow": flow, "worker": WORKER})


def continue_rematches(connection: psycopg.Connection[Any]) -> None:
    """Continue the re-matches that are on their way, each batch in a transaction of its own."""
    until = time.monotonic() + _REMATCH
    while time.monotonic() < until:
        with connection.transaction():
            flow = api.instances.rematch_due(conn=connection)
        if flow is None:
            return
        log.debug("a re-match was continued", extra={"flow": flow, "worker": WORKER})
