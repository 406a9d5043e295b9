"""The forms of an SLA and of a calendar."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from flows.capabilities.sla import working_hours
from flows.capabilities.sla.api import Calendar, SavedCalendar, SavedSla, Sla
from flows.capabilities.sla.working_hours import DAYS, compact
from flows.errors import BadSla

__all__ = ["WEEK", "calendar_of", "compact", "given", "of_calendar", "of_sla", "sla_of"]

LONGEST = 100_000
CONDITIONS = ("start_when", "stop_when", "pause_when")
WEEK = tuple(
    zip(
        (f"day{day}" for day in DAYS),
        (
            gettext_lazy("Monday"), gettext_lazy("Tuesday"), gettext_lazy("Wednesday"),
            gettext_lazy("Thursday"), gettext_lazy("Friday"), gettext_lazy("Saturday"),
            gettext_lazy("Sunday"),
        ),
        strict=True,
    )
)  # fmt: skip


def given(form: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that were sent, without the character NUL."""
    return {name: value.replace("\x00", "")[:LONGEST].strip() for name, value in form.items()}


def of_sla(sla: SavedSla | None) -> dict[str, str]:
    """Return the fields of an SLA, or of a new one."""
    if sla is None:
        return {"time": "4h", "enabled": "on"}
    texts = {name: str(getattr(sla, name)) for name in ("name", "calendar", *CONDITIONS)}
    return texts | {"time": compact(sla.duration), "enabled": "on" if sla.enabled else ""}


def sla_of(fields: Mapping[str, str]) -> Sla:
    """Return the SLA that the fields describe. Raises BadSla."""
    try:
        duration = working_hours.seconds(fields.get("time", ""))
    except ValueError:
        raise BadSla(_("The time of an SLA is a duration such as 4h, 1h30m or 2d.")) from None
    start, stop, pause = (fields.get(name, "") for name in CONDITIONS)
    enabled = bool(fields.get("enabled"))
    return Sla(fields.get("name", ""), duration, start, stop, pause, fields.get("calendar", ""), enabled)


def of_calendar(calendar: SavedCalendar | None) -> dict[str, str]:
    """Return the fields of a calendar, or of a new one, in which people work from nine to five."""
    if calendar is None:
        return {"zone": "UTC"} | {f"day{day}": "09:00-17:00" for day in DAYS[:5]}
    hours = {f"day{day}": working_hours.shown(calendar.hours.get(day, ())) for day in DAYS}
    holidays = working_hours.holiday_lines(calendar.holidays)
    return {"name": calendar.name, "zone": calendar.zone, "holidays": holidays} | hours


def calendar_of(fields: Mapping[str, str]) -> Calendar:
    """Return the calendar that the fields describe. Raises BadSla."""
    try:
        hours = {day: working_hours.ranges(fields.get(f"day{day}", "")) for day in DAYS}
        holidays = working_hours.holidays(fields.get("holidays", "").splitlines())
    except ValueError as wrong:
        said = _("“%(part)s” cannot be read; write 09:00-12:30, 13:30-18:00, or 2026-12-25 Christmas.")
        raise BadSla(said % {"part": wrong}) from None
    return Calendar(fields.get("name", ""), fields.get("zone", ""), hours, holidays)
