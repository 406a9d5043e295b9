"""Times as timers have them: ISO 8601 durations and moments, and FEEL's functions of them."""

from __future__ import annotations

import re
from datetime import datetime

from flows.languages.bpmn.expressions import bare

_DURATION = re.compile(r"P(?=.)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?")
_CYCLE = re.compile(r"R(\d*)/(.+)")
_VALUE = r"""\s*(?:"([^"]*)"|'([^']*)')\s*"""
_SPAN = rf"duration\s*\({_VALUE}\)"
_LITERALS = {
    "duration": re.compile(rf"{_SPAN}|{_VALUE}"),
    "date": re.compile(rf"date\s+and\s+time\s*\({_VALUE}\)|{_VALUE}"),
    "cycle": re.compile(_VALUE),
}
_FROM_NOW = re.compile(rf"now\s*\(\s*\)\s*\+\s*{_SPAN}")
_CYCLES = re.compile(rf"cycle\s*\(\s*(?:(\d{{1,6}})\s*,\s*)?{_SPAN}\s*\)")
_OFFSET = re.compile(rf"([A-Za-z_]\w*)(?:\s*([+-])\s*{_SPAN})?", re.ASCII)
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


def simplified(form: str, text: str) -> tuple[str, str]:
    """Return form and text of a time as ISO 8601 has it, if an expression needs no attribute for it.

    `=duration("PT15M")` is PT15M, `=cycle(3, duration("PT1H"))` is R3/PT1H, and a moment `=now() + ...` is a
    duration.
    """
    inner, before = bare(text)
    inner = inner.strip()
    if not before:
        return form, text
    found = _LITERALS[form].fullmatch(inner)
    if found is not None:
        return form, _value(found)
    if form == "date" and (found := _FROM_NOW.fullmatch(inner)) is not None:
        return "duration", _value(found)
    if form == "cycle" and (found := _CYCLES.fullmatch(inner)) is not None:
        return form, f"R{found[1] or ''}/{found[2] or found[3]}"
    return form, text


def offset(text: str) -> tuple[str, str] | None:
    """Return attribute and interval of a moment such as `=due - duration("PT1H")`; None if it is none."""
    found = _OFFSET.fullmatch(bare(text)[0].strip())
    if found is None or (found[2] and not is_duration(_value(found, 3))):
        return None
    span = _value(found, 3)
    return found[1].lower(), re.sub(r"(?<![\d.])(?=\d)", "-", span) if found[2] == "-" else span


def _value(found: re.Match[str], first: int = 1) -> str:
    """Return the text in quotes, of either kind."""
    return next((each for each in found.groups()[first - 1 :] if each is not None), "")


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
