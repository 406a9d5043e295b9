"""Times as timers have them: ISO 8601 durations and moments."""

from __future__ import annotations

import re
from datetime import datetime

_DURATION = re.compile(r"P(?=.)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?")
_CYCLE = re.compile(r"R(\d*)/(.+)")
_REPEATED = re.compile(r"(R\d{0,6})/(?:(.+)/)?(P[^/.]+)")


def is_duration(text: str) -> bool:
    """Return whether a text is a duration, such as PT15M."""
    return _DURATION.fullmatch(text) is not None


def is_moment(text: str) -> bool:
    """Return whether a text is a moment with its time zone, such as 2026-06-01T12:00:00Z."""
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def cycle(text: str) -> tuple[int, str] | None:
    """Return how often a cycle such as R3/PT1H repeats (0: no limit) and its duration; None if it is none."""
    found = _CYCLE.fullmatch(text)
    if found is None or not is_duration(found[2]):
        return None
    return int(found[1] or 0), found[2]


def start(form: str, text: str) -> str | None:
    """Return the time of a start event as an option of the flow, None if it is none; form as in Trigger."""
    if form == "date":
        return text if is_moment(text) else None
    found = _REPEATED.fullmatch(f"R1/{text}" if form == "duration" else text)
    if found is None or not is_duration(found[3]):
        return None
    if found[2] and (form == "duration" or not is_moment(found[2])):
        return None
    return found[0]
