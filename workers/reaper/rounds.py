"""The task of the reaper's worker, which ends overdue work."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import psycopg
from django.conf import settings
from django.db import DatabaseError
from django.db import connection as site

from flows import api, capabilities
from flows.errors import WedError
from flows.users import requesters
from workers.alerts import beside
from workers.client.connect import opener
from workers.client.wire import ConnectionLost, Wire
from workers.logs import summarize
from workers.reaper.disk import DiskReporter
from workers.reaper.limits import REAP_LIMIT
from workers.reaper.old_rows import delete_old_rows
from workers.reaper.report import WORKER, check, log_round
from workers.reaper.schedule import continue_rematches, publish_scheduled

log = logging.getLogger("workers.tasks")

_ROUNDS = 10
_MAINTAIN_EVERY = 3600.0
_maintained = -_MAINTAIN_EVERY
_disk_reporter = DiskReporter()
_Step = Callable[[psycopg.Connection[Any]], None]


def reap() -> dict[str, int]:
    """Run up to ten rounds of flows.api.maintenance.reap, until nothing is overdue; return the counts."""
    total: dict[str, int] = {}
    if settings.PROCESS == "reaper":
        beside.start()
    wire = _reaper_wire()
    try:
        steps: tuple[_Step, ...] = (
            _disk_reporter.report,
            partial(_end_overdue, total),
            *_STEPS,
            _maintain,
        )
        for step in steps:
            perform(wire.connection, step)
    except (WedError, psycopg.Error, ConnectionLost) as error:
        log.warning("A round of the reaper failed: %s", summarize(error), extra={"worker": WORKER})
        wire.close()
    return total


def perform(connection: psycopg.Connection[Any], step: _Step) -> None:
    """Perform a step; its failure is logged and stops no other unless the connection is lost."""
    try:
        step(connection)
    except (WedError, psycopg.Error) as error:
        if connection.closed:
            raise
        log.warning("A part of the reaper failed: %s", summarize(error), extra={"worker": WORKER})


def _end_overdue(total: dict[str, int], connection: psycopg.Connection[Any]) -> None:
    for _ in range(_ROUNDS):
        counts = api.maintenance.reap(REAP_LIMIT, conn=connection)
        log_round(connection, counts)
        total.update({key: total.get(key, 0) + count for key, count in counts.items()})
        if max(counts.values(), default=0) < REAP_LIMIT:
            return


def _end_lost(connection: psycopg.Connection[Any]) -> None:
    """End what persons have asked for who may no longer do it, before anything of it is performed."""
    try:
        if ended := requesters.end_lost(connection):
            log.warning(
                "%s requests ended whose persons may no longer do it", ended, extra={"worker": WORKER}
            )
    except DatabaseError as error:
        log.warning("Rights were not looked at: %s", summarize(error), extra={"worker": WORKER})
        site.close()


_STEPS: tuple[_Step, ...] = (
    _end_lost,
    publish_scheduled,
    continue_rematches,
    *capabilities.in_rounds(),
)


def _maintain(connection: psycopg.Connection[Any]) -> None:
    """Do once an hour what is not urgent."""
    global _maintained
    if time.monotonic() - _maintained <= _MAINTAIN_EVERY:
        return
    _maintained = time.monotonic()
    for step in (_make_partitions, delete_old_rows, check):
        perform(connection, step)


def _make_partitions(connection: psycopg.Connection[Any]) -> None:
    api.maintenance.maintain(conn=connection)


_reaper: tuple[int, Wire] | None = None


def _reaper_wire() -> Wire:
    global _reaper
    if _reaper is None or _reaper[0] != os.getpid():
        _reaper = os.getpid(), Wire(opener("wedsql-reaper"))
    return _reaper[1]
