"""Times as timers have them: in the notation of ISO 8601, or FEEL's functions of them."""

from __future__ import annotations

import re

from flows.languages.bpmn.crons import repetitions
from flows.languages.bpmn.expressions import bare
from flows.languages.bpmn.iso import (
    cycle,
    cycle_has_zone_name,
    day,
    has_zone_name,
    is_duration,
    moment,
)

_SHOWN = 120  # characters of a text in a problem
_VALUE = r"""\s*(?:"([^"]*)"|'([^']*)')\s*"""
_SPAN = rf"duration\s*\({_VALUE}\)"
_LITERALS = {
    "duration": re.compile(rf"{_SPAN}|{_VALUE}"),
    "date": re.compile(rf"date\s+and\s+time\s*\({_VALUE}\)|{_VALUE}"),
    "cycle": re.compile(_VALUE),
}
_FOREIGN = {"ms": 0.001, "milliseconds": 0.001, "s": 1, "seconds": 1, "m": 60, "minutes": 60, "h": 3_600,
            "hours": 3_600, "d": 86_400, "days": 86_400, "weeks": 604_800}  # fmt: skip
"""The seconds of the units that durations of jBPM, and of Python's `timedelta`, have."""
_JBPM = re.compile(
    r"(?=\d)(?:\d{1,9}d\s*)?(?:\d{1,9}h\s*)?(?:\d{1,9}m\s*)?(?:\d{1,9}s\s*)?(?:\d{1,9}(?:ms)?)?", re.ASCII
)
_PYTHON = re.compile(r"(?:datetime\.)?timedelta\(((?:\s*[a-z]+\s*=\s*\d{1,9}\s*,?)+)\)", re.ASCII)
_FROM_NOW = re.compile(rf"now\s*\(\s*\)\s*\+\s*{_SPAN}")
_CYCLES = re.compile(rf"cycle\s*\(\s*(?:(\d{{1,6}})\s*,\s*)?{_SPAN}\s*\)")
_OFFSET = re.compile(rf"([A-Za-z_]\w*)(?:\s*([+-])\s*{_SPAN})?", re.ASCII)


def simplified(form: str, text: str) -> tuple[str, str]:
    """Return form and text of a time as ISO 8601 has it, if an expression needs no attribute for it.

    `=duration("PT15M")` is PT15M, `=cycle(3, duration("PT1H"))` is R3/PT1H, and a moment `=now() + ...` is a
    duration.
    """
    inner, before = bare(text)
    inner = inner.strip()
    if not before:
        quoted = re.fullmatch(_VALUE, inner)  # as programs write a text
        return (form, _value(quoted)) if quoted is not None else _foreign(form, inner) or (form, text)
    found = _LITERALS[form].fullmatch(inner)
    if found is not None:
        return form, _value(found)
    if form == "date" and (found := _FROM_NOW.fullmatch(inner)) is not None:
        return "duration", _value(found)
    if form == "cycle" and (found := _CYCLES.fullmatch(inner)) is not None:
        return form, f"R{found[1] or ''}/{found[2] or found[3]}"
    return form, text


def _foreign(form: str, text: str) -> tuple[str, str] | None:
    """Return a time in the notation of jBPM or of Python: 1000 are milliseconds, 1s###2s is a cycle."""
    first, _mark, every = text.partition("###")
    if form == "cycle" and (every or _span(first)):
        span = _span(every or first)
        return (form, f"R/{span}") if span else None
    span = _span(text)
    return ("duration", span) if form == "duration" and span else None


def _span(text: str) -> str:
    """Return such a duration as ISO 8601 has it; empty for another text."""
    python = _PYTHON.fullmatch(text)
    if python is None and (not text or not _JBPM.fullmatch(text)):
        return ""
    pairs = re.findall(r"(\w+)\s*=\s*(\d+)", python[1]) if python else _jbpm_parts(text)
    if any(unit not in _FOREIGN for unit, _number in pairs):
        return ""
    seconds = sum(_FOREIGN[unit] * int(number) for unit, number in pairs)
    return f"PT{seconds:.3f}".rstrip("0").rstrip(".") + "S"


def _jbpm_parts(text: str) -> list[tuple[str, str]]:
    return [(unit or "ms", number) for number, unit in re.findall(r"(\d+)(ms|[dhms])?", text)]


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


def starts(form: str, text: str) -> list[str]:
    """Return the times of a start event as an option of the flow, none if it has none; form as in Trigger.

    A cron expression may be several times.
    """
    if form == "date":
        found = moment(text)
        return [] if found is None or "." in found else [found]
    repeated = cycle(f"R1/{text}" if form == "duration" and is_duration(text) else text)
    if repeated is not None:
        return [repeated.text]
    return repetitions(text) if form == "cycle" else []


def is_read(form: str, text: str, *, begins: bool = False, repeats: bool = False) -> bool:
    """Return whether a text is a time here: of what starts instances, or of an event that can repeat."""
    if begins:
        return bool(starts(form, text))
    found = cycle(text) if form == "cycle" else None
    if found is not None:
        return not (repeats and found.first)
    if form == "duration":
        return is_duration(text)
    return form == "date" and (moment(text) is not None or offset(text) is not None)


def without_offset(form: str, text: str) -> str:
    """Return a moment or a date without an offset from UTC as one of UTC; empty for another text."""
    given = text.strip() if form == "date" else ""
    if not given or moment(given) is not None:
        return ""
    return moment(given, local=True) or (f"{day(given)}T00:00:00Z" if day(given) else "")


def problem(text: str, form: str, *, starts: bool = False, repeats: bool = False) -> str:
    """Return why a text is no time: of what starts instances, or of an event that can repeat or cannot."""
    shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
    if cycle_has_zone_name(text):
        return (
            f"The time of the event “{shown}” is not supported: a cycle follows no clocks of a time zone, so "
            "leave its name out and give the offset from UTC, such as +01:00."
        )
    if has_zone_name(text):
        return (
            f"The time of the event “{shown}” is not supported: the time zone is not known, or its clocks "
            "show this time twice, never, or with another offset; give the offset from UTC, such as +01:00."
        )
    if starts:
        return (
            f"The time of the event “{shown}” is not supported: give a moment such as 2026-06-01T12:00:00Z, "
            "a duration, a cycle such as R/PT1H of at least one second, or a cron expression of days "
            "and times."
        )
    if form == "duration":
        return f"The time of the event “{shown}” is not supported: give a duration such as PT15M."
    if form == "date":
        return (
            f"The time of the event “{shown}” is not supported: give a moment such as 2026-06-01T12:00:00Z, "
            "or an attribute with or without a duration."
        )
    return _no_cycle(shown, repeats=repeats)


def _no_cycle(shown: str, *, repeats: bool) -> str:
    if repeats:
        return (
            f"The time of the event “{shown}” is not supported: give a cycle such as R3/PT1H or R/PT1H "
            "without a first moment, that happens at least once and of at least one second."
        )
    return (
        f"The time of the event “{shown}” is not supported: give a duration or a date; only an event that "
        "does not interrupt has a cycle, R3/PT1H."
    )
