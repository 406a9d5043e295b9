"""Whether all is well: the clock, the reaper and what it cannot do, room on the disk and for numbers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from flows.queries.base import row, rows

# As in the kernel: from here on it starts nothing, and an older report is not believed.
LEAST_SHARE = 0.05
BELIEVED = timedelta(minutes=5)
LAST_NUMBER = 2**31 - 1
MOST_TROUBLES = 20


@dataclass(frozen=True)
class Disk:
    """The last report of the disk that is nearest to full."""

    free: int
    total: int
    reported_at: datetime
    age: timedelta

    @property
    def share(self) -> float:
        """The free part, 0 to 1."""
        return self.free / self.total

    @property
    def believed(self) -> bool:
        """Whether the kernel still goes by it."""
        return self.age < BELIEVED

    @property
    def low(self) -> bool:
        """Whether the kernel starts nothing because of it."""
        return self.believed and self.share < LEAST_SHARE


@dataclass(frozen=True)
class Times:
    """The reaper's last round, None before the first; how far the clock is behind the newest of them."""

    reaped_at: datetime | None
    reaper_age: timedelta | None
    behind: timedelta


def disk() -> Disk | None:
    """What was reported last; None when nobody ever did."""
    found = row("select free, total, reported_at, wedsql.now() - reported_at as age from wedsql.disk")
    return Disk(**found) if found else None


def times() -> Times:
    """The clock as the reaper sees it."""
    found = row(
        "select b.seen_at as reaped_at, wedsql.now() - b.seen_at as reaper_age,"
        " wedsql.clock_behind() as behind"
        " from (values (1)) one left join wedsql.beat b on b.name = 'reaper'"
    )
    return Times(**found) if found else Times(None, None, timedelta(0))


def numbers_used() -> float:
    """The share of the numbers for instances that is given, 0 to 1; where none is left nothing is started."""
    found = row("select coalesce(max(wid), 0) as newest from wedsql.instance")
    return found["newest"] / LAST_NUMBER if found else 0.0


@dataclass(frozen=True)
class Trouble:
    """One thing that the reaper could not do; it tries again. Flow is None where it belongs to no flow."""

    flow: str | None
    kind: str
    wid: int
    times: int
    since: datetime
    sqlstate: str
    message: str


def troubles() -> list[Trouble]:
    """What the reaper could not do, the longest first."""
    found = rows(
        "select f.name as flow, t.kind, t.wid, t.n as times, t.first_at as since, t.sqlstate, t.message"
        " from wedsql.trouble t left join wedsql.flow f on f.id = t.flow_id"
        " order by t.first_at, t.flow_id, t.wid limit %s",
        (MOST_TROUBLES,),
    )
    return [Trouble(**each) for each in found]


def trouble_counts() -> list[tuple[str, str, int]]:
    """Flow (empty where it belongs to none), kind and how many things of it the reaper could not do."""
    found = rows(
        "select coalesce(f.name, '') as flow, t.kind, count(*) as n"
        " from wedsql.trouble t left join wedsql.flow f on f.id = t.flow_id group by 1, 2 order by 1, 2"
    )
    return [(each["flow"], each["kind"], each["n"]) for each in found]
