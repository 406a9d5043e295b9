"""Locks of jobs: which job holds one, and which wait for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.api.connection import rows


@dataclass(frozen=True, slots=True)
class LockedJob:
    """A job that needs a lock; `holder` is who holds the job and with it the lock, None while it waits."""

    lock: str
    job: int
    wid: int
    transition: str
    fired_at: datetime
    holder: str | None


def list_locks(flow: str, *, limit: int = 200, conn: Any = None) -> list[LockedJob]:
    """Return the jobs of a flow that need a lock, by lock: its holder, then in the order of the queue.

    Raises UnknownFlow.
    """
    query = "select lock, job_id, wid, trname, fired_at, holder from wedsql.list_locks(%s, %s::integer)"
    return [LockedJob(*row) for row in rows(conn, query, (flow, min(max(limit, 1), 1000)))]
