"""Advances the clocks of SLAs by what was committed, every few seconds and in slices."""

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
# Seconds of a round; a slice takes about one at most.
_BUDGET = 2.0


class SlaClocks:
    """Advances the clocks at most every `EVERY` seconds, or in each round while much is left."""

    def __init__(self) -> None:
        self._due = 0.0

    def advance(self, connection: psycopg.Connection[Any]) -> None:
        """Advance slice by slice if it is due; a failure is logged and hinders nothing else."""
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + EVERY
        until = time.monotonic() + _BUDGET
        try:
            while (done := api.sla.advance(conn=connection)) and done["more"]:
                if time.monotonic() > until:
                    self._due = 0.0
                    return
        except (WedError, psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable) as error:
            log.warning(
                "The clocks of SLAs were not advanced: %s", summarize(error), extra={"worker": "reaper"}
            )


in_round = SlaClocks().advance
