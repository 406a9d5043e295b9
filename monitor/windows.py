"""Windows of time of the analysis: named ones, and days from and to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.http import HttpRequest
from django.utils import timezone

NAMES = ("hour", "today", "yesterday", "week", "month")
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
LONGEST = timedelta(days=366)  # both ends included
AGAINST = ("before", "week")
"""The windows to compare with: the one of the same length before it, and the same one of last week."""
WEEK = timedelta(days=7)
_LENGTHS = {"week": timedelta(days=7), "month": timedelta(days=30)}


@dataclass(frozen=True)
class Window:
    """A window; `name` is "" for days that were chosen, which `first` and `last` are.

    `cut`: more days were chosen than a window has; the first of them are left out.
    """

    name: str
    since: datetime
    until: datetime
    first: date | None = None
    last: date | None = None
    cut: bool = False


def of_request(request: HttpRequest, at: datetime, default: str = "today") -> Window:
    """Return the window of the address: `window`, or days `from` and `to`, in the reader's zone."""
    first, last = day_of(request.GET.get("from")), day_of(request.GET.get("to"))
    if first or last:
        return _days(first or last, last or first)  # type: ignore[arg-type]
    name = request.GET.get("window", "")
    return named(name if name in NAMES else default, at)


def named(name: str, at: datetime) -> Window:
    """Return a window by its name: days are those of the reader's zone, week and month end with this hour."""
    if name == "hour":
        until = at.replace(second=0, microsecond=0) + MINUTE
        return Window(name, until - HOUR, until)
    if name in _LENGTHS:
        until = at.replace(minute=0, second=0, microsecond=0) + HOUR
        return Window(name, until - _LENGTHS[name], until)
    day = timezone.localdate(at) - (DAY if name == "yesterday" else timedelta())
    return Window(name, _midnight(day), _midnight(day + DAY))


def _days(first: date, last: date) -> Window:
    first, last = min(first, last), max(first, last)
    kept = max(first, last + DAY - LONGEST)
    return Window("", _midnight(kept), _midnight(last + DAY), kept, last, first < kept)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), timezone.get_current_timezone()).astimezone(UTC)


def day_of(text: str | None) -> date | None:
    """Return the day of a parameter, None if it is none of which a year is known on both sides."""
    try:
        found = date.fromisoformat(text or "")
    except ValueError:
        return None
    return found if 1970 <= found.year < 9000 else None


def earlier(window: Window, against: str, at: datetime) -> Window | None:
    """Return the window to compare with, None without a name of AGAINST.

    What is still to come in a window is not compared: the earlier one ends as long after its beginning.
    """
    if against not in AGAINST:
        return None
    back = window.until - window.since if against == "before" else WEEK
    until = min(window.until, at.replace(second=0, microsecond=0) + MINUTE)
    return Window("", window.since - back, max(until, window.since + MINUTE) - back)


def moments(request: HttpRequest, at: datetime) -> tuple[datetime, datetime]:
    """Return the times `since` and `until` of the address; unusable ones count as the last hour."""
    fallback = named("hour", at)
    found = [_moment(request.GET.get(name)) for name in ("since", "until")]
    return found[0] or fallback.since, found[1] or fallback.until


def _moment(text: str | None) -> datetime | None:
    try:
        found = datetime.fromisoformat(text or "")
        return found.astimezone(UTC) if found.tzinfo and 1970 <= found.year < 9000 else None
    except (ValueError, OverflowError):
        return None


def written(at: datetime) -> str:
    """Return a time as filters read it, to the microsecond."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def happened(what: str, since: datetime, until: datetime) -> str:
    """Return the filter of the instances that started, finished or excepted from `since` to `until`.

    An end of a range is included: the microsecond before `until`.
    """
    low, last = written(since), written(until - timedelta(microseconds=1))
    more = {"finished": "status:final ", "excepted": f"changed>={low} "}.get(what, "")
    return f"{more}{what}:{low}..{last}"
