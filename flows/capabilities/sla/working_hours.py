"""Texts of working hours, holidays and durations of SLAs, as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC

from flows.filters.values import duration

DAYS = ("1", "2", "3", "4", "5", "6", "7")
_RANGE = re.compile(r"(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})", re.ASCII)
_WEEK = re.compile(r"([1-7])(?:-([1-7]))?\s+(.+)", re.ASCII)
_HOLIDAY = re.compile(r"(\d{4}-\d{2}-\d{2})[\s=]+(\S.*)", re.ASCII)


def ranges(text: str) -> list[list[str]]:
    """Return the ranges of a text such as 09:00-12:30, 13:30-18:00. Raises ValueError with the part."""
    found = []
    for part in filter(None, (each.strip() for each in text.split(","))):
        match = _RANGE.fullmatch(part)
        if not match:
            raise ValueError(part[:80])
        start, start_minute, end, end_minute = match.groups()
        found.append([f"{start:0>2}:{start_minute}", f"{end:0>2}:{end_minute}"])
    return found


def shown(hours: Sequence[Sequence[str]]) -> str:
    """Return ranges as a text."""
    return ", ".join(f"{low}-{high}" for low, high in hours)


def week(texts: Iterable[str]) -> dict[str, list[list[str]]]:
    """Return the hours of texts such as 1-5 09:00-17:00, where 1 is Monday. Raises ValueError."""
    found: dict[str, list[list[str]]] = {}
    for text in texts:
        match = _WEEK.fullmatch(text.strip())
        if not match:
            raise ValueError(text[:80])
        for day in range(int(match[1]), int(match[2] or match[1]) + 1):
            found.setdefault(str(day), []).extend(ranges(match[3]))
    return found


def holidays(lines: Iterable[str]) -> dict[str, str]:
    """Return the holidays of lines such as 2026-12-25 Christmas. Raises ValueError with the line."""
    found = {}
    for line in filter(None, (each.strip() for each in lines)):
        match = _HOLIDAY.fullmatch(line)
        if not match:
            raise ValueError(line[:80])
        found[match[1]] = match[2].strip()
    return found


def holiday_lines(given: Mapping[str, str]) -> str:
    """Return holidays as lines, in order."""
    return "\n".join(f"{day} {name}" for day, name in sorted(given.items()))


def seconds(text: str) -> float:
    """Return the seconds of a duration such as 4h or 1h30m. Raises ValueError."""
    return duration(text.strip(), UTC).total_seconds()


def compact(total: float) -> str:
    """Return seconds as a duration that `seconds` reads."""
    left, parts = round(total), []
    for unit, size in (("h", 3600), ("m", 60), ("s", 1)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
