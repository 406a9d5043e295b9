"""Health of the installation: clock, reaper and its failures, free disk space, free instance numbers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from flows.queries.base import row, rows

# As in the kernel, which starts no instance below this share, and ignores older reports.
MIN_FREE_SHARE = 0.05
MAX_REPORT_AGE = timedelta(minutes=5)
LAST_NUMBER = 2**31 - 1
MAX_TROUBLES = 20
MOST_ROLES = 1000


@dataclass(frozen=True)
class Disk:
    """The last report; of several disks of the database, the one nearest to full."""

    free: int
    total: int
    reported_at: datetime
    age: timedelta

    @property
    def share(self) -> float:
        """Return the free share of the disk, 0 to 1."""
        return self.free / self.total

    @property
    def recent(self) -> bool:
        """Return whether the report is recent enough for the kernel to use it."""
        return self.age < MAX_REPORT_AGE

    @property
    def low(self) -> bool:
        """Return whether the kernel starts no instances because of it."""
        return self.recent and self.share < MIN_FREE_SHARE


@dataclass(frozen=True)
class Times:
    """The time and age of the reaper's last run, None before the first; how far the clock is behind."""

    reaped_at: datetime | None
    reaper_age: timedelta | None
    behind: timedelta


def disk() -> Disk | None:
    """Return the last report, None if there is none."""
    found = row("select free, total, reported_at, wedsql.now() - reported_at as age from wedsql.disk")
    return Disk(**found) if found else None


def times() -> Times:
    """Return the reaper's last run and how far the clock is behind."""
    found = row(
        "select b.seen_at as reaped_at, wedsql.now() - b.seen_at as reaper_age,"
        " wedsql.clock_behind() as behind"
        " from (values (1)) one left join wedsql.beat b on b.name = 'reaper'"
    )
    return Times(**found) if found else Times(None, None, timedelta(0))


def numbers_used() -> float:
    """Return the used share of instance numbers, 0 to 1; when all are used no instance can be started."""
    found = row("select coalesce(max(wid), 0) as newest from wedsql.instance")
    return found["newest"] / LAST_NUMBER if found else 0.0


def commits_waiting() -> int:
    """Return how many sessions have waited for seconds for a standby to confirm their commit."""
    found = row("select wedsql.commits_waiting() as n")
    return int(found["n"]) if found else 0


@dataclass(frozen=True)
class Trouble:
    """One failed operation of the reaper, which it repeats; `flow` is None if it concerns no flow."""

    flow: str | None
    kind: str
    wid: int
    times: int
    since: datetime
    sqlstate: str
    message: str


def troubles() -> list[Trouble]:
    """Return the operations that failed in the reaper, the oldest first."""
    found = rows(
        "select f.name as flow, t.kind, t.wid, t.n as times, t.first_at as since, t.sqlstate, t.message"
        " from wedsql.trouble t left join wedsql.flow f on f.id = t.flow_id"
        " order by t.first_at, t.flow_id, t.wid limit %s",
        (MAX_TROUBLES,),
    )
    return [Trouble(**each) for each in found]


def task_roles() -> list[tuple[str, str]]:
    """Return the roles whose users perform tasks, with the flows of these, up to 1,000 pairs."""
    found = rows(
        "select distinct t.role, f.name from wedsql.trig t join wedsql.flow f on f.id = t.flow_id"
        " where t.performer = 'person' and t.enabled and t.role <> '' order by 1, 2 limit %s",
        (MOST_ROLES,),
    )
    return [(str(each["role"]), str(each["name"])) for each in found]


def trouble_counts() -> list[tuple[str, str, int]]:
    """Return flow (empty if none), kind and number of the operations that failed in the reaper."""
    found = rows(
        "select coalesce(f.name, '') as flow, t.kind, count(*) as n"
        " from wedsql.trouble t left join wedsql.flow f on f.id = t.flow_id group by 1, 2 order by 1, 2"
    )
    return [(each["flow"], each["kind"], each["n"]) for each in found]
