"""What the overview shows of many flows: totals now, the trend of a window, and last week for comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from flows.labels import translate_label
from flows.queries.base import Row, row, rows
from flows.queries.counting import CAP, Count, count, limit
from flows.queries.workers import SILENCE_SECONDS


@dataclass(frozen=True)
class Window:
    """A window of the trend: how long, in steps of what length, from figures of which span."""

    name: str
    length: timedelta
    step: timedelta
    span: str


WINDOWS = {
    "hour": Window("hour", timedelta(hours=1), timedelta(minutes=1), "m"),
    "day": Window("day", timedelta(days=1), timedelta(hours=1), "h"),
    "week": Window("week", timedelta(days=7), timedelta(hours=6), "h"),
}


@dataclass(frozen=True)
class Totals:
    """The numbers of all flows together; times are those of the oldest."""

    running: Count
    exceptions: Count
    pending: Count
    late: Count
    final: Count
    since: datetime
    until: datetime
    oldest_exception: datetime | None
    oldest_wid: int | None
    oldest_job: datetime | None

    @property
    def empty(self) -> bool:
        """Return whether nothing lives, waits, or became final lately."""
        return not (self.running or self.exceptions or self.pending or self.late or self.final)


@dataclass(frozen=True)
class Place:
    """What happened in one step of a trend; times to the final state in seconds, None without any."""

    at: datetime
    until: datetime
    started: int
    finished: int
    exceptions: int
    p50: float | None
    p95: float | None


@dataclass(frozen=True)
class Pace:
    """How many instances of a flow became final in the last hour and in the same hour of last week."""

    hour: int = 0
    last_week: int = 0
    p50: float | None = None
    p95: float | None = None

    @property
    def change(self) -> int:
        return self.hour - self.last_week


# Each flow is looked up in an index, and at most as many rows are read as are counted.
_TOTALS = """
select sum(r.n) as running, sum(e.n) as exceptions, sum(p.n) as pending, sum(p.late + l.n) as late,
       sum(d.n) as final, min(p.oldest) as oldest_job,
       (array_agg(x.fired_at order by x.fired_at) filter (where x.wid is not null))[1] as oldest_exception,
       (array_agg(x.wid order by x.fired_at) filter (where x.wid is not null))[1] as oldest_wid
from unnest(%(ids)s::integer[]) as f(id)
cross join lateral (select count(*) as n from (
  select 1 from wedsql.instance i where i.flow_id = f.id and i.status = 'R'
  order by i.wid limit %(limit)s) s) r
cross join lateral (select count(*) as n from (
  select 1 from wedsql.instance i where i.flow_id = f.id and i.status = 'E'
  order by i.wid limit %(limit)s) s) e
cross join lateral (
  select count(*) as n, count(*) filter (where s.late) as late, min(s.fired_at) as oldest from (
  select j.late, j.fired_at from wedsql.job_pool j
  where j.flow_id = f.id and j.state = 'P' and j.trname <> '_EXCPT'
  order by j.trname, j.priority desc, j.id limit %(limit)s) s) p
cross join lateral (select count(*) as n from wedsql.job_pool j
  where j.state = 'L' and j.flow_id = f.id and j.lease_until < %(until)s) l
cross join lateral (select count(*) as n from (
  select 1 from wedsql.instance i where i.flow_id = f.id and i.status = 'F'
    and i.finished_at >= %(since)s and i.finished_at < %(until)s order by i.finished_at limit %(limit)s) s) d
left join lateral (
  select j.fired_at, j.wid from wedsql.job_pool j
  where j.flow_id = f.id and j.trname = '_EXCPT' and j.state = 'P'
  order by j.priority desc, j.id limit 1) x on true
"""


def now() -> datetime:
    """Return the present time of the kernel."""
    found = row("select wedsql.now() as at")
    assert found is not None  # noqa: S101 - the statement has one row
    at: datetime = found["at"]
    return at


def totals(ids: Sequence[int], until: datetime, cap: int | None = CAP) -> Totals:
    """Return the numbers of these flows together; `final` is of the day before `until`."""
    since = until - timedelta(days=1)
    found = row(_TOTALS, {"ids": list(ids), "limit": limit(cap), "since": since, "until": until}) or {}
    numbers = {
        key: count(int(found.get(key) or 0), cap)
        for key in ("running", "exceptions", "pending", "late", "final")
    }
    return Totals(
        **numbers,
        since=since,
        until=until,
        oldest_exception=found.get("oldest_exception"),
        oldest_wid=found.get("oldest_wid"),
        oldest_job=found.get("oldest_job"),
    )


_TREND = """
with hits as (
  select floor(extract(epoch from f.at - %(since)s) / %(step)s)::integer as place, f.*
  from wedsql.figure f
  where f.span = %(span)s::"char" and f.at >= %(since)s and f.at < %(until)s and f.trname = ''
    and f.flow_id = any (%(ids)s)),
buckets as (
  select h.place, u.o, sum(u.n)::bigint as n from hits h
  cross join lateral unnest(h.elapsed) with ordinality u (n, o) group by 1, 2),
times as (select b.place, array_agg(b.n order by b.o) as elapsed from buckets b group by 1)
select s.*, wedsql.percentile(t.elapsed, 0.5) as p50, wedsql.percentile(t.elapsed, 0.95) as p95
from (select h.place, sum(h.started)::bigint as started, sum(h.finished)::bigint as finished,
             sum(h.exceptions)::bigint as exceptions from hits h group by 1) s
left join times t on t.place = s.place
"""


def trend(ids: Sequence[int], window: Window, at: datetime) -> list[Place]:
    """Return every step of the window that ends with the one of `at`, the oldest first."""
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    until = midnight + ((at - midnight) // window.step + 1) * window.step
    since = until - window.length
    found = {
        r["place"]: r
        for r in rows(
            _TREND,
            {
                "ids": list(ids),
                "span": window.span,
                "since": since,
                "until": until,
                "step": window.step.total_seconds(),
            },
        )
    }
    return [
        _place(found.get(n, {}), since + n * window.step, window.step)
        for n in range(window.length // window.step)
    ]


def _place(found: Row, at: datetime, step: timedelta) -> Place:
    return Place(
        at,
        at + step,
        found.get("started", 0),
        found.get("finished", 0),
        found.get("exceptions", 0),
        found.get("p50"),
        found.get("p95"),
    )


_PACES = """
with hits as (
  select f.flow_id, f.at >= %(hour)s as recent, f.finished, f.elapsed from wedsql.figure f
  where f.span = 'm' and f.trname = '' and f.flow_id = any (%(ids)s)
    and (f.at >= %(hour)s and f.at < %(until)s
         or f.at >= %(hour)s - interval '7 days' and f.at < %(until)s - interval '7 days')),
buckets as (
  select h.flow_id, u.o, sum(u.n)::bigint as n from hits h
  cross join lateral unnest(h.elapsed) with ordinality u (n, o) where h.recent group by 1, 2),
times as (select b.flow_id, array_agg(b.n order by b.o) as elapsed from buckets b group by 1)
select s.*, wedsql.percentile(t.elapsed, 0.5) as p50, wedsql.percentile(t.elapsed, 0.95) as p95
from (select h.flow_id, coalesce(sum(h.finished) filter (where h.recent), 0)::bigint as hour,
             coalesce(sum(h.finished) filter (where not h.recent), 0)::bigint as last_week
      from hits h group by 1) s
left join times t on t.flow_id = s.flow_id
"""


def hour_before(at: datetime) -> tuple[datetime, datetime]:
    """Return beginning and end of the last sixty whole minutes before `at`."""
    until = at.replace(second=0, microsecond=0)
    return until - timedelta(hours=1), until


def paces(ids: Sequence[int], at: datetime) -> dict[int, Pace]:
    """Return by flow what became final in the hour before `at`, and a week before that."""
    hour, until = hour_before(at)
    found = rows(_PACES, {"ids": list(ids), "hour": hour, "until": until})
    return {r.pop("flow_id"): Pace(**r) for r in found}


@dataclass(frozen=True)
class Changed:
    """A flow whose pace changed against the same hour of last week."""

    flow: str
    label: str
    pace: Pace

    @property
    def title(self) -> str:
        """Return the label in the language of the reader, or the name."""
        return translate_label(self.label) or self.flow


MOST_CHANGED = 3
# Flows that did something by the day of that hour: a new flow has not changed since.
_KNOWN_SINCE = """
select f.id, f.name, f.label from wedsql.flow f
where f.id = any (%s) and exists (
  select from wedsql.figure g where g.span = 'd' and g.flow_id = f.id and g.at <= %s)
"""


def changed_most(paces: Mapping[int, Pace], at: datetime) -> list[Changed]:
    """Return the flows of which most more, or fewer, instances became final than a week ago."""
    changed = {flow: pace for flow, pace in paces.items() if pace.change}
    week_ago = hour_before(at)[0] - timedelta(weeks=1)
    found = [
        Changed(r["name"], r["label"], changed[r["id"]])
        for r in rows(_KNOWN_SINCE, [list(changed), week_ago])
    ]
    return sorted(found, key=lambda each: (-abs(each.pace.change), each.flow))[:MOST_CHANGED]


@dataclass(frozen=True)
class Waiting:
    """A transition with jobs that no live worker serves; `since` is when one was last seen.

    `assigned_to`: only the jobs that are assigned to this worker, which does not live.
    """

    flow: str
    transition: str
    since: datetime | None
    oldest_job: datetime
    assigned_to: str | None = None


_WAITING = """
with t as (select distinct g.flow_id, g.trname, f.name
           from wedsql.trig g join wedsql.flow f on f.id = g.flow_id
           where g.flow_id = any (%(ids)s) and g.enabled and not g.cfinal and g.integrity is null
             and not g.signal and g.child is null and g.performer = 'worker')
select t.name as flow, t.trname as transition, w.seen as since, j.fired_at as oldest_job,
       null as assigned_to
from t
cross join lateral (
  select j.fired_at from wedsql.job_pool j
  where j.flow_id = t.flow_id and j.trname = t.trname and j.state = 'P'
  order by j.priority desc, j.id limit 1) as j
left join lateral (
  select max(w.seen_at) as seen from wedsql.worker w where t.name || ':' || t.trname = any (w.serves)
) as w on true
where coalesce(w.seen, '-infinity') < %(now)s - make_interval(secs => %(silence)s)
  and j.fired_at < %(now)s - make_interval(secs => %(silence)s)
union all
select t.name, t.trname, s.seen, a.assigned_at, a.assigned_to
from t
cross join lateral (
  select j.assigned_to, min(j.assigned_at) as assigned_at from (
    select j.assigned_to, j.assigned_at from wedsql.job_pool j
    where j.flow_id = t.flow_id and j.trname = t.trname and j.state = 'P' and j.assigned_to is not null
    limit %(cap)s) as j
  group by j.assigned_to) as a
cross join lateral (select wedsql.assignee_seen(t.flow_id, t.trname, a.assigned_to) as seen) as s
where coalesce(s.seen, '-infinity') < %(now)s - make_interval(secs => %(silence)s)
  and a.assigned_at < %(now)s - make_interval(secs => %(silence)s)
order by oldest_job limit %(limit)s
"""
MOST_WAITING = 5


def without_worker(ids: Sequence[int], at: datetime) -> list[Waiting]:
    """Return transitions whose jobs wait because no worker serves them, the longest first."""
    values = {"ids": list(ids), "now": at, "silence": SILENCE_SECONDS, "limit": MOST_WAITING}
    values["cap"] = CAP
    return [Waiting(**r) for r in rows(_WAITING, values)]
