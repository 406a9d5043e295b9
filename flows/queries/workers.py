"""Worker processes: which are alive, what they serve, and which transitions no worker serves."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from flows.labels import OfTransition
from flows.queries.base import Row, rows

# A worker without a heartbeat for this long counts as dead.
SILENCE_SECONDS = 30
WORKERS_PER_PAGE = 100


@dataclass(frozen=True)
class Worker:
    """One process that registered itself; `serves` holds 'flow:transition' names."""

    id: int
    kind: str
    name: str
    host: str
    pid: int
    backend_pid: int | None
    serves: tuple[str, ...]
    started_at: datetime
    seen_at: datetime
    waiting: bool
    alive: bool


@dataclass(frozen=True)
class Unserved(OfTransition):
    """A transition that no living worker serves; `since` is when one was last seen, None if none ever was."""

    flow_id: int
    flow: str
    transition: str
    since: datetime | None
    oldest_job: datetime | None
    flow_label: str = ""
    transition_label: str = ""


def workers(flows: Collection[str] | None, after: int = 0) -> tuple[list[Worker], bool]:
    """Return one page of workers by id after `after`, and whether more follow.

    With `flows`, returns only workers that serve one of these flows, without the other flows that they serve
    and without the name and host of the process, which may contain names of other flows. None returns all.
    """
    found = rows(
        "select w.id, w.kind, w.name, w.host, w.pid, w.backend_pid, w.serves, w.started_at, w.seen_at,"
        " w.waiting, w.seen_at > wedsql.now() - make_interval(secs => %(silence)s) as alive"
        " from wedsql.worker w where w.id > %(after)s and (%(every)s or exists"
        " (select 1 from unnest(w.serves) as s(name) where split_part(s.name, ':', 1) = any(%(flows)s)))"
        " order by w.id limit %(limit)s",
        {
            "silence": SILENCE_SECONDS,
            "after": after,
            "every": flows is None,
            "flows": list(flows or ()),
            "limit": WORKERS_PER_PAGE + 1,
        },
    )
    return [_worker(r, flows) for r in found[:WORKERS_PER_PAGE]], len(found) > WORKERS_PER_PAGE


def _worker(r: Row, flows: Collection[str] | None) -> Worker:
    if flows is None:
        return Worker(**{**r, "serves": tuple(r["serves"])})
    serves = tuple(s for s in r["serves"] if s.partition(":")[0] in flows)
    return Worker(**{**r, "serves": serves, "name": f"#{r['id']}", "host": "", "pid": 0})


@dataclass(frozen=True)
class Problem:
    """A reason why workers cannot serve some transitions, and the names of those that reported it."""

    text: str
    workers: tuple[str, ...]


def problems() -> list[Problem]:
    """Return the problems of live workers, each once.

    They name files and quote code, so show them only to users who see all flows.
    """
    found = rows(
        "select w.problems as text, array_agg(w.name order by w.name) as workers from wedsql.worker w"
        " where w.problems <> '' and w.seen_at > wedsql.now() - make_interval(secs => %(silence)s)"
        " group by w.problems order by w.problems limit 20",
        {"silence": SILENCE_SECONDS},
    )
    return [Problem(r["text"], tuple(r["workers"])) for r in found]


@dataclass(frozen=True)
class NeverOffered:
    """A transition that workers serve and never get a job of, and what is perhaps meant."""

    flow: str
    transition: str
    near: str | None
    workers: tuple[str, ...]


def never_offered(flows: Collection[str] | None) -> list[NeverOffered]:
    """Return the transitions that live workers serve in vain; with `flows`, of these and without names."""
    found = rows(
        "with live as (select w.name, s.name as serves from wedsql.worker w"
        " cross join unnest(w.serves) s (name)"
        " where w.seen_at > wedsql.now() - make_interval(secs => %(silence)s))"
        " select split_part(n.serves, ':', 1) as flow, n.transition, n.near,"
        " array_agg(distinct l.name order by l.name) as workers"
        " from wedsql.never_offered(array(select l.serves from live l)) n join live l on l.serves = n.serves"
        " where %(every)s or split_part(n.serves, ':', 1) = any(%(flows)s)"
        " group by n.serves, n.transition, n.near order by n.serves limit 100",
        {"silence": SILENCE_SECONDS, "every": flows is None, "flows": list(flows or ())},
    )
    return [NeverOffered(**{**r, "workers": tuple(r["workers"]) if flows is None else ()}) for r in found]


_UNSERVED = """
select t.flow_id, f.name as flow, t.trname as transition, w.seen as since, j.fired_at as oldest_job,
       f.label as flow_label, t.label as transition_label
from (select distinct on (flow_id, trname) flow_id, trname, label from wedsql.trig
      where flow_id = any(%(ids)s) and enabled and not cfinal and integrity is null and not signal
        and child is null and performer = 'worker' order by flow_id, trname, tgid) as t
join wedsql.flow f on f.id = t.flow_id
left join lateral (
  select max(w.seen_at) as seen from wedsql.worker w where f.name || ':' || t.trname = any(w.serves)
) as w on true
left join lateral (
  select j.fired_at from wedsql.job_pool j
  where j.flow_id = t.flow_id and j.trname = t.trname and j.state = 'P' order by j.priority desc, j.id limit 1
) as j on true
where coalesce(w.seen, '-infinity') < (select wedsql.now()) - make_interval(secs => %(silence)s)
order by f.name, t.trname
"""


def unserved(flow_ids: list[int]) -> list[Unserved]:
    """Return the transitions of these flows that no live worker serves."""
    return [Unserved(**r) for r in rows(_UNSERVED, {"ids": flow_ids, "silence": SILENCE_SECONDS})]
