"""Pending work: of one instance with its holders, and of a flow by transition."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from flows.queries.base import Row, rows
from flows.queries.counting import CAP, Count, count, limit
from flows.queries.paging import PAGE_SIZE

EXCEPTION = "_EXCPT"


@dataclass(frozen=True)
class Job:
    """One fired transition that is not done; `holder` is who works on it now, if known."""

    id: int
    wid: int
    tgid: int
    transition: str
    state: str
    timeout: timedelta | None
    attempts: int
    max_attempts: int | None
    not_before: datetime | None
    lease_until: datetime | None
    fired_at: datetime
    cause_seq: int | None
    last_error: str | None
    last_state: str | None
    holder: str | None
    late: bool


@dataclass(frozen=True)
class Queue:
    """The jobs of one transition of a flow."""

    transition: str
    pending: Count
    late: Count
    leased: Count
    parked: Count
    oldest: datetime | None


# A job in transaction mode is held by an advisory lock on (wid, tgid): pg_locks knows the session, and the
# application_name of a session is readable by everyone.
_JOBS = """
select j.id, j.wid, j.tgid, j.trname as transition, j.state::text as state, j.timeout, j.attempts,
       g.max_attempts, j.not_before, j.lease_until, j.fired_at, j.cause_seq, j.last_error, j.last_state,
       coalesce(case when j.state = 'L' then coalesce(j.lckid, '?') end, h.holder) as holder,
       j.late or (j.state = 'L' and j.lease_until < (select wedsql.now())) as late
from wedsql.job_pool j
left join wedsql.trig g on g.tgid = j.tgid
left join lateral (
  select coalesce(nullif(a.application_name, ''), a.usename::text, '') || ' (' || l.pid || ')' as holder
  from pg_catalog.pg_locks l left join pg_catalog.pg_stat_activity a on a.pid = l.pid
  where %(holders)s and l.locktype = 'advisory' and l.granted and l.objsubid = 2
    and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
    and l.classid::bigint = j.wid and l.objid::bigint = j.tgid
  limit 1
) as h on j.state = 'P'
"""
_OF_INSTANCE = _JOBS + " where j.wid = %(wid)s order by j.tgid"


def of_instance(wid: int) -> list[Job]:
    """The pending jobs of one instance."""
    return [Job(**r) for r in rows(_OF_INSTANCE, {"wid": wid, "holders": True})]


# The ready index is (flow, transition, priority desc, id): behind a job go up to three walks along it.
_BEHIND = (
    "j.trname = %(transition)s and j.priority = %(priority)s and j.id > %(id)s",
    "j.trname = %(transition)s and j.priority < %(priority)s",
    "j.trname > %(transition)s",
)
_STATES = {
    "pending": "j.state = 'P'",
    "late": "(j.state = 'P' and j.late or j.state = 'L' and j.lease_until < (select wedsql.now()))",
    "leased": "j.state = 'L'",
    "parked": "j.state = 'K'",
}
_ORDER = " order by j.trname, j.priority desc, j.id limit %(limit)s"
JOB_STATES = tuple(_STATES)


@dataclass(frozen=True)
class Place:
    """Where a page of jobs goes on: behind this job in the queue's own order."""

    transition: str
    priority: int
    id: int


def listed(
    flow_id: int, state: str, transition: str = "", behind: Place | None = None
) -> tuple[list[Job], Place | None]:
    """Jobs of a flow in queue order, one page, and the place to go on from (None at the end).

    `state` is one of JOB_STATES; `transition` '' means all but the exception desk's own.
    """
    name = "j.trname = %(only)s" if transition else "j.trname <> '_EXCPT'"
    # Every piece is a constant of this module; what a person gave travels in params.
    base = f"{_SHORT} where j.flow_id = %(flow)s and {name} and {_STATES[state]}"
    walks = [f"({base} and {part}{_ORDER})" for part in _BEHIND] if behind else [f"({base}{_ORDER})"]
    union = " union all ".join(walks)
    params = {"flow": flow_id, "only": transition, "limit": PAGE_SIZE + 1, **vars(behind or Place("", 0, 0))}
    statement = f"select * from ({union}) as walked order by transition, priority desc, id limit %(limit)s"  # noqa: S608
    found = rows(statement, params)
    page = [Job(**{k: v for k, v in r.items() if k != "priority"}) for r in found[:PAGE_SIZE]]
    last = found[PAGE_SIZE - 1] if len(found) > PAGE_SIZE else None
    return page, Place(last["transition"], last["priority"], last["id"]) if last else None


_SHORT = """
select j.id, j.wid, j.tgid, j.trname as transition, j.state::text as state, j.timeout, j.attempts,
       null::integer as max_attempts, j.not_before, j.lease_until, j.fired_at, j.cause_seq, j.last_error,
       j.last_state, case when j.state = 'L' then coalesce(j.lckid, '?') end as holder,
       j.late or (j.state = 'L' and j.lease_until < (select wedsql.now())) as late, j.priority
from wedsql.job_pool j
"""

# Ready jobs: one bounded walk along the ready index for each transition. Leased ones are as many as there are
# hands, parked ones as many as there are troubles: both are small.
_QUEUES = """
select t.trname as transition, p.n as pending, p.late + coalesce(o.late, 0) as late,
       coalesce(o.leased, 0) as leased, coalesce(o.parked, 0) as parked, p.oldest
from (select distinct trname from wedsql.trig where flow_id = %(flow)s and not cfinal
      union select distinct trname from wedsql.job_pool where flow_id = %(flow)s and state <> 'P') as t
cross join lateral (
  select count(*) as n, count(*) filter (where j.late) as late, min(j.fired_at) as oldest
  from (select j.late, j.fired_at from wedsql.job_pool j
        where j.flow_id = %(flow)s and j.trname = t.trname and j.state = 'P' limit %(limit)s) as j
) as p
left join (
  select j.trname, count(*) filter (where j.state = 'L') as leased,
         count(*) filter (where j.state = 'K') as parked,
         count(*) filter (where j.state = 'L' and j.lease_until < (select wedsql.now())) as late
  from wedsql.job_pool j where j.flow_id = %(flow)s and j.state <> 'P' group by j.trname
) as o on o.trname = t.trname
where t.trname <> '_EXCPT'
order by t.trname
"""


def queues(flow_id: int, cap: int | None = CAP) -> list[Queue]:
    """The jobs of a flow counted by transition, transitions without any included."""
    found = rows(_QUEUES, {"flow": flow_id, "limit": limit(cap)})
    return [_queue(r, cap) for r in found]


def _queue(r: Row, cap: int | None) -> Queue:
    pending, late, leased, parked = (count(r[name], cap) for name in ("pending", "late", "leased", "parked"))
    return Queue(r["transition"], pending, late, leased, parked, r["oldest"])
