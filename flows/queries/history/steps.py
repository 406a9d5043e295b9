"""One step of a history: the state as of it, the step that wrote each value last, and what it fired."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from flows.queries.base import rows, scalar
from flows.queries.instances import VALUE_CHARS

# How many steps are searched for the last writer of a value, and for what a step fired.
REACH = 2000


@dataclass(frozen=True)
class StateValue:
    """One value of a state as text; `length` is that of the whole text if `text` is its beginning."""

    text: str | None
    length: int | None = None


@dataclass(frozen=True)
class Writer:
    """The step that wrote a value last."""

    seq: int
    at: datetime
    by: str
    actor: str


@dataclass(frozen=True)
class Firing:
    """A job that a step fired; `seq` is the step that finished it, None while it is pending."""

    transition: str
    seq: int | None


@dataclass(frozen=True)
class Suspension:
    """Who suspended an instance, when and why; `actor` is "" where that is not recorded."""

    at: datetime
    actor: str
    reason: str


# The condition on tstmp excludes the partitions of earlier months.
_OF_STEP = "t.wid = %(wid)s and t.tstmp >= %(since)s::timestamptz - interval '1 day'"
_STATE = f"""
select e.key, left(e.value, %(chars)s) as text, length(e.value) as length
from wedsql.wed_trace t cross join lateral jsonb_each_text(t.state) e
where {_OF_STEP} and t.seq = %(seq)s
"""  # noqa: S608  # constants
_FIRED = f"""
select t.trw as transition, t.seq from wedsql.wed_trace t
where {_OF_STEP} and t.seq between %(seq)s + 1 and %(seq)s + %(reach)s and t.cause_seq = %(seq)s
  and t.job_id is not null
union all
select j.trname, null from wedsql.job_pool j where j.wid = %(wid)s and j.cause_seq = %(seq)s
order by seq nulls last, transition limit 100
"""  # noqa: S608  # constants
_TIME = f"select t.tstmp from wedsql.wed_trace t where {_OF_STEP} and t.seq = %(seq)s"  # noqa: S608


def suspension(wid: int, since: datetime) -> Suspension | None:
    """Return the last suspension of an instance; `since` is the time when the instance started."""
    statement = (
        "select t.tstmp as at, t.actor, coalesce(t.reason, '') as reason from wedsql.wed_trace t"  # noqa: S608  # constants
        f" where {_OF_STEP} and t.trw = '_SUSPEND' order by t.seq desc limit 1"
    )
    found = rows(statement, {"wid": wid, "since": since})
    return Suspension(**found[0]) if found else None


def state(wid: int, since: datetime, seq: int) -> dict[str, StateValue]:
    """Return the state as of a step; `since` is the time when the instance started."""
    found = rows(_STATE, {"wid": wid, "since": since, "seq": seq, "chars": VALUE_CHARS})
    return {r["key"]: StateValue(r["text"], _cut(r["length"])) for r in found}


def _cut(length: int | None) -> int | None:
    return length if length is not None and length > VALUE_CHARS else None


def writers(wid: int, seq: int) -> dict[str, Writer]:
    """Return which step wrote each value of the state as of a step, among the REACH steps before it."""
    found = scalar("select wedsql.last_writes(%s, %s, %s)", [wid, seq, REACH])
    return {
        name: Writer(**one | {"at": datetime.fromisoformat(one["at"])}) for name, one in (found or {}).items()
    }


def fired(wid: int, since: datetime, seq: int) -> list[Firing]:
    """Return the jobs that a step fired, with the steps that finished them within the next REACH ones."""
    return [Firing(**r) for r in rows(_FIRED, {"wid": wid, "since": since, "seq": seq, "reach": REACH})]


def at(wid: int, since: datetime, moment: datetime, last: int) -> int | None:
    """Return the last of the steps 1 to `last` that was written up to a moment, or None before the first.

    A search by halves: its cost grows with the logarithm of the history.
    """
    before, behind = 0, last + 1
    while behind - before > 1:
        middle = (before + behind) // 2
        written = scalar(_TIME, {"wid": wid, "since": since, "seq": middle})
        if written is not None and written <= moment:
            before = middle
        else:
            behind = middle
    return before or None


@dataclass(frozen=True)
class Times:
    """When the job of a step was fired, and when the transaction began that finished it."""

    fired_at: datetime | None
    begun_at: datetime | None


@dataclass(frozen=True)
class Failure:
    """A record of a job that is not a step: an attempt that failed, a lease that expired, a withdrawal."""

    job_id: int
    transition: str
    at: datetime
    outcome: str
    actor: str
    sqlstate: str | None
    message: str
    attempt: int


_TIMES = f"""
select t.seq, c.tstmp as fired_at, t.tx_at as begun_at from wedsql.wed_trace t
left join lateral (select c.tstmp from wedsql.wed_trace c
  where c.wid = t.wid and c.seq = t.cause_seq
    and c.tstmp >= %(since)s::timestamptz - interval '1 day') c on t.job_id is not null
where {_OF_STEP} and t.seq = any(%(seqs)s)
"""  # noqa: S608  # constants
_FAILURES = """
select l.job_id, l.trname as transition, l.at, l.outcome, l.actor, l.sqlstate, l.message, l.attempt
from wedsql.job_log l where l.wid = %s order by l.id desc limit %s
"""


def times(wid: int, since: datetime, seqs: list[int]) -> dict[int, Times]:
    """Return the times of these steps by their numbers."""
    found = rows(_TIMES, {"wid": wid, "since": since, "seqs": seqs})
    return {r["seq"]: Times(r["fired_at"], r["begun_at"]) for r in found}


def failures(wid: int, limit: int) -> list[Failure]:
    """Return the last records of the instance's jobs that are not steps, newest first."""
    return [Failure(**r) for r in rows(_FAILURES, [wid, limit])]
