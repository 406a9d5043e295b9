"""Publishes the definitions whose time has come."""

from __future__ import annotations

import logging
from typing import Any

import psycopg

from flows import api
from workers.reaper.report import WORKER

log = logging.getLogger("workers.reaper")

_AT_ONCE = 10
# A publication re-matches every living instance of its flow, which takes longer than a round of the reaper.
_LIMIT = "10min"


def publish_scheduled(connection: psycopg.Connection[Any]) -> None:
    """Publish what is due, each in a transaction of its own; a failure is kept with its request."""
    for _ in range(_AT_ONCE):
        with connection.transaction():
            connection.execute(f"set local statement_timeout = '{_LIMIT}'")
            flow = api.publish_due(conn=connection)
        if flow is None:
            return
        log.info("a scheduled publication was due", extra={"flow": flow, "worker": WORKER})
