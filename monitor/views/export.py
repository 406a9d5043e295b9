"""Download a list as a file: the rows of the screen's filter, with its columns, in its order."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar
from weakref import WeakSet

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flows.access import flow_or_404, listed_flows
from flows.filters import BadFilter
from flows.filters.translation import status
from flows.queries import everywhere, instances
from flows.queries.base import snapshot
from flows.queries.definitions import Attribute
from flows.queries.exports import FIXED, exported
from flows.queries.paging import Cursor
from flows.users import disclosure
from monitor import list_filters, urlparams
from monitor.export.formats import FORMATS, Column
from pages.guard import page
from pages.urlparams import one_of, readable, unusable

# Downloads that a user may have at a time; further ones are answered with 429.
MOST_AT_A_TIME = 3
MOST_ROWS = 100_000
BATCH = 1_000
# How the values of parameters are read.
LISTED = {"q": readable(str), "sort": one_of(["id"]), "status": readable(status)}
# The columns of a list over all flows.
ANYWHERE = ("wid", "flow", "status", "reason", "key", "started_at", "changed_at")


@require_safe
@page
def of_flow(request: HttpRequest, name: str, ending: str) -> HttpResponseBase:
    """Return the instances of a flow as a file."""
    flow = flow_or_404(request.user, name)
    columns = one_of([each.name for each in flow.attributes])
    if problem := unusable(request, LISTED | {"columns": columns}):
        return refused(problem)
    asked = list_filters.asked(request, flow)
    if asked.error:
        return refused(asked.error.sentence)
    shown = urlparams.columns(request, flow)
    with snapshot():
        many = instances.matching(asked.chosen, MOST_ROWS)
    rows = exported(asked.chosen, shown, oldest_first=urlparams.oldest_first(request))
    disclosure.counted(many.n, is_file=True)
    return _too_many() if many.capped else download(request, name, ending, _columns(shown), rows)


@require_safe
@page
def of_all(request: HttpRequest, ending: str) -> HttpResponseBase:
    """Return the instances of all flows that the user sees as a file."""
    if problem := unusable(request, LISTED):
        return refused(problem)
    asked = list_filters.asked(request)
    try:
        if asked.error:
            raise asked.error
        found = everywhere.selection(asked.chosen, listed_flows(request.user))
    except BadFilter as error:
        return refused(error.sentence)
    with snapshot():
        many = everywhere.matching(found, MOST_ROWS)
    rows = _anywhere(found, urlparams.oldest_first(request))
    columns = [Column(name, name) for name in ANYWHERE]
    disclosure.counted(many.n, is_file=True)
    return _too_many() if many.capped else download(request, "instances", ending, columns, rows)


def _columns(shown: tuple[Attribute, ...]) -> list[Column]:
    return [*(Column(name, name) for name in FIXED), *(Column(a.name, a.title, a.type) for a in shown)]


def _anywhere(found: everywhere.Selection, oldest_first: bool) -> Iterator[list[Any]]:
    cursor: Cursor | None = Cursor(size=BATCH)
    while cursor:
        with snapshot():
            part = everywhere.listed(found, cursor, oldest_first=oldest_first)
        for each in part.items:
            fixed = [each.wid, each.flow_name, each.status, each.reason, each.key]
            yield [*fixed, each.started_at, each.changed_at]
        following = part.newer if oldest_first else part.older
        cursor = _next(following, oldest_first) if following is not None else None


def _next(key: Any, oldest_first: bool) -> Cursor:
    return Cursor(after=key, size=BATCH) if oldest_first else Cursor(before=key, size=BATCH)


def _too_many() -> HttpResponse:
    text = _("The list has more than %(limit)s instances. Narrow its filter, and download the parts.")
    return too_large(text % {"limit": f"{MOST_ROWS:,}"})


def too_large(text: str) -> HttpResponse:
    """Answer that a file would have too much."""
    return _text(text, 413)


def refused(text: str) -> HttpResponse:
    """Answer that a file is not what was asked for."""
    return _text(text, 400)


def _text(text: str, status: int) -> HttpResponse:
    return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")


def download(
    request: HttpRequest, name: str, ending: str, columns: list[Column], rows: Iterator[list[Any]]
) -> HttpResponseBase:
    if ending not in FORMATS:
        raise Http404
    kind, write = FORMATS[ending]
    return sent(request, f"{name}.{ending}", kind, write(columns, rows))


def sent(request: HttpRequest, file: str, kind: str, pieces: Iterator[bytes]) -> HttpResponseBase:
    """Return a file of this type as it is made; a user may have few at a time."""
    # A server of the asynchronous kind would read a synchronous iterator to its end before it sends anything.
    content = _pieces(pieces) if isinstance(request, ASGIRequest) else pieces
    response = _Download(content, content_type=kind)
    if not response.begin(str(request.user.pk)):
        text = _("You have %(limit)s downloads already. Wait until one of them has ended.")
        return _text(text % {"limit": MOST_AT_A_TIME}, 429)
    response["Content-Disposition"] = f'attachment; filename="{file}"'
    return response


class _Download(StreamingHttpResponse):
    """A file that is being sent; the server closes it at its end, and when its client is gone."""

    user = ""
    _lock = threading.Lock()
    _open: ClassVar[WeakSet[_Download]] = WeakSet()  # of this process, of which there is one

    def begin(self, user: str) -> bool:
        """Count the download; False if the user has as many as one may have."""
        with self._lock:
            if sum(each.user == user and not each.closed for each in list(self._open)) >= MOST_AT_A_TIME:
                return False
            self.user = user
            self._open.add(self)
            return True


async def _pieces(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    following = sync_to_async(lambda: next(pieces, None))
    while (piece := await following()) is not None:
        yield piece
