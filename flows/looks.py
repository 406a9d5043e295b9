"""Records which values that are masked for others a request shows, before it answers them.

`flows.access` notes each flow that is shown with all its values to a user who may reveal them. The middleware
records them as looks by the same user at the same address once in a while; a file every time. What a user
asks to look at with a reason is recorded by the kernel itself (api.look_at).
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import timedelta

from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

from flows.api import record_look
from flows.api.looks import Shown
from flows.errors import DatabaseGone, UnknownFlow
from pages.error_pages import unavailable

AGAIN = timedelta(minutes=10)
Answer = Callable[[HttpRequest], HttpResponseBase]


@dataclass
class Noted:
    """What one request shows: flows, each with an instance or None for a list, and who sees it."""

    shown: dict[tuple[str, int | None], str] = field(default_factory=dict)
    instances: int | None = None
    is_file: bool = False
    no_values: bool = False


_noted: ContextVar[Noted | None] = ContextVar("looks", default=None)


def note(actor: str, flow: str, wid: int | None = None) -> None:
    """Note that this request shows a user all values of an instance or, without `wid`, of a list."""
    if found := _noted.get():
        found.shown[flow, wid] = actor


def counted(instances: int, *, is_file: bool = False) -> None:
    """Note how many instances the list or the file has."""
    if found := _noted.get():
        found.instances, found.is_file = instances, is_file


def no_values() -> None:
    """Note that this request shows no values, or has recorded its look itself."""
    if found := _noted.get():
        found.no_values = True


class RecordLooks:
    """Records what the response shows before it is sent; if that fails, the response is not sent."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        found = Noted()
        token = _noted.set(found)
        try:
            response = self.get_response(request)
        finally:
            _noted.reset(token)
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
