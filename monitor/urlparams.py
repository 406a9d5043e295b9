"""The parameters of the monitor's URLs, which hold everything that a list shows."""

from __future__ import annotations

from django.http import HttpRequest, QueryDict

from flows.queries import filters
from flows.queries.counting import STATUSES
from flows.queries.definitions import FlowInfo
from flows.queries.instances import Choice
from flows.queries.jobs import QueuePosition
from flows.queries.paging import Cursor
from pages.urlparams import before_after, number, numbers, without_triple

MAX_WIDS = 200
FILTER = ("a", "op", "v")


def cursor(request: HttpRequest, size: int | None = None) -> Cursor:
    """Return the cursor of `before` and `after`; invalid values mean the first page."""
    before, after = before_after(request)
    return Cursor(before, after) if size is None else Cursor(before, after, size)


def choice(request: HttpRequest, flow: FlowInfo) -> Choice:
    """Return the choice of `status` and the triples `a`, `op`, `v`; unusable filters carry their error."""
    status = request.GET.get("status", "")
    asked = filters.parse(*(request.GET.getlist(name) for name in FILTER))
    return Choice(status if status in STATUSES else "", tuple(filters.checked(flow, asked)))


def wids(request: HttpRequest) -> list[int]:
    """Return the instances of `wids=1,2,3`, at most MAX_WIDS of them."""
    return numbers(request, "wids", MAX_WIDS)


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


def without_filter(query: QueryDict, index: int) -> str:
    """Return the query string without the index-th filter triple, for the first page."""
    return without_triple(query, FILTER, index)
