"""Decides on late results and lets policies act on cases, in short transactions."""

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

_LATE_SLICE = 20
_POLICY_SLICE = 5
# Seconds of a round.
_BUDGET = 2.0


def decide_on_late_results(connection: psycopg.Connection[Any]) -> None:
    """Merge late results or make cases of them; a failure is logged and hinders nothing else."""
    until = time.monotonic() + _BUDGET
    try:
        while api.decide_late(_LATE_SLICE, conn=connection) >= _LATE_SLICE and time.monotonic() < until:
            pass
    except (WedError, psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable) as error:
        log.warning("Late results were not decided on: %s", summarize(error), extra={"worker": WORKER})


def let_policies_act(connection: psycopg.Connection[Any]) -> None:
    """Let recovery policies act on open cases; a failure is logged and hinders nothing else."""
    until = time.monotonic() + _BUDGET
    try:
        while api.run_policies(_POLICY_SLICE, conn=connection) and time.monotonic() < until:
            pass
    except (WedError, psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable) as error:
        log.warning("Recovery policies did not act: %s", summarize(error), extra={"worker": WORKER})
