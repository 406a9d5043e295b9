"""The first page: every flow with counts of its instances and jobs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from flows.labels import translate_label
from flows.queries.base import Row, rows
from flows.queries.counts import CAP, LIVING, NONE, STATUSES, Count, count, limit, statuses_to_show
from flows.queries.definitions import FlowInfo
from flows.queries.workers import Unserved, unserved

FLOWS_PER_PAGE = 50


@dataclass(frozen=True)
class FlowSummary:
    """The summary of one flow; `statuses` holds only statuses that occur."""

    id: int
    name: str
    label: str
    description: str
    version: int
    statuses: dict[str, Count] = field(default_factory=dict)
    pending: Count = NONE
    late: Count = NONE
    oldest: datetime | None = None
    last_activity: datetime | None = None
    unserved: tuple[Unserved, ...] = ()

    @property
    def title(self) -> str:
        return translate_label(self.label) or self.name

    @property
    def pills(self) -> list[tuple[str, Count]]:
        """Return the statuses that the first page shows, with counts."""
        return statuses_to_show(self.statuses)

    @property
    def used(self) -> bool:
        """Return whether the flow has living instances; one without needs no worker."""
        return any(status in self.statuses for status in LIVING)


def summaries(
    names: Collection[str] | None, after: str = "", cap: int | None = CAP
) -> tuple[list[FlowSummary], bool]:
    """Return one page of flows by name after `after`, and whether more follow; `names` None: every flow."""
    page, more = page_of_flows(names, after)
    return _with_counts(page, cap), more


def page_of_flows(names: Collection[str] | None, after: str = "") -> tuple[list[Row], bool]:
    """Return the names and labels of a page of flows, without counts, and whether more follow."""
    found = rows(
        "select id, name, label, description, version from wedsql.flow"
        " where name > %(after)s and (%(every)s or name = any(%(names)s)) order by name limit %(limit)s",
        {"after": after, "every": names is None, "names": list(names or ()), "limit": FLOWS_PER_PAGE + 1},
    )
    return found[:FLOWS_PER_PAGE], len(found) > FLOWS_PER_PAGE


def summary(flow: FlowInfo, cap: int | None = CAP) -> FlowSummary:
    """Return the summary of one flow."""
    names = ("id", "name", "label", "description", "version")
    return _with_counts([{name: getattr(flow, name) for name in names}], cap)[0]


def _with_counts(flows: list[Row], cap: int | None) -> list[FlowSummary]:
    ids = [flow["id"] for flow in flows]
    if not ids:
        return []
    statuses, queues, idle = _statuses(ids, cap), _queues(ids, cap), defaultdict(list)
    for item in unserved(ids):
        idle[item.flow_id].append(item)
    return [_summary(f, statuses[f["id"]], queues[f["id"]], tuple(idle[f["id"]]), cap) for f in flows]


def _summary(
    flow: Row, statuses: dict[str, Count], queue: Row, idle: tuple[Unserved, ...], cap: int | None
) -> FlowSummary:
    return FlowSummary(
        **flow,
        statuses=statuses,
        pending=count(queue["pending"], cap),
        late=count(queue["late"], cap),
        oldest=queue["oldest"],
        last_activity=queue["last_activity"],
        unserved=idle,
    )


# ORDER BY changes no count but makes the planner use the index of that order. Without it, the planner reads
# the table from its beginning, because it cannot know that this flow has few rows among those of large flows.
_STATUSES = """
select f.id, s.status::text as status, c.n
from unnest(%(ids)s::integer[]) as f(id)
cross join unnest(%(statuses)s::"char"[]) as s(status)
cross join lateral (
  select count(*) as n
  from (select 1 from wedsql.instance i
        where i.flow_id = f.id and i.status = s.status order by i.wid limit %(limit)s) as sample
) as c
where c.n > 0
"""


def _statuses(ids: list[int], cap: int | None) -> dict[int, dict[str, Count]]:
    found: dict[int, dict[str, Count]] = defaultdict(dict)
    for r in rows(_STATUSES, {"ids": ids, "statuses": list(STATUSES), "limit": limit(cap)}):
        found[r["id"]][r["status"]] = count(r["n"], cap)
    return {flow: {s: by[s] for s in STATUSES if s in by} for flow, by in found.items()} | {
        flow: {} for flow in ids if flow not in found
    }


# One bounded scan of the ready jobs of each flow, without those of the exception desk (_EXCPT). The last
# activity is the latest of the newest instance, the newest firing among those jobs and the newest finish. The
# condition on the flow is a range, because only the index by flow has that order: a scan of the primary key
# would read rows of other flows.
_QUEUES = """
select f.id, p.pending, p.late + l.late as late, p.oldest,
       greatest(p.newest, i.changed_at, d.finished_at) as last_activity
from unnest(%(ids)s::integer[]) as f(id)
cross join lateral (
  select count(*) as pending, count(*) filter (where j.late) as late,
         min(j.fired_at) as oldest, max(j.fired_at) as newest
  from (select j.late, j.fired_at from wedsql.job_pool j
        where j.flow_id = f.id and j.state = 'P' and j.trname <> '_EXCPT'
        order by j.trname, j.priority desc, j.id limit %(limit)s) as j
) as p
cross join lateral (
  select count(*) as late from wedsql.job_pool j
  where j.state = 'L' and j.flow_id = f.id and j.lease_until < (select wedsql.now())
) as l
left join lateral (
  select i.changed_at from wedsql.instance i
  where (i.flow_id, i.wid) > (f.id, 0) and i.flow_id <= f.id
  order by i.flow_id desc, i.wid desc limit 1
) as i on true
left join lateral (
  select i.finished_at from wedsql.instance i
  where i.flow_id = f.id and i.finished_at is not null order by i.finished_at desc limit 1
) as d on true
"""


def _queues(ids: list[int], cap: int | None) -> dict[int, Row]:
    return {r["id"]: r for r in rows(_QUEUES, {"ids": ids, "limit": limit(cap)})}


def ids(names: Collection[str]) -> list[int]:
    """Return the ids of the existing flows of these names."""
    return [r["id"] for r in rows("select id from wedsql.flow where name = any(%s)", [list(names)])]


def visible_ids(names: Collection[str] | None, only: str = "") -> list[int]:
    """Return the ids of the flows of these names (None: all), or of the one of them with the name `only`."""
    found = rows(
        "select id from wedsql.flow where (%(every)s or name = any(%(names)s))"
        " and (%(only)s = '' or name = %(only)s)",
        {"every": names is None, "names": list(names or ()), "only": only},
    )
    return [r["id"] for r in found]
