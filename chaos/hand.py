"""A client that is never idle: what one connection can do, step after step, tells the pace of the whole."""

from __future__ import annotations

import time
from typing import Any

import psycopg

from flows import api


def work(conn: psycopg.Connection[Any], seconds: float) -> int:
    """Start, lease and complete, one after the other, for so long; how many steps that were."""
    until, steps = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        api.start("side", {"hand": "0"}, conn=conn)
        for job in api.lease_many("side", ["tr_hand"], 1, "hand", conn=conn):
            api.complete(job, {"hand": "1"}, conn=conn)
            steps += 1
    return steps
