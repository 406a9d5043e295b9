"""Records which values that are masked for others a request shows, before it answers them.

Looks by the same user at the same address are recorded once in a while; a file every time. What a user asks
to look at with a reason is recorded by the kernel itself (api.look_at).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

from flows.api.looks import record as record_look
from flows.capabilities.looks.api import Shown
from flows.errors import DatabaseGone, UnknownFlow
from flows.users.disclosure import Noted, noting
from pages.error_pages import unavailable

AGAIN = timedelta(minutes=10)
Answer = Callable[[HttpRequest], HttpResponseBase]


class RecordLooks:
    """Records what the response shows before it is sent; if that fails, the response is not sent."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with noting() as found:
            response = self.get_response(request)
        if response.status_code != 200 or found.no_values or not found.shown:
            return response
        try:
            _record(request, found)
        except UnknownFlow as error:
            raise Http404 from error
        except (OperationalError, InterfaceError, DatabaseGone):
            return unavailable(request)
        return response


def _record(request: HttpRequest, found: Noted) -> None:
    way = _way(request, found)
    address = request.path if way == "live" else request.get_full_path()
    for (flow, wid), actor in found.shown.items():
        record_look(Shown(flow, actor, way, address, wid, found.instances), None if found.is_file else AGAIN)


def _way(request: HttpRequest, found: Noted) -> str:
    if request.path.startswith("/api/"):
        return "http"
    if found.is_file:
        return "file"
    return "live" if request.path.startswith("/live/") else "page"
