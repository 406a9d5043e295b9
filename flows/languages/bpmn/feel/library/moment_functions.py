"""The functions of FEEL for dates, moments and durations (DMN 1.5, 10.3.4.1 and 10.3.4.8)."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from flows.languages.bpmn.feel.lists import NULL, NoValue, Value, closed, whole
from flows.languages.bpmn.feel.values import WRITTEN, Part, literal

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NUMBER = re.compile(r"\(*-?\d{1,9}(\.\d{1,6})?\)*", re.ASCII)
_WITH_OFFSET = re.compile(r"[0-9:.]+(?:[Zz]|[+-][0-9:]+|@.+)")
_MOST_SECONDS = 60
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip


def time_of(part: Part, *others: Part) -> Part:
    """Return the time of a text, of a moment in UTC, of a date (midnight), or of its parts."""
    if others:
        return _time_of_numbers([part, *others])
    if part.type == "time":
        return part
    if part.type == "timestamptz":
        return Part(f"(({part})::time)", "time")
    if part.type == "date":
        return Part(f"(case when {closed(part)} is not null then time '00:00:00' end)", "time")
    return _of_text("time", part)


def _time_of_numbers(parts: list[Part]) -> Part:
    """Return the time of an hour, a minute and a second that are written out; null where there is none."""
    if len(parts) > len(("hour", "minute", "second")):
        raise NoValue("A time with an offset from UTC is not in the subset; compare moments.")
    if len(parts) < len(("hour", "minute", "second")) or not all(map(_NUMBER.fullmatch, parts)):
        raise NoValue("“time(” is of a text, or of three numbers, that are written out.")
    hour, minute, second = (Decimal(each.strip("()")) for each in parts)
    if hour % 1 or minute % 1 or min(hour, minute, second) < 0 or max(hour, minute, second) >= _MOST_SECONDS:
        return NULL
    return literal("time", f"{int(hour):02}:{int(minute):02}:{second:09.6f}") or NULL


def _of_text(kind: str, part: Part) -> Part:
    if not part.startswith("'"):
        raise NoValue(f"A text in quotes is expected after “{kind}(”.")
    text = part[1:-1].replace("''", "'")
    found = literal(kind, text)
    if found is None and kind == "time" and _WITH_OFFSET.fullmatch(text):
        raise NoValue("A time with an offset from UTC is not in the subset; compare moments.")
    if found is None:
        raise NoValue(f"“{text[:40]}” is no {kind} of FEEL; write one such as {WRITTEN[kind]}.")
    return found


def _literal(kind: str) -> Callable[..., Part]:
    def function(part: Part, *others: Part) -> Part:
        if part == NULL or NULL in others:
            return NULL
        return _moment(kind, part, others)

    return function


def _moment(kind: str, part: Part, others: tuple[Part, ...]) -> Part:
    if kind == "time":
        return time_of(part, *others)
    if kind == "date and time" and [part.type, *(each.type for each in others)] == ["date", "time"]:
        return Part(f"(({part} + {others[0]})::timestamptz)", "timestamptz")
    if others:
        return _of_numbers(kind, [part, *others])
    if kind == "date" and part.type in ("date", "timestamptz"):
        return Part(f"(({part})::date)", "date")
    return part if (kind, part.type) == ("date and time", "timestamptz") else _of_text(kind, part)


def _of_numbers(kind: str, parts: list[Part]) -> Part:
    """Return the date of a year, a month and a day that are written out."""
    numbers = [whole(each) for each in parts]
    if kind != "date" or None in numbers or len(numbers) != len(("year", "month", "day")):
        raise NoValue(f"“{kind}” is of a text, or a date of three whole numbers, that are written out.")
    year, month, day = (number or 0 for number in numbers)
    return literal("date", f"{year:04}-{month:02}-{day:02}") or NULL


def _field(form: str, type_: str = "numeric") -> Callable[[Part], Part]:
    def function(part: Part) -> Part:
        if part == NULL:
            return NULL
        if part.type not in ("date", "timestamptz"):
            raise NoValue("A date, or a date and time, is expected.")
        return Part(form.format(part), type_)

    return function


def _names(words: tuple[str, ...], field: str) -> Callable[[Part], Part]:
    cases = " ".join(f"when {number} then '{word}'" for number, word in enumerate(words, 1))
    return _field(f"(case extract({field} from {{}}) {cases} end)", "text")


def months_between(start: Part, end: Part) -> Part:
    """Return the whole months from one date to another."""
    if NULL in (start, end):
        return NULL
    if {start.type, end.type} != {"date"}:
        raise NoValue("Two dates are expected.")
    age = f"age(({end})::timestamp, ({start})::timestamp)"
    months = f"(extract(year from {age}) * 12 + extract(month from {age}))"
    return Part(f"({months} * interval '1 month')", "interval", True)


FUNCTIONS: dict[str, tuple[str, Callable[..., Value]]] = {
    "date": ("from, month?, day?", _literal("date")),
    "date and time": ("from, time?", _literal("date and time")),
    "time": ("from, minute?, second?, offset?", _literal("time")),
    "duration": ("from", _literal("duration")),
    "years and months duration": ("from, to", months_between),
    "day of year": ("date", _field("extract(doy from {})")),
    "day of week": ("date", _names(_DAYS, "isodow")),
    "month of year": ("date", _names(_MONTHS, "month")),
    "week of year": ("date", _field("extract(week from {})")),
}
