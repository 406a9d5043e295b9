"""A client that is never idle: its steps over one connection measure the speed of the whole."""

from __future__ import annotations

import time
from typing import Any

import psycopg

from flows import api


def work(conn: psycopg.Connection[Any], seconds: float) -> int:
    """Start, lease and complete, one after the other, for `seconds`; return the number of steps."""
    until, steps = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        api.instances.start("side", {"hand": "0"}, conn=conn)
        for job in api.jobs.lease_many("side", ["tr_hand"], 1, "hand", conn=conn):
            api.jobs.complete(job, {"hand": "1"}, conn=conn)
            steps += 1
    return steps
