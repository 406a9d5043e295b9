"""Locks of jobs: which job holds one, and which wait for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from flows.engine.connection import rows


@dataclass(frozen=True, slots=True)
class LockedJob:
    """A job that needs a lock; `holder` is who holds the job and with it the lock, None while it waits.

    `not_before` is when the next attempt of a job that failed is due; `key` is the stored name of the lock.
    """

    lock: str
    job: int
    wid: int
    transition: str
    fired_at: datetime
    holder: str | None
    lease_until: datetime | None
    not_before: datetime | None
    key: str


def list_locks(flow: str, *, limit: int = 200, after: str | None = None, conn: Any = None) -> list[LockedJob]:
    """Return the jobs of a flow that need a lock, by lock: its holder, then in the order of the queue.

    With `after`, only those of the locks after this key. Raises UnknownFlow.
    """
    query = (
        "select lock, job_id, wid, trname, fired_at, holder, lease_until, not_before, key"
        " from wedsql.list_locks(%s, %s::integer, %s)"
    )
    return [LockedJob(*row) for row in rows(conn, query, (flow, min(max(limit, 1), 1000), after))]


@dataclass(frozen=True, slots=True)
class LockQueue:
    """One lock: the job that holds it, and those that wait, in order; `cut`: more wait than are listed."""

    lock: str
    key: str
    holders: list[LockedJob]
    waiting: list[LockedJob]
    cut: bool


def lock_queues(
    flow: str, *, limit: int = 200, after: str | None = None, conn: Any = None
) -> tuple[list[LockQueue], str | None]:
    """Return the locks of at most so many jobs, and the key after which there are more, None at the end.

    A lock is on one page only: its queue is cut where it alone has more jobs. Raises UnknownFlow.
    """
    limit = min(max(limit, 1), 999)
    found = list_locks(flow, limit=limit + 1, after=after, conn=conn)
    groups = [(key, list(jobs)) for key, jobs in groupby(found, key=lambda job: job.key)]
    cut = len(found) > limit
    if cut and len(groups) > 1:
        groups.pop()
    queues = [_queue(key, jobs[:limit], len(jobs) > limit) for key, jobs in groups]
    return queues, groups[-1][0] if cut else None


def _queue(key: str, jobs: list[LockedJob], cut: bool) -> LockQueue:
    """Return the jobs of a lock as its holder and its queue."""
    held = [job for job in jobs if job.holder is not None]
    return LockQueue(jobs[0].lock, key, held, [job for job in jobs if job.holder is None], cut)
