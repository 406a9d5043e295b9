"""Cron expressions as repetitions of ISO 8601: those of days, hours, minutes and seconds, in UTC."""

from __future__ import annotations

from itertools import product

_DAYS = {name: number for number, name in enumerate(("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"))}
_EVERY = frozenset({"*", "?", "1/1", "0/1", "*/1"})
_MOST = 20  # times at which instances of a flow start
_SUNDAY = 4  # 4 January 2026 is one; the first moment of each repetition is in that week
_MACROS = {
    "@hourly": "0 0 * * * *",
    "@daily": "0 0 0 * * *",
    "@midnight": "0 0 0 * * *",
    "@weekly": "0 0 0 * * 0",
}


def repetitions(text: str) -> list[str]:
    """Return the repetitions that a cron expression says, empty for what is none or has too many.

    It has five fields, or six or seven with the seconds first, as Quartz and Spring write them. Months and
    days of the month cannot be chosen: their repetitions have no constant length.
    """
    fields = _MACROS.get(text.strip().lower(), text).upper().split()
    if len(fields) == 5:
        quartz, fields = False, ["0", *fields]
    else:
        quartz = "?" in fields or len(fields) == 7
    if len(fields) == 7 and fields.pop() not in _EVERY:
        return []
    if len(fields) != 6 or not {fields[3], fields[4]} <= _EVERY:
        return []
    days = [] if fields[5] in _EVERY else _values(_numbered(fields[5], quartz=quartz), 0, 7)
    clock = [_values(field, 0, last) for field, last in zip(fields[2::-1], (23, 59, 59), strict=True)]
    if not all(clock) or (fields[5] not in _EVERY and not days):
        return []
    return _written(clock[0], clock[1], clock[2], sorted({day % 7 for day in days}))


def _written(hours: list[int], minutes: list[int], seconds: list[int], days: list[int]) -> list[str]:
    """Return the repetitions of times of the day: of days, or of hours or minutes where all are meant."""
    if days:
        every, parts = (
            "P1W",
            [(_SUNDAY + day, *rest) for day, *rest in product(days, hours, minutes, seconds)],
        )
    elif len(hours) < 24:
        every, parts = "P1D", [(_SUNDAY, *each) for each in product(hours, minutes, seconds)]
    elif len(minutes) < 60:
        step = _step(minutes, 60)
        every, parts = "PT1H", [(_SUNDAY, 0, m, s) for m, s in product(minutes, seconds)]
        if step and len(seconds) == 1:
            every, parts = f"PT{step}M", [(_SUNDAY, 0, minutes[0], seconds[0])]
    else:
        step = _step(seconds, 60)
        every, parts = "PT1M", [(_SUNDAY, 0, 0, s) for s in seconds]
        if step:
            every, parts = f"PT{step}S", [(_SUNDAY, 0, 0, seconds[0])]
    if len(parts) > _MOST:
        return []
    return [f"R/2026-01-{d:02}T{h:02}:{m:02}:{s:02}Z/{every}" for d, h, m, s in parts]


def _step(values: list[int], size: int) -> int:
    """Return the distance of values that are evenly apart, over the border of their size too; 0 for none."""
    gaps = {after - before for before, after in zip(values, [*values[1:], values[0] + size], strict=True)}
    return gaps.pop() if len(gaps) == 1 and len(values) > 1 else 0


def _numbered(field: str, *, quartz: bool) -> str:
    """Return the field of days of the week with numbers from 0 for Sunday, which Quartz counts from 1."""
    found = field
    for name, number in _DAYS.items():
        found = found.replace(name, str(number + quartz))
    if not quartz:
        return found
    parts = [part.partition("/") for part in found.split(",")]
    return ",".join(
        "-".join(str(int(n) - 1) if n.isdigit() else n for n in part[0].split("-")) + part[1] + part[2]
        for part in parts
    )


def _values(field: str, first: int, last: int) -> list[int]:
    """Return the numbers of a field; empty where it is not understood."""
    found: set[int] = set()
    for part in field.split(","):
        span, _slash, step = part.partition("/")
        low, _dash, high = span.partition("-")
        if span == "*" or span == "?":
            low, high = str(first), str(last)
        elif step and not high:
            high = str(last)
        numbers = (low, high or low, step or "1")
        if not all(each.isdecimal() and len(each) < 4 for each in numbers) or int(numbers[2]) < 1:
            return []
        if not first <= int(numbers[0]) <= int(numbers[1]) <= last:
            return []
        found |= {*range(int(numbers[0]), int(numbers[1]) + 1, int(numbers[2]))}
    return sorted(found)
