"""Calendars: working time compared with a count of minutes, over changes of daylight saving time."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from flows import api
from flows.capabilities.sla.api import Calendar, Sla
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel

OFFICE = {str(day): [["09:00", "12:30"], ["13:30", "18:00"]] for day in range(1, 6)}
# Ranges over the hours in which clocks change: at midnight in São Paulo, at two or three in Berlin.
NIGHT = {str(day): [["00:00", "00:30"], ["01:15", "02:30"], ["02:45", "03:15"], ["23:10", "24:00"]]
         for day in (1, 6, 7)}  # fmt: skip
MINUTE = timedelta(minutes=1)


def works(calendar: Calendar, at: datetime) -> bool:
    """Return whether an instant is working time, by its local time."""
    local = at.astimezone(ZoneInfo(calendar.zone))
    if local.date().isoformat() in calendar.holidays:
        return False
    clock = local.strftime("%H:%M")
    return any(low <= clock < high for low, high in calendar.hours.get(str(local.isoweekday()), ()))


def minutes(calendar: Calendar, start: datetime, end: datetime) -> list[datetime]:
    """Return the minutes of working time from `start`, one by one."""
    count = int((end - start) / MINUTE)
    return [at for at in (start + MINUTE * n for n in range(count)) if works(calendar, at)]


@pytest.mark.parametrize(
    ("zone", "hours", "day"),
    [
        # Midnight comes twice on 18 February, and there is none on 4 November.
        ("America/Sao_Paulo", NIGHT, datetime(2018, 2, 16, tzinfo=UTC)),
        ("America/Sao_Paulo", NIGHT, datetime(2018, 11, 2, tzinfo=UTC)),
        ("Europe/Berlin", NIGHT, datetime(2026, 3, 27, tzinfo=UTC)),
        ("Europe/Berlin", NIGHT, datetime(2026, 10, 23, tzinfo=UTC)),
        ("Asia/Kolkata", OFFICE, datetime(2026, 5, 1, tzinfo=UTC)),
        ("Australia/Lord_Howe", NIGHT, datetime(2026, 4, 3, tzinfo=UTC)),  # by half an hour
    ],
)
def test_working_time_is_the_count_of_its_minutes(kit: Kit, zone: str, hours: Any, day: datetime) -> None:
    holiday = (day + timedelta(days=3)).date().isoformat()  # a Monday
    calendar = Calendar("c", zone, hours, {holiday: "Holiday"} if hours is OFFICE else {})
    api.sla.save_calendar(kit.name, calendar, "olga", conn=kit.conn)
    end = day + timedelta(days=5)
    expected = minutes(calendar, day, end)
    assert api.sla.working_time(kit.name, "c", day, end, conn=kit.conn) == MINUTE * len(expected)
    chosen = random.Random(zone)  # noqa: S311 - no secret depends on it
    for _ in range(8):
        low, high = sorted(day + MINUTE * chosen.randrange(5 * 1440) for _ in range(2))
        passed = [at for at in expected if low <= at < high]
        assert api.sla.working_time(kit.name, "c", low, high, conn=kit.conn) == MINUTE * len(passed)
        left = [at for at in expected if at >= low]
        wanted = chosen.randrange(1, len(left)) if len(left) > 1 else 0
        due = left[wanted - 1] + MINUTE if wanted else low
        # In UTC, because no instant equals one that is in the hour that another zone has twice.
        found = api.sla.after_working_time(kit.name, "c", low, MINUTE * wanted, conn=kit.conn)
        assert found.astimezone(UTC) == due


def test_all_the_time_counts_without_a_calendar(kit: Kit) -> None:
    start = datetime(2026, 3, 28, 12, tzinfo=UTC)
    day = timedelta(days=1)
    assert api.sla.working_time(kit.name, "", start, start + day, conn=kit.conn) == day
    assert api.sla.working_time(kit.name, "", start + day, start, conn=kit.conn) == timedelta()
    assert api.sla.after_working_time(kit.name, "", start, day, conn=kit.conn) == start + day


def test_spans_follow_each_other_and_reach_ten_years_ahead(kit: Kit) -> None:
    found = api.sla.save_calendar(kit.name, Calendar("c", "Europe/Berlin", NIGHT), "olga", conn=kit.conn)
    kit.rows("delete from wedsql.calendar_span where calendar_id = %s and from_at > wedsql.now()", [found.id])
    kit.rows("select wedsql.maintain()")
    spans = kit.rows("select from_at, to_at, before from wedsql.calendar_span where calendar_id = %s"
                     " order by from_at", [found.id])  # fmt: skip
    assert spans[-1].to_at > datetime.now(UTC) + timedelta(days=3650)
    for one, other in pairwise(spans):
        assert one.to_at <= other.from_at and one.before + (one.to_at - one.from_at) == other.before


def test_a_time_that_a_calendar_does_not_have_is_rejected(kit: Kit) -> None:
    api.sla.save_calendar(kit.name, Calendar("c", "UTC", {"7": [["09:00", "09:01"]]}), "olga", conn=kit.conn)
    with refused("WD512"):
        api.sla.after_working_time(kit.name, "c", datetime.now(UTC), timedelta(hours=12), conn=kit.conn)
    with refused("WD512") as why:
        api.sla.save(kit.name, Sla("s", 43_200, calendar="c"), "olga", conn=kit.conn)
    assert "working time" in why.message


@pytest.mark.parametrize(
    "changed",
    [
        {"name": ""},
        {"name": "x" * 81},
        {"zone": "Europe/Atlantis"},
        {"zone": "FOO+3"},
        {"zone": ""},
        {"hours": {}},
        {"hours": {"8": [["09:00", "10:00"]]}},
        {"hours": {"1": "09:00-10:00"}},
        {"hours": {"1": [["10:00", "09:00"]]}},
        {"hours": {"1": [["09:00", "25:00"]]}},
        {"hours": {"1": [["09:00", "11:00"], ["10:00", "12:00"]]}},
        {"hours": {"1": [["09:00"]]}},
        {"hours": {"1": [["09:00", "10:00", "x"]]}},
        {"hours": {"1": [[9, 10]]}},
        {"hours": {"1": [["09:00'; drop table wedsql.sla", "10:00"]]}},
        {"hours": {"1": [[f"0{n}:00", f"0{n}:30"] for n in range(9)]}},
        {"holidays": {"2026-02-30": "x"}},
        {"holidays": {"25.12.2026": "x"}},
        {"holidays": {"2026-12-25": 1}},
        {"holidays": {"2026-12-25": "x" * 81}},
    ],
)
def test_a_calendar_that_makes_no_sense_is_rejected(kit: Kit, changed: dict[str, Any]) -> None:
    given = {"name": "c", "zone": "UTC", "hours": OFFICE, "holidays": {}} | changed
    with refused("WD512"):
        api.sla.save_calendar(kit.name, Calendar(**given), "olga", conn=kit.conn)
    assert api.sla.list_calendars([kit.name], conn=kit.conn) == []


def test_a_calendar_is_removed_when_no_sla_uses_it(kit: Kit) -> None:
    kit.attrs("a")
    calendar = api.sla.save_calendar(kit.name, Calendar("c", "UTC", OFFICE), "olga", conn=kit.conn)
    with refused("WD512"):
        api.sla.save_calendar(kit.name, Calendar(" c ", "UTC", OFFICE), "olga", conn=kit.conn)
    sla = api.sla.save(kit.name, Sla("s", 3600, calendar="c"), "olga", conn=kit.conn)
    assert api.sla.list_calendars([kit.name], conn=kit.conn)[0].used_by == ["s"]
    with refused("WD512"):
        api.sla.delete_calendar(kit.name, calendar.id, conn=kit.conn)
    api.sla.delete(kit.name, sla.id, conn=kit.conn)
    api.sla.delete_calendar(kit.name, calendar.id, conn=kit.conn)
    with refused("WD513"):
        api.sla.delete_calendar(kit.name, calendar.id, conn=kit.conn)
