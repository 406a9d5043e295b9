"""The endpoint of locks: which job holds each, and which wait for it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query, Schema
from pydantic import Field

from flows import api as kernel
from flows.engine.locks import LockedJob
from flows.queries.base import snapshot
from monitor.api.problems import Problem
from monitor.api.routing import READ_SHOWN, flow_of, router


class LockedJobOut(Schema):
    """A job that needs the lock; `not_before` is when its next attempt is due, after one that failed."""

    id: int
    instance: int
    transition: str
    fired_at: datetime
    not_before: datetime | None


class HoldingJobOut(LockedJobOut):
    """A job that has the lock; `holder` is the worker that holds the job, by a lease if it has an end."""

    holder: str
    lease_until: datetime | None


class LockOut(Schema):
    """A lock with its holder, and with the jobs that wait, in order; `cut`: more wait than are listed."""

    lock: str
    holders: list[HoldingJobOut]
    waiting: list[LockedJobOut]
    cut: bool


class LocksOut(Schema):
    """Locks by name; `next` is the value of `cursor` for the next page."""

    items: list[LockOut]
    next: str | None


class Listed(Schema):
    """After which lock, and of how many jobs at most."""

    cursor: Annotated[str, Field(max_length=600)] = ""
    limit: Annotated[int, Field(ge=1, le=500)] = 100


@router.get("/flows/{slug:name}/locks", response=LocksOut, auth=READ_SHOWN, summary="Locks")
def locks(request: HttpRequest, name: str, given: Query[Listed]) -> Any:
    """Return the locks of a flow that jobs hold or wait for; names of locks have values of attributes."""
    flow = flow_of(request)
    if flow.concealed:
        raise Problem(403, "The locks of this flow are named by values that you may not see.")
    after = given.cursor.replace("\x00", "")
    with snapshot():
        queues, following = kernel.locks.queues(flow.name, limit=given.limit, after=after or None)
    items = [
        {
            "lock": queue.lock,
            "holders": [_job(job) for job in queue.holders],
            "waiting": [_job(job) for job in queue.waiting],
            "cut": queue.cut,
        }
        for queue in queues
    ]
    return {"items": items, "next": following}


def _job(job: LockedJob) -> dict[str, Any]:
    return {
        "id": job.job,
        "instance": job.wid,
        "transition": job.transition,
        "fired_at": job.fired_at,
        "not_before": job.not_before,
        "holder": job.holder,
        "lease_until": job.lease_until,
    }
