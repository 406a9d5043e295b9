"""Decides on late results and lets policies act on cases, in the rounds of the reaper."""

from __future__ import annotations

from typing import Any

import psycopg

from flows import api
from flows.rounds import continue_while

_LATE_SLICE = 20
_POLICY_SLICE = 5


def in_round(connection: psycopg.Connection[Any]) -> None:
    """Merge late results or make cases of them, and let policies act on open cases."""
    continue_while(
        lambda: api.repairs.decide_late(_LATE_SLICE, conn=connection) >= _LATE_SLICE,
        "Late results were not decided on",
    )
    continue_while(
        lambda: bool(api.repairs.run_policies(_POLICY_SLICE, conn=connection)),
        "Recovery policies did not act",
    )
