"""The reader's time zone, which the browser reports in a cookie."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.http import HttpRequest, HttpResponse
from django.utils import timezone


class ReaderZone:
    """Shows times in the zone of the cookie `zone`, if it is one; else in that of the site."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        name = request.COOKIES.get("zone", "")
        if name not in _known():
            return self.get_response(request)
        with timezone.override(ZoneInfo(name)):
            return self.get_response(request)


@cache
def _known() -> frozenset[str]:
    """Return the names of the zones; only these are ever looked up, as a name may be a path."""
    return frozenset(available_timezones())
