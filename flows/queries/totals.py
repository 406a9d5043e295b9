"""What the overview shows of many flows as they are now: totals, and transitions without a worker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from flows.labels import OfTransition
from flows.queries.base import row, rows
from flows.queries.counts import CAP, Count, count, limit
from flows.queries.workers import SILENCE_SECONDS


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


@dataclass(frozen=True)
class Waiting(OfTransition):
    """A transition with jobs that no live worker serves; `since` is when one was last seen.

    `assigned_to`: only the jobs that are assigned to this worker, which does not live.
    """

    flow: str
    transition: str
    since: datetime | None
    oldest_job: datetime
    assigned_to: str | None = None
    flow_label: str = ""
    transition_label: str = ""


_WAITING = """
with t as (select distinct on (g.flow_id, g.trname) g.flow_id, g.trname, f.name, f.label as flow_label,
                  g.label as transition_label
           from wedsql.trig g join wedsql.flow f on f.id = g.flow_id
           where g.flow_id = any (%(ids)s) and g.enabled and not g.cfinal and g.integrity is null
             and not g.signal and g.child is null and g.performer = 'worker'
           order by g.flow_id, g.trname, g.tgid)
select t.name as flow, t.trname as transition, w.seen as since, j.fired_at as oldest_job,
       null as assigned_to, t.flow_label, t.transition_label
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
select t.name, t.trname, s.seen, a.assigned_at, a.assigned_to, t.flow_label, t.transition_label
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
