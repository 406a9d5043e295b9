"""Endpoint of results that came too late."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Schema

from flows import api as kernel
from flows.capabilities.recovery.late import LateResult
from flows.queries.definitions import FlowInfo
from monitor.api.routing import READ_SHOWN, flow_of, router


class LateValueOut(Schema):
    """An attribute: when the job began, now, and in the late result."""

    attribute: str
    before: Any
    present: Any
    late: Any
    changed: bool


class LateResultOut(Schema):
    """A result that came too late; `conflict` waits for `merge_late` or `discard_late`."""

    id: int
    job: int
    transition: str
    actor: str
    code: str
    state: str
    received_at: datetime
    decided_at: datetime | None
    decided_by: str
    values: list[LateValueOut]


class LateResultsOut(Schema):
    """The late results of an instance."""

    items: list[LateResultOut]


@router.get(
    "/instances/{int:wid}/late",
    response=LateResultsOut,
    auth=READ_SHOWN,
    summary="Late results",
)
def late_results(request: HttpRequest, wid: int) -> Any:
    """Return the last hundred late results of the instance, newest first, with what they would change."""
    flow = flow_of(request)
    return {"items": [_shown(each, flow) for each in kernel.repairs.late_results(wid)]}


def _shown(late: LateResult, flow: FlowInfo) -> dict[str, Any]:
    """Return a late result with the values that the caller sees."""
    names = ("id", "job", "transition", "actor", "code", "state", "received_at", "decided_at", "decided_by")
    values = [each for each in late.values if flow.shows(each.attribute)]
    return {name: getattr(late, name) for name in names} | {"values": values}
