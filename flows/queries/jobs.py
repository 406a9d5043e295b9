"""Jobs: those of one instance with their holders, and those of a flow by transition."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from flows.queries.base import Row, rows
from flows.queries.counts import CAP, Count, count, limit
from flows.queries.paging import PAGE_SIZE

EXCEPTION = "_EXCPT"


@dataclass(frozen=True)
class OpenJob:
    """One job; `holder` is the worker that holds it, if known, `assigned_to` the one that may take it.

    `role` and `performer` (worker, database or person) are those of the trigger that fired it; a compensation
    has no role.
    """

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
    priority: int
    assigned_to: str | None
    assigned_by: str | None
    assigned_at: datetime | None
    role: str
    performer: str


@dataclass(frozen=True)
class Queue:
    """The jobs of one transition of a flow."""

    transition: str
    pending: Count
    late: Count
    leased: Count
    parked: Count
    oldest: datetime | None

    @property
    def figures(self) -> list[tuple[str, Count]]:
        """Return each of JOB_STATES with its count, including zero."""
        return [(state, getattr(self, state)) for state in JOB_STATES]


# A job in transaction mode is held by an advisory lock on (wid, tgid): pg_locks has the session, and every
# role may read the application_name of a session.
_JOBS = """
select j.id, j.wid, j.tgid, j.trname as transition, j.state::text as state, j.timeout, j.attempts,
       g.max_attempts + j.earlier_attempts as max_attempts,
       j.not_before, j.lease_until, j.fired_at, j.cause_seq, j.last_error, j.last_state,
       coalesce(case when j.state = 'L' then coalesce(j.lckid, '?') end, h.holder) as holder,
       j.late or (j.state = 'L' and j.lease_until < (select wedsql.now())) as late, j.priority,
       nullif(j.assigned_to, '') as assigned_to, j.assigned_by, j.assigned_at,
       case when g.trname = j.trname then g.role else '' end as role,
       coalesce(g.performer, 'worker') as performer
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


def of_instance(wid: int) -> list[OpenJob]:
    """Return the jobs of one instance."""
    return [OpenJob(**r) for r in rows(_OF_INSTANCE, {"wid": wid, "holders": True})]


def assignable(flow_id: int, transition: str) -> list[str]:
    """Return the names to which jobs of the transition can be assigned: of workers, then of several."""
    found = rows("select wedsql.assignable_workers(%s, %s) as name", [flow_id, transition])
    return [str(r["name"]) for r in found]


_SHORT = """
select j.id, j.wid, j.tgid, j.trname as transition, j.state::text as state, j.timeout, j.attempts,
       null::integer as max_attempts, j.not_before, j.lease_until, j.fired_at, j.cause_seq, j.last_error,
       j.last_state, case when j.state = 'L' then coalesce(j.lckid, '?') end as holder,
       j.late or (j.state = 'L' and j.lease_until < (select wedsql.now())) as late, j.priority,
       nullif(j.assigned_to, '') as assigned_to, j.assigned_by, j.assigned_at,
       coalesce(g.role, '') as role, coalesce(g.performer, 'worker') as performer
from {source} as j left join wedsql.trig g on g.tgid = j.tgid and g.trname = j.trname
where j.flow_id = %(flow)s and (%(only)s = '' and j.trname <> '_EXCPT' or j.trname = %(only)s) and {more}
order by j.trname, j.priority desc, j.id limit %(limit)s
"""
# Jobs by their numbers.
_OF_NUMBERS = (
    _SHORT.partition("where j.flow_id")[0] + "where j.flow_id = %(flow)s and j.id = any (%(numbers)s)"
)
# The ready index is (flow, transition, priority desc, id): the jobs after a given one are up to three scans.
_IN_TRANSITION = (
    "j.trname = %(transition)s and j.priority = %(priority)s and j.id > %(id)s",
    "j.trname = %(transition)s and j.priority < %(priority)s",
)
_READY = [
    _SHORT.format(source="wedsql.job_pool", more=f"j.state = 'P' and {more}")
    for more in (*_IN_TRANSITION, "j.trname > %(transition)s")
]
# Those of a role are such scans in each of its transitions, so that jobs of others are not read. Triggers of
# other roles may fire the same transition.
_OF_ROLE = """
select x.* from (select g.trname, array_agg(g.tgid) as tgids from wedsql.trig g
                 where g.flow_id = %(flow)s and g.role = %(role)s group by g.trname) as t
cross join lateral ({jobs}) as x where t.trname {compared} %(transition)s
"""
_READY_OF_ROLE = [
    _OF_ROLE.format(
        jobs=_SHORT.format(
            source="wedsql.job_pool",
            more=f"j.state = 'P' and j.trname = t.trname and j.tgid = any (t.tgids) and {more}",
        ),
        compared=compared,
    )
    for compared, more in (("=", _IN_TRANSITION[0]), ("=", _IN_TRANSITION[1]), (">", "true"))
]
# Leased jobs are no more than the workers hold. Parked ones belong to instances in exception.
# Late ones are searched in the first `cap` jobs of the queue, which contain the oldest.
# The columns do not include the claim, which no page may read.
_COLUMNS = (
    "id, wid, trname, tgid, flow_id, state, timeout, attempts, not_before, lease_until, fired_at,"
    " cause_seq, last_error, last_state, lckid, late, priority, assigned_to, assigned_by, assigned_at"
)
_SOURCES = {
    "leased": f"(select {_COLUMNS} from wedsql.job_pool where state = 'L')",  # noqa: S608  # constants
    "parked": f"""(select {_COLUMNS} from wedsql.job_pool p where p.state = 'K' and p.wid in (
      select i.wid from wedsql.instance i where i.flow_id = %(flow)s and i.status = 'E'
      order by i.wid limit %(cap)s))""",  # noqa: S608
    "late": f"""(
      select * from (select {_COLUMNS} from wedsql.job_pool
                     where flow_id = %(flow)s and state = 'P' and trname <> '_EXCPT'
                     order by trname, priority desc, id limit %(cap)s) as head where late
      union all
      select {_COLUMNS} from wedsql.job_pool where state = 'L' and lease_until < (select wedsql.now()))""",  # noqa: S608
}
_BEHIND = "(j.trname, -j.priority, j.id) > (%(transition)s, -%(priority)s, %(id)s)"
JOB_STATES = ("pending", "late", "leased", "parked")


@dataclass(frozen=True)
class QueuePosition:
    """The position after which a page of jobs starts, in the queue's order."""

    transition: str
    priority: int
    id: int


START = QueuePosition("", 32767, 0)


def listed(
    flow_id: int, state: str, transition: str = "", position: QueuePosition | None = None, *, role: str = ""
) -> tuple[list[OpenJob], QueuePosition | None]:
    """Return one page of a flow's jobs in queue order, and the position of the next page (None at the end).

    `state` is one of JOB_STATES; `transition` '' means all except those of the exception desk, `role` '' the
    jobs of all roles and of none.
    """
    if state == "pending":
        union = " union all ".join(f"({walk})" for walk in (_READY_OF_ROLE if role else _READY))
        # Only constants of this module; input is passed in params.
        statement = f"select * from ({union}) as j order by transition, priority desc, id limit %(limit)s"  # noqa: S608
    else:
        more = f"g.role = %(role)s and {_BEHIND}" if role else _BEHIND
        statement = _SHORT.format(source=_SOURCES[state], more=more)
    params = {
        "flow": flow_id,
        "only": transition,
        "role": role,
        "limit": PAGE_SIZE + 1,
        "cap": CAP,
        **vars(position or START),
    }
    found = rows(statement, params)
    page = [OpenJob(**r) for r in found[:PAGE_SIZE]]
    last = found[PAGE_SIZE - 1] if len(found) > PAGE_SIZE else None
    return page, QueuePosition(last["transition"], last["priority"], last["id"]) if last else None


def of_numbers(flow_id: int, numbers: list[int]) -> list[OpenJob]:
    """Return the jobs of a flow with these numbers in their order, those that there are."""
    statement = _OF_NUMBERS.format(source="wedsql.job_pool")
    found = {r["id"]: OpenJob(**r) for r in rows(statement, {"flow": flow_id, "numbers": numbers})}
    return [found[number] for number in numbers if number in found]


# Ready jobs: one bounded scan of the ready index per transition; held ones as in _SOURCES.
_QUEUES = """
with held as (
  select j.trname, j.state, j.lease_until from wedsql.job_pool j
  where j.state = 'L' and j.flow_id = %(flow)s
  union all
  select j.trname, j.state, null from wedsql.job_pool j where j.state = 'K' and j.wid in (
    select i.wid from wedsql.instance i where i.flow_id = %(flow)s and i.status = 'E'
    order by i.wid limit %(limit)s)
)
select t.trname as transition, p.n as pending, p.late + coalesce(o.late, 0) as late,
       coalesce(o.leased, 0) as leased, coalesce(o.parked, 0) as parked, p.oldest
from (select trname from wedsql.trig
      where flow_id = %(flow)s and not cfinal and integrity is null and performer <> 'database'
      union select trname from held) as t
cross join lateral (
  select count(*) as n, count(*) filter (where j.late) as late, min(j.fired_at) as oldest
  from (select j.late, j.fired_at from wedsql.job_pool j
        where j.flow_id = %(flow)s and j.trname = t.trname and j.state = 'P'
        order by j.priority desc, j.id limit %(limit)s) as j
) as p
left join (
  select h.trname, count(*) filter (where h.state = 'L') as leased,
         count(*) filter (where h.state = 'K') as parked,
         count(*) filter (where h.lease_until < (select wedsql.now())) as late
  from held h group by h.trname
) as o on o.trname = t.trname
where t.trname <> '_EXCPT'
order by t.trname
"""


def queues(flow_id: int, cap: int | None = CAP) -> list[Queue]:
    """Return the counts of a flow's jobs by transition, also of transitions of workers that have no jobs."""
    found = rows(_QUEUES, {"flow": flow_id, "limit": limit(cap)})
    return [_queue(r, cap) for r in found]


_OF_RULES = """
select j.tgid, count(*) as n from (
  select j.tgid from wedsql.job_pool j
  where j.flow_id = %(flow)s and j.trname = %(transition)s and j.state = 'P'
  order by j.priority desc, j.id limit %(limit)s) as j
group by j.tgid
"""


def pending_of_rules(flow_id: int, transition: str) -> dict[int, int]:
    """Return the pending jobs of a transition by the rules that fired them, among the first CAP of them."""
    found = rows(_OF_RULES, {"flow": flow_id, "transition": transition, "limit": CAP})
    return {r["tgid"]: r["n"] for r in found}


_FAILED_OF_RULES = """
select j.tgid, count(*) as n from wedsql.job_pool j where j.state = 'K' and j.wid in (
  select i.wid from wedsql.instance i where i.flow_id = %(flow)s and i.status = 'E'
  order by i.wid limit %(limit)s)
group by j.tgid
"""


def failed_of_rules(flow_id: int) -> dict[int, int]:
    """Return the jobs that failed in all attempts by their rules, of the first CAP exceptions."""
    found = rows(_FAILED_OF_RULES, {"flow": flow_id, "limit": CAP})
    return {r["tgid"]: r["n"] for r in found}


def _queue(r: Row, cap: int | None) -> Queue:
    pending, late, leased, parked = (count(r[name], cap) for name in ("pending", "late", "leased", "parked"))
    return Queue(r["transition"], pending, late, leased, parked, r["oldest"])
