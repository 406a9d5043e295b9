"""Metrics for a monitoring system; the cost of each is independent of the length of the history."""

from __future__ import annotations

from django.db import transaction

from flows.queries.base import Row, row, rows
from flows.queries.counts import STATUSES
from flows.queries.workers import SILENCE_SECONDS

# Counts stop here; an alert fires long before.
STATS_CAP = 100_000

_INSTANCES = """
select f.name as flow, s.status::text as status, c.n
from wedsql.flow f
cross join unnest(%(statuses)s::"char"[]) as s(status)
cross join lateral (
  select count(*) as n
  from (select 1 from wedsql.instance i
        where i.flow_id = f.id and i.status = s.status order by i.wid limit %(cap)s) as sample
) as c
order by 1, 2
"""

_ESTIMATES = """
select f.name as flow, greatest(c.reltuples, 0)::bigint as instances
from wedsql.flow f
join pg_catalog.pg_namespace n on n.nspname = f.name
join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = 'wed_flow'
order by 1
"""

_EXCEPTIONS = """
select f.name as flow, extract(epoch from (select wedsql.now()) - j.fired_at)::float8 as oldest_seconds
from wedsql.flow f
join lateral (
  select j.fired_at from wedsql.job_pool j
  where j.flow_id = f.id and j.trname = '_EXCPT' and j.state = 'P' order by j.priority desc, j.id limit 1
) as j on true
order by 1
"""

_JOBS = """
with held as (
  select j.flow_id, j.trname, j.state, j.lease_until from wedsql.job_pool j where j.state = 'L'
  union all
  select j.flow_id, j.trname, j.state, null
  from wedsql.flow f
  cross join lateral (
    select i.wid from wedsql.instance i
    where i.flow_id = f.id and i.status = 'E' order by i.wid limit %(cap)s) as e
  join wedsql.job_pool j on j.wid = e.wid and j.state = 'K'
)
select f.name as flow, t.trname as transition, p.n as pending, coalesce(o.leased, 0) as leased,
       coalesce(o.parked, 0) as parked, p.late + coalesce(o.late, 0) as late,
       coalesce(extract(epoch from (select wedsql.now()) - q.fired_at), 0)::float8 as oldest_seconds
from (select distinct flow_id, trname from wedsql.trig where not cfinal and integrity is null) as t
join wedsql.flow f on f.id = t.flow_id
cross join lateral (
  select count(*) as n, count(*) filter (where j.late) as late
  from (select j.late from wedsql.job_pool j
        where j.flow_id = t.flow_id and j.trname = t.trname and j.state = 'P'
        order by j.priority desc, j.id limit %(cap)s) as j
) as p
left join lateral (
  select j.fired_at from wedsql.job_pool j
  where j.flow_id = t.flow_id and j.trname = t.trname and j.state = 'P' order by j.priority desc, j.id limit 1
) as q on true
left join (
  select h.flow_id, h.trname, count(*) filter (where h.state = 'L') as leased,
         count(*) filter (where h.state = 'K') as parked,
         count(*) filter (where h.lease_until < (select wedsql.now())) as late
  from held h group by h.flow_id, h.trname
) as o on o.flow_id = t.flow_id and o.trname = t.trname
order by 1, 2
"""

_WORKERS = """
select kind, count(*) as n from wedsql.worker
where seen_at > wedsql.now() - make_interval(secs => %(silence)s) group by kind order by kind
"""


# A worker's transaction holds the advisory lock (wid, tgid) of each job that it took.
_TAKEN = """
with held as (
  select j.flow_id, j.trname from wedsql.job_pool j where j.state = 'L'
  union all
  select j.flow_id, j.trname from pg_catalog.pg_locks l
  join wedsql.job_pool j on j.wid = l.classid::bigint and j.tgid = l.objid::bigint and j.state = 'P'
  where l.locktype = 'advisory' and l.objsubid = 2 and l.granted and l.mode = 'ExclusiveLock'
    and l.database = (select oid from pg_catalog.pg_database where datname = current_database())
)
select f.name as flow, t.trname as transition, coalesce(h.n, 0) as n
from (select distinct flow_id, trname from wedsql.trig where not cfinal and integrity is null) as t
join wedsql.flow f on f.id = t.flow_id
left join (select flow_id, trname, count(*) as n from held group by 1, 2) as h using (flow_id, trname)
order by 1, 2
"""

_TIMES = """
select f.name as flow, t.trname as transition, t.kind, t.counts, t.seconds
from wedsql.timing t join wedsql.flow f on f.id = t.flow_id
where exists (select 1 from wedsql.trig g where g.flow_id = t.flow_id and g.trname = t.trname)
order by 1, 2
"""


def instances() -> list[Row]:
    """Return rows of flow, status, n (at most STATS_CAP)."""
    return rows(_INSTANCES, {"statuses": list(STATUSES), "cap": STATS_CAP})


def estimates() -> list[Row]:
    """Return rows of flow, instances: the planner's estimate of all instances in the database."""
    return rows(_ESTIMATES)


def exceptions() -> list[Row]:
    """Return rows of flow, oldest_seconds: the age of the oldest open exception of flows that have one."""
    return rows(_EXCEPTIONS)


def jobs() -> list[Row]:
    """Return rows of flow, transition, pending, leased, parked, late (at most STATS_CAP), oldest_seconds."""
    return rows(_JOBS, {"cap": STATS_CAP})


def taken() -> list[Row]:
    """Return rows of flow, transition, n: jobs held now, by a lease or by the locks of a transaction."""
    return rows(_TAKEN)


def times() -> list[Row]:
    """Return rows of flow, transition, kind ('wait' or 'run'), counts and seconds.

    `counts` has one number per bucket of flows.timing, `seconds` is the sum.
    """
    return rows(_TIMES)


def workers() -> list[Row]:
    """Return rows of kind, n: live workers."""
    return rows(_WORKERS, {"silence": SILENCE_SECONDS})


def queue_usage() -> float:
    """Return the used share of PostgreSQL's notification queue, which a listener in a transaction fills."""
    found = row("select pg_catalog.pg_notification_queue_usage() as used")
    return float(found["used"]) if found else 0.0


def ready() -> bool:
    """Return whether the kernel is installed. Raises django.db.Error if the database does not respond."""
    found = row(
        "select to_regclass('wedsql.instance') is not null"
        " and to_regclass('wedsql.wed_trace') is not null as ok"
    )
    return bool(found and found["ok"])


def check_commit(timeout_ms: int) -> None:
    """Commit a small change. Raises django.db.Error if the database cannot."""
    with transaction.atomic():
        row(f"select set_config('statement_timeout', '{timeout_ms:d}', true)")
        row("select wedsql.check_commit() is null as done")
