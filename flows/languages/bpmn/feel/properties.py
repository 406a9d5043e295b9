"""Properties of dates, moments and durations, such as `due.year`."""

from __future__ import annotations

from flows.languages.bpmn.feel.lists import NULL, NoValue
from flows.languages.bpmn.feel.values import Part

_DATES = {"year": "year", "month": "month", "day": "day", "weekday": "isodow"}
_TIMES = {"hour": "hour", "minute": "minute", "second": "second"}
_DAYS = {
    "days": "trunc({} / 86400)",
    "hours": "trunc(({} % 86400) / 3600)",
    "minutes": "trunc(({} % 3600) / 60)",
    "seconds": "({} % 60)",
}
_MONTHS = {"years": "year", "months": "month"}


def property_of(of: Part, key: str) -> Part:
    """Return a property of a value, a number. Raises NoValue for another one."""
    if of == NULL:
        return NULL
    dates = of.type in ("date", "timestamptz") and _DATES.get(key)
    times = of.type in ("time", "timestamptz") and _TIMES.get(key)
    months = of.type == "interval" and of.months is not False and _MONTHS.get(key)
    for field in (dates, times, months):
        if field:
            return Part(f"extract({field} from {of})", "numeric")
    if of.type == "interval" and of.months is not True and key in _DAYS:
        return Part(_DAYS[key].format(f"extract(epoch from {of})"), "numeric")
    raise NoValue(f"A value of type {of.type or 'unknown'} has no part “{key[:40]}” here.")
