"""Counts the history into the figures of the pages, every few seconds and in slices."""

from __future__ import annotations

import logging
import time
from typing import Any

import psycopg

from flows import api
from flows.error_text import summarize
from flows.errors import WedError

log = logging.getLogger("workers.reaper")

EVERY = 5.0
_SLICE = 20_000
# The steps of one transaction are counted together: those of a very large one take longer than a round.
_LIMIT = "10min"


class FigureCounter:
    """Counts at most every `EVERY` seconds, or at once while much is left."""

    def __init__(self) -> None:
        self._due = 0.0
        self._limit = ""

    def count(self, connection: psycopg.Connection[Any]) -> None:
        """Count one slice if it is due; a failure is logged and hinders nothing else."""
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + EVERY
        try:
            counted = self._counted(connection)
        except (WedError, psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable) as error:
            self._limit = _LIMIT
            log.warning("The figures were not counted: %s", summarize(error), extra={"worker": "reaper"})
            return
        self._limit = ""
        if counted and counted["more"]:
            self._due = 0.0

    def _counted(self, connection: psycopg.Connection[Any]) -> dict[str, Any] | None:
        """Count a slice, after a failure with a longer limit."""
        with connection.transaction():
            if self._limit:
                connection.execute(f"set local statement_timeout = '{self._limit}'")
            return api.figures.count_history(_SLICE, conn=connection)


in_round = FigureCounter().count
