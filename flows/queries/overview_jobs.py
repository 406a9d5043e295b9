"""The jobs that a number of the overview counts, over several flows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from flows.labels import OfTransition
from flows.queries.base import rows
from flows.queries.counts import CAP
from flows.queries.paging import PAGE_SIZE

KINDS = ("pending", "late")


@dataclass(frozen=True)
class Item(OfTransition):
    """One job of an instance; `at` is when it fired."""

    wid: int
    flow: str
    status: str
    transition: str
    key: str | None
    at: datetime
    flow_label: str
    transition_label: str


# Late ones are searched among the first jobs of each queue, as they are counted.
_JOBS = """
select j.wid, f.name as flow, i.status::text as status, j.trname as transition, i.key, j.fired_at as at,
       f.label as flow_label,
       coalesce((select g.label from wedsql.trig g where g.flow_id = f.id and g.trname = j.trname
                 order by g.tgid limit 1), '') as transition_label
from wedsql.flow f cross join lateral (
  select * from (select j.wid, j.tgid, j.trname, j.fired_at, j.late from wedsql.job_pool j
                 where j.flow_id = f.id and j.state = 'P' and j.trname <> '_EXCPT'
                 order by j.trname, j.priority desc, j.id limit %(cap)s) q
  where %(every)s or q.late
  union all
  select j.wid, j.tgid, j.trname, j.fired_at, true from wedsql.job_pool j
  where not %(every)s and j.state = 'L' and j.flow_id = f.id and j.lease_until < %(until)s) j
join wedsql.instance i on i.wid = j.wid
where f.id = any (%(ids)s) and (j.wid, j.tgid) < (%(before)s, %(tgid)s)
order by j.wid desc, j.tgid desc limit %(limit)s
"""


def listed(ids: Sequence[int], kind: str, at: datetime, before: int) -> tuple[list[Item], bool]:
    """Return the first jobs of a kind (KINDS) of instances below `before`, and whether more follow.

    The jobs of one instance are never divided between pages; `at` is the present time.
    """
    values = {"ids": list(ids), "before": before, "tgid": 0, "every": kind == "pending", "until": at}
    found = [Item(**r) for r in rows(_JOBS, values | {"cap": CAP, "limit": PAGE_SIZE + 1})]
    if len(found) <= PAGE_SIZE:
        return found, False
    return [item for item in found if item.wid != found[-1].wid] or found[:-1], True
