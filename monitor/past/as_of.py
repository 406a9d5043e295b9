"""The moment that a page is about (`at` in its address), and the slider over the kept history."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone

from flows.capabilities.past import queries as past
from flows.queries import base
from monitor.past.moments import BadMoment, moment
from pages.urlparams import number, text

PLACES = 1_000
"""The places of the slider, from the beginning of the history to now."""
OWN = ("at", "place", "before", "after", "exact")


@dataclass(frozen=True)
class Time:
    """The moment of an address: None for now, and where its text is wrong (`error`).

    The slider goes from `since`, None without any history, to `now`. `kept` are the other parameters.
    """

    text: str
    at: datetime | None
    error: BadMoment | None
    since: datetime | None
    now: datetime
    kept: tuple[tuple[str, str], ...]

    @property
    def past(self) -> bool:
        """Return whether the page is not about now."""
        return self.at is not None or self.error is not None

    @property
    def early(self) -> bool:
        """Return whether the moment is before all that is kept."""
        return self.at is not None and (self.since is None or self.at < self.since)

    @property
    def place(self) -> int:
        """Return the place of the moment on the slider."""
        if self.at is None or self.since is None:
            return PLACES
        whole = max((self.now - self.since).total_seconds(), 1)
        return max(0, min(PLACES, round((self.at - self.since).total_seconds() / whole * PLACES)))

    @property
    def places(self) -> int:
        return PLACES

    @property
    def back(self) -> str:
        """Return the query string of the same page about now."""
        return urlencode(self.kept)

    def to(self, place: int) -> str:
        """Return the query string of the moment of a place on the slider, in the reader's zone."""
        if place >= PLACES or self.since is None:
            return self.back
        found = self.since + (self.now - self.since) * (max(0, place) / PLACES)
        written = timezone.localtime(found).strftime("%Y-%m-%dT%H:%M:%S")
        return urlencode([("at", written), *self.kept])


def time_of(request: HttpRequest, flows: Collection[str] | None) -> Time:
    """Return the moment of the address of a page about these flows (None: all)."""
    wanted, at, error, now = text(request, "at"), None, None, base.now()
    try:
        at = moment(wanted, now) if wanted else None
    except BadMoment as wrong:
        error = wrong
    pairs = [(name, value) for name, values in request.GET.lists() for value in values]
    kept = tuple((name, value) for name, value in pairs if name not in OWN)
    return Time(wanted, at, error, past.kept_since(flows), now, kept)


def from_slider(request: HttpRequest, time: Time) -> HttpResponse | None:
    """Return a redirect to the moment of the place that the slider has sent (`place`), None without one."""
    place = number(request.GET.get("place"))
    return None if place is None else HttpResponseRedirect(f"{request.path}?{time.to(place)}")
