"""Times in the notation of ISO 8601: what is accepted here is written in the form that the database reads.

Timers, starts and expressions all use these readers, so that no text is checked by one reader and read by
another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_DURATION = re.compile(
    r"P(?=.)(\d{1,9}Y)?(\d{1,9}M)?(\d{1,9}W)?(\d{1,9}D)?"
    r"(T(?=.)(\d{1,9}H)?(\d{1,9}M)?(\d{1,9}(\.\d{1,6})?S)?)?",
    re.ASCII,
)
_DAY_SECONDS = 86_400
# The seconds of a year, month, week, day, hour, minute and second.
_SIZES = (366 * _DAY_SECONDS, 31 * _DAY_SECONDS, 7 * _DAY_SECONDS, _DAY_SECONDS, 3_600, 60, 1)
_LONGEST = 1_000 * _SIZES[0]
_FARTHEST = timedelta(hours=16)  # the database reads offsets below it
_MOMENT = re.compile(r"(\d{4}[0-9W-]*)[Tt ]([0-9:.,]+)(?:[Zz]|[+-]\d{2}(?::?\d{2})?)?", re.ASCII)
_KEPT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:?\d{2})", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?", re.ASCII)
_CYCLE = re.compile(r"R(\d{0,6})/(?:([^/]+)/)?(P[^/.]+)", re.ASCII)
_REPEATED = re.compile(r"R[0-9]*/")
_ZONE_INSIDE = re.compile(r"@[A-Za-z_]{2}|\[[A-Za-z_]+(/[A-Za-z_+0-9-]+)*\]")
_ZONE = re.compile(r"(?:@([A-Za-z_]+(?:/[A-Za-z_+0-9-]+)*)|\[([A-Za-z_]+(?:/[A-Za-z_+0-9-]+)*)\])$")


@dataclass(frozen=True)
class Cycle:
    """A repetition of a duration; `times` is None for no limit, `first` its first moment, if it has one."""

    times: int | None
    first: str
    every: str

    @property
    def text(self) -> str:
        """Return the cycle as the database reads it."""
        first = f"{self.first}/" if self.first else ""
        return f"R{'' if self.times is None else self.times}/{first}{self.every}"


def has_form_of_duration(text: str) -> bool:
    """Return whether a text is written as a duration, such as PT15M."""
    return _DURATION.fullmatch(text) is not None


def is_duration(text: str) -> bool:
    """Return whether a text is a duration of at most 1,000 years, such as PT15M."""
    found = _DURATION.fullmatch(text)
    if found is None:
        return False
    sizes = zip(_SIZES, (found[n] for n in (1, 2, 3, 4, 6, 7, 8)), strict=True)
    return sum(size * float(part[:-1]) for size, part in sizes if part) <= _LONGEST


def moment(text: str, *, local: bool = False) -> str | None:
    """Return a moment with its time zone as the database reads it, None for another text.

    A `local` one may be without a time zone, and is one of UTC then. After a time, or after its offset, may
    be the name of a time zone, with @ or in brackets; what its clocks show twice or never is no moment.
    """
    named = _ZONE.search(text)
    if named is not None:
        return _in_zone(text[: named.start()], named[1] or named[2])
    if not _MOMENT.fullmatch(text):
        return None
    try:
        found = datetime.fromisoformat(text.upper())
        if found.tzinfo is None and local:
            found = found.replace(tzinfo=UTC)
        offset = found.utcoffset()
        if offset is None:
            return None
        written = _written(found)  # fails where the moment is in no year that a date has
        return text if _KEPT.fullmatch(text) and abs(offset) < _FARTHEST else written
    except (ValueError, OverflowError):
        return None


def _in_zone(text: str, name: str) -> str | None:
    """Return the moment of a time in a time zone with a name."""
    if not _MOMENT.fullmatch(text):
        return None
    try:
        found, zone = datetime.fromisoformat(text.upper()), ZoneInfo(name)
        shown = found.replace(tzinfo=zone)
        if found.tzinfo is None:
            return _written(shown) if shown.utcoffset() == shown.replace(fold=1).utcoffset() else None
        return _written(found) if found.astimezone(zone).utcoffset() == found.utcoffset() else None
    except (ValueError, OverflowError, OSError, ZoneInfoNotFoundError):
        return None


def _written(found: datetime) -> str:
    return found.astimezone(UTC).isoformat().replace("+00:00", "Z")


def day(text: str) -> str | None:
    """Return a date as the database reads it, None for another text."""
    try:
        return date.fromisoformat(text).isoformat() if _DAY.fullmatch(text) else None
    except ValueError:
        return None


def time_of_day(text: str) -> str | None:
    """Return a time of a day without a time zone as the database reads it, None for another text."""
    try:
        return time.fromisoformat(text).isoformat() if _TIME.fullmatch(text) else None
    except ValueError:
        return None


def cycle(text: str) -> Cycle | None:
    """Return a cycle of at least one second that happens at least once, such as R3/PT1H; None for none."""
    if cycle_has_zone_name(text):
        return None
    found = _CYCLE.fullmatch(text)
    if found is None or not is_duration(found[3]) or not re.search("[1-9]", found[3]):
        return None
    times = int(found[1]) if found[1] else None
    first = moment(found[2]) if found[2] else ""
    if times == 0 or first is None or "." in first:
        return None
    return Cycle(times, first, found[3])


def has_zone_name(text: str) -> bool:
    """Return whether a time has the name of a time zone, such as [Europe/Berlin] or @Europe/Berlin."""
    return _ZONE.search(text) is not None


def cycle_has_zone_name(text: str) -> bool:
    """Return whether the begin or the end of a cycle has the name of a time zone."""
    return bool(_REPEATED.match(text)) and _ZONE_INSIDE.search(text) is not None
