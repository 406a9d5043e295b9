"""Endpoints of child instances: instances that a job of another one started, and whose ends complete it."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query, Schema
from pydantic import Field

from flows import api as kernel
from flows.queries.base import snapshot
from monitor.api import schemas
from monitor.api.inputs import ChildrenIn
from monitor.api.routing import OPERATE_SHOWN, READ_SHOWN, call_of, number_of, router

log = logging.getLogger("wedsql.api")


class ChildJobOut(Schema):
    """A job that starts or started children; `total` is null until it is computed, `open`: it is pending."""

    id: int
    flow: str | None
    transition: str | None
    total: int | None
    started: int
    done: int
    failed: int
    open: bool


class ChildOut(Schema):
    """A child with its number among those of its job."""

    number: int
    instance: int
    flow: str
    status: str
    started_at: datetime
    finished_at: datetime | None


class ChildrenOut(Schema):
    """The jobs with children, the newest first, and children of one; `next`: `after` of the next page."""

    jobs: list[ChildJobOut]
    items: list[ChildOut]
    next: int | None


class AddedOut(Schema):
    """How many children the job has now."""

    total: int


class Listed(Schema):
    """Which children: those of a job, by default the newest, after a number, and how many."""

    job: Annotated[int, Field(ge=1, lt=2**63)] | None = None
    after: Annotated[int, Field(ge=0, lt=2**31)] = 0
    limit: Annotated[int, Field(ge=1, le=500)] = 50


@router.get("/instances/{int:wid}/children", response=ChildrenOut, auth=READ_SHOWN, summary="Children")
def children(request: HttpRequest, wid: int, given: Query[Listed]) -> Any:
    """Return the jobs of an instance that start children, and children of flows that the caller may see."""
    with snapshot():
        call_of(request).caller.instance_or_404(wid)
        jobs = kernel.children.jobs(wid)
        found = kernel.children.list(wid, given.job, after=given.after, limit=given.limit + 1)
    shown = found[: given.limit]
    return {
        "jobs": [
            {
                "id": job.job_id,
                "flow": job.flow,
                "transition": job.transition,
                "total": job.total,
                "started": job.started,
                "done": job.done,
                "failed": job.failed,
                "open": job.open,
            }
            for job in jobs
        ],
        "items": [
            {
                "number": child.number,
                "instance": child.wid,
                "flow": child.flow,
                "status": schemas.STATUS[child.status],
                "started_at": child.started_at,
                "finished_at": child.finished_at,
            }
            for child in shown
            if call_of(request).caller.may("see", child.flow)
        ],
        "next": shown[-1].number if len(found) > given.limit else None,
    }


@router.post(
    "/instances/{int:wid}/jobs/{int:job}/children",
    response=AddedOut,
    auth=OPERATE_SHOWN,
    summary="Add children to a job",
)
def add_children(request: HttpRequest, wid: int, job: int, given: ChildrenIn) -> Any:
    """Let a job that waits for its children start more of them."""
    caller = call_of(request).caller
    total = kernel.children.add(wid, number_of(job), given.count, actor=caller.name)
    log.info("children by a token or session", extra={"wid": wid})
    return {"total": total}
