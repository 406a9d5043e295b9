"""What an address asks for: the page, the status, the filters. Everything a list shows is in its address."""

from __future__ import annotations

import re

from django.http import HttpRequest, QueryDict

from flows.queries import filters
from flows.queries.counting import STATUSES
from flows.queries.definitions import Flow
from flows.queries.instances import Choice
from flows.queries.jobs import Place
from flows.queries.paging import Cursor

MAX_WIDS = 200
_NUMBER = re.compile(r"-?[0-9]{1,10}")


def number(text: str | None) -> int | None:
    """A whole number that fits PostgreSQL's integer, or None for anything else."""
    if not text or not _NUMBER.fullmatch(text):
        return None
    value = int(text)
    return value if -(2**31) <= value < 2**31 else None


def cursor(request: HttpRequest, size: int | None = None) -> Cursor:
    """`before` and `after` of the address; nonsense means the first page."""
    before, after = number(request.GET.get("before")), number(request.GET.get("after"))
    whole = Cursor(None if after is not None else before, after)
    return whole if size is None else Cursor(whole.before, whole.after, size)


def choice(request: HttpRequest, flow: Flow) -> Choice:
    """`status` and the triples `a`, `op`, `v` of the address; unusable filters carry their error."""
    status = request.GET.get("status", "")
    asked = filters.parse(*(request.GET.getlist(name) for name in ("a", "op", "v")))
    return Choice(status if status in STATUSES else "", tuple(filters.checked(flow, asked)))


def wids(request: HttpRequest) -> list[int]:
    """The instances named by `wids=1,2,3`, at most MAX_WIDS of them."""
    found = (number(part) for part in request.GET.get("wids", "").split(",", MAX_WIDS)[:MAX_WIDS])
    return [wid for wid in found if wid is not None]


def place(request: HttpRequest) -> Place | None:
    """`behind=transition~priority~id` of the address, or None for the first page."""
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
    return Place(transition, int(priority), int(job))


def without(query: QueryDict, *names: str) -> str:
    """The query string with these names left out."""
    rest = query.copy()
    for name in names:
        rest.pop(name, None)
    return rest.urlencode()


def without_filter(query: QueryDict, index: int) -> str:
    """The query string with the index-th filter triple left out, back on the first page."""
    rest = query.copy()
    triples = list(zip(*(rest.getlist(name) for name in ("a", "op", "v")), strict=False))
    kept = [triple for at, triple in enumerate(t for t in triples if t[0]) if at != index]
    for at, name in enumerate(("a", "op", "v")):
        rest.setlist(name, [triple[at] for triple in kept])
    for name in ("before", "after"):
        rest.pop(name, None)
    return rest.urlencode()
