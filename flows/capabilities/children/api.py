"""Child instances: instances that a job of another one started, and whose ends complete it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.statements import rows, value


@dataclass(frozen=True, slots=True)
class ChildJob:
    """A job that starts or started children.

    `total` is None until it is computed. `done` counts the children that became final, `failed` those that
    were cancelled or aborted, or are exceptions that count as failed. `open`: the job is pending.
    """

    job_id: int
    flow: str | None
    transition: str | None
    total: int | None
    started: int
    done: int
    failed: int
    open: bool


@dataclass(frozen=True, slots=True)
class Child:
    """A child with its number among those of its job."""

    number: int
    wid: int
    flow: str
    status: str
    key: str | None
    started_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class ChildEnd:
    """Why a child that is not final is where it is: who ended it and why, or the kind of the exception."""

    number: int
    actor: str
    reason: str


def add_children(wid: int, job_id: int, count: int, *, actor: str = "", conn: Any = None) -> int:
    """Add children to a job that waits for its children; return how many it has then.

    Raises:
        UnknownInstance, NotRunning: when there is no such instance, or it has ended.
        ChildrenNotStarted: for more than 100,000.
        NotWaitingForChildren: when the job is over, or starts no children.
    """
    return value(conn, "select wedsql.add_children(%s, %s, %s, %s)", (wid, job_id, count, actor))


def child_jobs(wid: int, *, conn: Any = None) -> list[ChildJob]:
    """Return the jobs of an instance that start or started children, the newest first, at most 100."""
    return [ChildJob(*each) for each in rows(conn, "select * from wedsql.child_jobs(%s)", (wid,))]


def children(
    wid: int, job_id: int | None = None, *, after: int = 0, limit: int = 50, conn: Any = None
) -> list[Child]:
    """Return children of a job of an instance, by default of the newest, after a number, at most 500."""
    given = (wid, job_id, after, limit)
    found = rows(conn, "select * from wedsql.children(%s, %s::bigint, %s, %s)", given)
    return [Child(*each) for each in found]


def child_ends(
    wid: int, job_id: int, *, after: int = 0, limit: int = 50, conn: Any = None
) -> dict[int, ChildEnd]:
    """Return, by number, why children of a job were cancelled or aborted, or are exceptions."""
    found = rows(conn, "select * from wedsql.child_ends(%s, %s, %s, %s)", (wid, job_id, after, limit))
    return {number: ChildEnd(number, actor, reason) for number, actor, reason in found}


def children_repaired(wid: int, job_id: int, *, conn: Any = None) -> int:
    """Return how many children of a job counted as failed, and were repaired and became final later."""
    return value(conn, "select wedsql.children_repaired(%s, %s)", (wid, job_id)) or 0


def continue_children(limit: int = 500, *, conn: Any = None) -> int | None:
    """Go on with one job that starts children, if something is due; return the number of its instance.

    Starts up to `limit` children, counts those that have ended, completes the job, or suspends, resumes,
    cancels or undoes up to `limit` of them. The reaper calls it until nothing is due.
    """
    return value(conn, "select wedsql.continue_children(%s)", (limit,))
