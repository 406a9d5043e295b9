"""Counts the history into the figures of the pages, every few seconds and in slices."""

from __future__ import annotations

import logging
import time
from typing import Any

import psycopg

from flows import api
from flows.errors import WedError
from workers.logs import summarize
from workers.reaper.report import WORKER

log = logging.getLogger("workers.reaper")

EVERY = 5.0
_SLICE = 20_000


class FigureCounter:
    """Counts at most every `EVERY` seconds, or at once while much is left."""

    def __init__(self) -> None:
        self._due = 0.0

    def count(self, connection: psycopg.Connection[Any]) -> None:
        """Count one slice if it is due; a failure is logged and hinders nothing else."""
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + EVERY
        try:
            counted = api.count_history(_SLICE, conn=connection)
        except (WedError, psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable) as error:
            log.warning("The figures were not counted: %s", summarize(error), extra={"worker": WORKER})
            return
        if counted and counted["more"]:
            self._due = 0.0
