"""The parameters of the monitor's URLs, which hold everything that a list shows."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpRequest

from flows.queries.definitions import Attribute, FlowInfo
from flows.queries.jobs import QueuePosition
from flows.queries.paging import Cursor
from pages.urlparams import before_after, number, numbers

MAX_WIDS = 200
MAX_COLUMNS = 200


def cursor(request: HttpRequest, size: int | None = None) -> Cursor:
    """Return the cursor of `before` and `after`; other values mean the first page.

    It is for lists by the number of an instance or a step, which PostgreSQL's integer has.
    """
    before, after = before_after(request)
    return Cursor(before, after) if size is None else Cursor(before, after, size)


def columns(request: HttpRequest, flow: FlowInfo) -> tuple[Attribute, ...]:
    """Return the attributes of `columns=a,b` in that order; without the parameter, those of its data."""
    if "columns" not in request.GET:
        return flow.data
    wanted = dict.fromkeys(request.GET["columns"].split(",")[:MAX_COLUMNS])
    return tuple(found for name in wanted if (found := flow.attribute(name)))


def oldest_first(request: HttpRequest) -> bool:
    """Return whether `sort=id` asks for the oldest instances first."""
    return request.GET.get("sort") == "id"


def wids(request: HttpRequest) -> list[int]:
    """Return the instances of `wids=1,2,3`, at most MAX_WIDS of them."""
    return numbers(request, "wids", MAX_WIDS)


def choices(known: Sequence[str], chosen: str) -> list[str]:
    """Return the values that a list offers, with the one of the URL also if there is no such value."""
    return [*known, *([chosen] if chosen and chosen not in known else [])]


def place(request: HttpRequest) -> QueuePosition | None:
    """Return the place of `behind=transition~priority~id`, or None for the first page."""
    transition, _, rest = request.GET.get("behind", "").partition("~")
    priority, _, job = rest.partition("~")
    if (
        number(priority) is None
        or not job.isascii()
        or not job.isdigit()
        or len(job) > 18
        or "\x00" in transition
    ):
        return None
    return QueuePosition(transition, int(priority), int(job))
