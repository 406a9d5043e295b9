"""Values of a filter: each kind of value from its text to what SQL takes.

Times are parts of time: a day, a minute, a second, so that `due:2026-01-31` is the whole day in the reader's
zone. Relative ones stay relative: a saved view of today is about the day on which it is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal, InvalidOperation

from flows.filters.errors import BadFilter
from flows.filters.fields import CLOCK_STATES
from flows.filters.tree import Condition

MAX_EXPONENT = 1_000
LONGEST = timedelta(days=366 * 200)
DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_WORDS = {
    "sec": "s", "second": "s", "min": "m", "minute": "m", "hour": "h", "day": "d", "week": "w",
}  # fmt: skip
_PART = re.compile(r"\s*(\d{1,9}(?:\.\d{1,6})?)\s*([a-z]+)\s*", re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,6}):(\d{2})(?::(\d{2}(?:\.\d{1,6})?))?")
_RELATIVE = re.compile(r"-(?=\d)(.+)")
_INTEGER = re.compile(r"[+-]?\d+")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ](\d{2}:\d{2})(:\d{2})?(\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?")


@dataclass(frozen=True)
class Span:
    """A part of time, from its first moment to the first after it."""

    low: datetime
    high: datetime


@dataclass(frozen=True)
class Ago:
    """A moment that long before now."""

    by: timedelta


@dataclass(frozen=True)
class Day:
    """A day relative to today, in the zone of the reader: -1 is yesterday."""

    days: int


Value = str | int | bool | Decimal | date | timedelta | Span | Ago | Day
Read = Callable[[str, tzinfo], Value]


def number(text: str, zone: tzinfo) -> Decimal:
    """Return a finite number. Raises ValueError."""
    try:
        found = Decimal(text)
    except InvalidOperation:
        raise ValueError from None
    if not found.is_finite() or abs(found.adjusted()) > MAX_EXPONENT or "_" in text or not text.isascii():
        raise ValueError
    return found


def integer(text: str, zone: tzinfo) -> int:
    """Return a whole number. Raises ValueError."""
    if not _INTEGER.fullmatch(text) or not text.isascii():
        raise ValueError
    return int(text)


def boolean(text: str, zone: tzinfo) -> bool:
    """Return yes or no. Raises ValueError."""
    word = text.lower()
    if word not in ("true", "yes", "t", "y", "1", "on", "false", "no", "f", "n", "0", "off"):
        raise ValueError
    return word in ("true", "yes", "t", "y", "1", "on")


def duration(text: str, zone: tzinfo) -> timedelta:
    """Return a duration such as 2h, 1d12h, 90 minutes or 36:00. Raises ValueError."""
    clock = _CLOCK.fullmatch(text)
    if clock:
        return _bounded(int(clock[1]) * 3_600 + int(clock[2]) * 60 + float(clock[3] or 0))
    seconds, at = 0.0, 0
    while at < len(text) or not at:
        part = _PART.match(text, at)
        if not part:
            raise ValueError
        word = part[2].lower()
        unit = word if word in _UNITS else _WORDS.get(word.removesuffix("s"), "")
        seconds += float(part[1]) * _UNITS.get(unit, float("nan"))
        at = part.end()
    return _bounded(seconds)


def _bounded(seconds: float) -> timedelta:
    if not 0 <= seconds <= LONGEST.total_seconds():  # also what is not a number
        raise ValueError
    return timedelta(seconds=seconds)


def day(text: str, zone: tzinfo) -> date | Day:
    """Return a date, or a day relative to today. Raises ValueError."""
    if text.lower() in DAYS:
        return Day(DAYS[text.lower()])
    ago = _RELATIVE.fullmatch(text)
    if ago:
        by = duration(ago[1], zone)
        if by % timedelta(days=1):
            raise ValueError
        return Day(-by.days)
    for form in ("%Y-%m-%d", "%d %b %Y"):
        try:
            return datetime.strptime(text, form).date()  # noqa: DTZ007 - a date has no zone
        except ValueError:
            continue
    raise ValueError


def moment(text: str, zone: tzinfo) -> Span | Ago | Day:
    """Return a part of time, a moment before now, or a day. Raises ValueError."""
    if text.lower() in DAYS:
        return Day(DAYS[text.lower()])
    if text.lower() == "now":
        return Ago(timedelta())
    ago = _RELATIVE.fullmatch(text)
    if ago:
        return Ago(duration(ago[1], zone))
    return _span(text, zone)


def _span(text: str, zone: tzinfo) -> Span:
    parts = _TIME.fullmatch(text)
    if not parts:
        raise ValueError
    low = datetime.fromisoformat(text)
    high = low + _precision(*parts.groups())
    if low.tzinfo is None:
        low, high = low.replace(tzinfo=zone), high.replace(tzinfo=zone)
    return Span(low.astimezone(UTC), high.astimezone(UTC))


def _precision(clock: str | None, seconds: str | None, fraction: str | None) -> timedelta:
    if fraction:
        return timedelta(microseconds=1)
    return timedelta(seconds=1) if seconds else timedelta(minutes=1) if clock else timedelta(days=1)


def document(text: str, zone: tzinfo) -> str:
    """Return JSON as text. Raises ValueError."""

    def refused(constant: str) -> None:
        raise ValueError(constant)

    json.loads(text, parse_float=lambda each: str(number(each, zone)), parse_constant=refused)
    shown = json.dumps(json.loads(text), ensure_ascii=False)
    shown.encode()  # rejects half of a character
    if "\\u0000" in shown:
        raise ValueError
    return text


def path(text: str, zone: tzinfo) -> str:
    """Return the names of transitions in their order, joined in one way. Raises ValueError."""
    names = [part.strip() for part in text.split(">")]
    if not all(names):
        raise ValueError
    return " > ".join(names)


def clock(text: str, zone: tzinfo) -> str:
    """Return the name of an SLA and a state of its clock, such as NAME=breached. Raises ValueError."""
    name, _sign, state = text.rpartition("=")
    if not name.strip() or state.strip() not in CLOCK_STATES:
        raise ValueError
    return f"{name.strip()}={state.strip()}"


def pair(text: str, zone: tzinfo) -> str:
    """Return two transitions, the second of which follows the first. Raises ValueError."""
    if text.count(">") != 1:
        raise ValueError
    return path(text, zone)


# What reads the values of each kind, and the reason of the error if it cannot.
KINDS: dict[str, tuple[Read, str]] = {
    "text": (lambda text, zone: text, ""),
    "name": (lambda text, zone: text, ""),
    "integer": (integer, "integer"),
    "numeric": (number, "number"),
    "boolean": (boolean, "boolean"),
    "date": (day, "date"),
    "timestamptz": (moment, "time"),
    "interval": (duration, "duration"),
    "jsonb": (document, "json"),
    "path": (path, "path"),
    "pair": (pair, "pair"),
    "clock": (clock, "clock"),
}


def value(kind: str, text: str, condition: Condition, zone: tzinfo) -> Value:
    """Return a value of this kind. Raises BadFilter at the condition."""
    read, reason = KINDS[kind]
    try:
        return read(text, zone)
    except (ValueError, OverflowError, RecursionError):
        raise BadFilter(reason, condition.position, condition.length, value=text[:80]) from None
