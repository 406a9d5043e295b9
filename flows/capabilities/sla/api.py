"""SLAs: the time within which something of an instance must be done, by calendars of working time.

The reaper keeps the clocks of SLAs from the history (`advance_slas`), those of the past included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from flows.statements import JSON, read_as, rows, value

STATES = ("running", "at_risk", "paused", "breached", "met", "cancelled")


@dataclass(frozen=True)
class Calendar:
    """When people work: ranges of local time such as ["09:00", "17:00"] by weekday ("1" is Monday).

    `holidays` has names by day, such as {"2026-12-25": "Christmas"}.
    """

    name: str
    zone: str
    hours: Mapping[str, Sequence[Sequence[str]]]
    holidays: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SavedCalendar(Calendar):
    """A calendar as it is saved; `used_by` are the names of the SLAs that use it."""

    id: int = 0
    flow: str = ""
    revision: int = 1
    changed_by: str = ""
    changed_at: datetime | None = None
    used_by: Sequence[str] = ()


@dataclass(frozen=True)
class Sla:
    """An SLA: its conditions are SQL predicates over the attributes, and `duration` is in seconds.

    Without `start_when` the clock starts with the instance, without `stop_when` it stops when the instance
    ends, without `pause_when` it is paused only while the instance is suspended. `calendar` is a name;
    without one all the time counts.
    """

    name: str
    duration: float
    start_when: str = ""
    stop_when: str = ""
    pause_when: str = ""
    calendar: str = ""
    enabled: bool = True


@dataclass(frozen=True)
class SavedSla(Sla):
    """An SLA as it is saved; `computed` is the share of instances whose clocks are computed.

    `error` is why they are not.
    """

    id: int = 0
    flow: str = ""
    revision: int = 1
    changed_by: str = ""
    changed_at: datetime | None = None
    computed: float = 0
    error: str | None = None


@dataclass(frozen=True)
class Clock:
    """A clock of an SLA in one instance; times are in seconds. `state` is one of STATES.

    `last` is false for a clock after which the same SLA started again. `due_at` is None while it is paused.
    """

    sla: str
    calendar: str
    zone: str
    state: str
    duration: float
    used: float
    started_at: datetime
    started_seq: int
    due_at: datetime | None
    breached_at: datetime | None
    paused_at: datetime | None
    stopped_at: datetime | None
    last: bool


def save_sla(flow: str, sla: Sla, actor: str, replaced: int | None = None, *, conn: Any = None) -> SavedSla:
    """Save an SLA, which replaces the one of that number.

    Raises UnknownFlow, PredicateRefused, PredicateType, BadSla, UnknownSla.
    """
    call = "select wedsql.save_sla(%s, %s, %s, %s)"
    return read_as(SavedSla, value(conn, call, (flow, _given(Sla, sla), actor, replaced)))


def delete_sla(flow: str, sla: int, actor: str | None = None, *, conn: Any = None) -> None:
    """Remove an SLA with its clocks. Raises UnknownFlow, UnknownSla."""
    value(conn, "select wedsql.delete_sla(%s, %s, %s)", (flow, sla, actor))


def list_slas(flows: Sequence[str] | None = None, *, conn: Any = None) -> list[SavedSla]:
    """Return the SLAs of these flows, or of all."""
    names = None if flows is None else list(flows)
    return [
        read_as(SavedSla, found) for (found,) in rows(conn, "select wedsql.list_slas(%s::text[])", (names,))
    ]


def list_clocks(wid: int, *, conn: Any = None) -> list[Clock]:
    """Return the clocks of an instance, of SLAs that are enabled, at most 100: the present ones first."""
    return [read_as(Clock, found) for (found,) in rows(conn, "select wedsql.list_clocks(%s)", (wid,))]


def save_calendar(
    flow: str, calendar: Calendar, actor: str, replaced: int | None = None, *, conn: Any = None
) -> SavedCalendar:
    """Save a calendar of a flow, which replaces the one of that number.

    Raises UnknownFlow, BadSla, UnknownSla.
    """
    call = "select wedsql.save_calendar(%s, %s, %s, %s)"
    return read_as(SavedCalendar, value(conn, call, (flow, _given(Calendar, calendar), actor, replaced)))


def delete_calendar(flow: str, calendar: int, actor: str | None = None, *, conn: Any = None) -> None:
    """Remove a calendar that no SLA uses. Raises UnknownFlow, BadSla, UnknownSla."""
    value(conn, "select wedsql.delete_calendar(%s, %s, %s)", (flow, calendar, actor))


def list_calendars(flows: Sequence[str] | None = None, *, conn: Any = None) -> list[SavedCalendar]:
    """Return the calendars of these flows, or of all."""
    names = None if flows is None else list(flows)
    found = rows(conn, "select wedsql.list_calendars(%s::text[])", (names,))
    return [read_as(SavedCalendar, each) for (each,) in found]


def working_time(flow: str, calendar: str, start: datetime, end: datetime, *, conn: Any = None) -> timedelta:
    """Return the working time between two instants; without a calendar all of it.

    Raises UnknownFlow, BadSla.
    """
    call = "select wedsql.working_time(%s, %s, %s::timestamptz, %s::timestamptz)"
    found: timedelta = value(conn, call, (flow, calendar, start, end))
    return found


def after_working_time(
    flow: str, calendar: str, start: datetime, time: timedelta, *, conn: Any = None
) -> datetime:
    """Return the first instant at which so much working time has passed. Raises UnknownFlow, BadSla."""
    call = "select wedsql.after_working_time(%s, %s, %s::timestamptz, %s::interval)"
    found: datetime = value(conn, call, (flow, calendar, start, time))
    return found


def advance_slas(limit: int = 2_000, *, conn: Any = None) -> dict[str, Any] | None:
    """Advance clocks by about `limit` steps; return what was done and whether there is `more`.

    None while another session does it. For the reaper.
    """
    found: dict[str, Any] | None = value(conn, "select wedsql.advance_slas(%s)", (limit,))
    return found


def _given(kind: type, one: Sla | Calendar) -> Any:
    """Return the fields of an SLA or a calendar that clients give, without those of the kernel."""
    return JSON({name: each for name, each in asdict(one).items() if name in kind.__dataclass_fields__})  # type: ignore[attr-defined]
