"""The endpoint of figures."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any

from django.http import HttpRequest
from django.utils import timezone
from pydantic import Field

from flows import api as kernel
from flows.queries.base import snapshot
from monitor.api.problems import Problem
from monitor.api.reads import aware
from monitor.api.routing import READ, router
from monitor.api.scalars import Moment
from monitor.figures.schemas import FiguresOut

MOST_STEPS_OF_TIME = 2_000


@router.get("/flows/{slug:name}/figures", response=FiguresOut, auth=READ, summary="Figures")
def figures(
    request: HttpRequest,
    name: str,
    since: Moment | None = None,
    until: Moment | None = None,
    every: Annotated[int, Field(ge=60, le=366 * 86400, description="Seconds of one step of time.")] = 3600,
) -> Any:
    """Return the figures of the flow and its transitions, by steps of time; default: the last day."""
    first, last = _times(since, until, every)
    with snapshot():
        found = kernel.figures.of_flow(name, first, last, timedelta(seconds=every))
    rows = [vars(each) for each in found]
    return {"flow": name, "since": first, "until": last, "every": every, "items": rows}


def _times(since: Moment | None, until: datetime | None, every: int) -> tuple[datetime, datetime]:
    """Return the beginning and the end of figures. Raises Problem."""
    try:
        last = aware(until) or timezone.now().replace(second=0, microsecond=0)
        first = aware(since) or last - timedelta(days=1)
    except OverflowError:  # before the year 1
        raise Problem(422, "The time is out of range.", code="22008") from None
    if not 0 <= (last - first).total_seconds() <= every * MOST_STEPS_OF_TIME:
        text = f"The time has more than {MOST_STEPS_OF_TIME} steps, or ends before it begins."
        raise Problem(422, text, code="22023")
    return first, last
