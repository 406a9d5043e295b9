"""Errors of attempts by message: what failed for the same reason, in which flows, since when, how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from flows.labels import OfFlow, OfTransition
from flows.queries.base import Row, rows, scalar
from flows.queries.counts import CAP, Count, count, limit
from flows.queries.paging import PAGE_SIZE, Cursor, Page, cut

WINDOWS = {"day": timedelta(days=1), "week": timedelta(days=7), "all": timedelta(days=91)}
SORTS = ("last", "most")
DAYS = 14
OTHER = "other"
"""The kind of the messages of a flow that are beyond the limit of messages."""


@dataclass(frozen=True)
class FailedTransition(OfTransition):
    """How a transition of a flow failed: how often, when, and in up to twenty versions and workers."""

    flow: str
    flow_label: str
    transition: str
    transition_label: str
    n: int
    first_at: datetime
    last_at: datetime
    versions: list[int]
    workers: list[str]


@dataclass(frozen=True)
class Failure:
    """An error: its kind, its message without what varies, and how often it occurred in the flows asked for.

    `recent` counts the window of the list, `days` the last fourteen days, the oldest first.
    """

    id: int
    kind: str
    message: str
    n: int
    first_at: datetime
    last_at: datetime
    recent: int
    where: list[FailedTransition]
    days: list[tuple[date, int]]

    @property
    def flows(self) -> list[tuple[str, str]]:
        """Return the names and titles of its flows."""
        return sorted({(each.flow, each.flow_title) for each in self.where})

    @property
    def workers(self) -> list[str]:
        return sorted({name for each in self.where for name in each.workers})

    @property
    def versions(self) -> list[int]:
        """Return the versions of its only flow; those of several say nothing together."""
        return sorted({n for each in self.where for n in each.versions}) if len(self.flows) == 1 else []


@dataclass(frozen=True)
class FailedInstance(OfFlow):
    """An instance that failed so: how often, when last, and its status now."""

    wid: int
    flow: str
    flow_label: str
    status: str
    key: str | None
    n: int
    last_at: datetime


_LIST = """
select g.* from (
  select y.failure_id as id, x.kind, x.message, sum(y.n)::bigint as n, min(y.first_at) as first_at,
         max(y.last_at) as last_at,
         coalesce((select sum(h.n) from wedsql.failure_hour h
                   where h.failure_id = y.failure_id and h.flow_id = any (%(ids)s)
                     and h.at >= date_trunc('hour', %(since)s::timestamptz, 'UTC')), 0)::bigint as recent
  from wedsql.failure_flow y join wedsql.failure x on x.id = y.failure_id
  where y.flow_id = any (%(ids)s) and (%(only)s::bigint is null or y.failure_id = %(only)s)
    and (%(q)s = '' or position(lower(%(q)s) in lower(x.kind || ' ' || x.message)) > 0)
  group by y.failure_id, x.kind, x.message having max(y.last_at) >= %(since)s) g
where {after} order by {order}, g.id desc limit %(limit)s
"""
_ORDERS = {
    "last": ("g.last_at desc", "(g.last_at, g.id) < (%(at)s::timestamptz, %(id)s)"),
    "most": ("g.recent desc", "(g.recent, g.id) < (%(n)s, %(id)s)"),
}
_WHERE = """
select y.failure_id, f.name as flow, f.label as flow_label, y.trname as transition,
       coalesce((select g.label from wedsql.trig g where g.flow_id = y.flow_id and g.trname = y.trname
                 order by g.tgid limit 1), '') as transition_label,
       y.n, y.first_at, y.last_at, y.versions, y.workers
from wedsql.failure_flow y join wedsql.flow f on f.id = y.flow_id
where y.failure_id = any (%(failures)s) and y.flow_id = any (%(ids)s)
order by y.last_at desc, y.flow_id, y.trname
"""
_DAYS = """
select h.failure_id, (h.at at time zone %(zone)s)::date as day, sum(h.n)::bigint as n
from wedsql.failure_hour h
where h.failure_id = any (%(failures)s) and h.flow_id = any (%(ids)s)
  and h.at >= %(now)s::timestamptz - interval '14 days'
group by 1, 2
"""
_INSTANCES = """
select i.wid, f.name as flow, f.label as flow_label, o.status::text as status, o.key, i.n, i.last_at
from wedsql.failure_instance i join wedsql.instance o on o.wid = i.wid join wedsql.flow f on f.id = i.flow_id
where i.failure_id = %(failure)s and i.flow_id = any (%(ids)s)
  and (%(before)s::integer is null or i.wid < %(before)s)
  and (%(after)s::integer is null or i.wid > %(after)s)
order by i.wid {direction} limit %(limit)s
"""
_COUNTED = """
select i.flow_id, count(*) as n from (
  select i.flow_id from wedsql.failure_instance i
  where i.failure_id = %(failure)s and i.flow_id = any (%(ids)s) limit %(limit)s) i group by 1
"""


@dataclass(frozen=True)
class Place:
    """The error after which a page of the list begins."""

    id: int
    n: int = 0
    at: datetime | None = None


def listed(
    ids: Sequence[int],
    now: datetime,
    zone: str,
    *,
    window: str = "all",
    by: str = "last",
    search: str = "",
    after: Place | None = None,
) -> tuple[list[Failure], Place | None]:
    """Return a page of the errors of these flows, and the place of the next page.

    window: those of WINDOWS that occurred in it. by: one of SORTS. search: a part of the kind or message.
    """
    order, condition = _ORDERS[by]
    values = {"ids": list(ids), "since": now - WINDOWS[window], "only": None, "q": search}
    values |= {"limit": PAGE_SIZE + 1, "id": after and after.id, "n": after and after.n}
    values["at"] = after and after.at
    statement = _LIST.format(after=condition if after else "true", order=order)
    found = rows(statement, values)
    shown = found[:PAGE_SIZE]
    last = shown[-1] if len(found) > PAGE_SIZE else None
    place = Place(last["id"], last["recent"], last["last_at"]) if last else None
    return _with_details(shown, ids, now, zone), place


def failure(number: int, ids: Sequence[int], now: datetime, zone: str) -> Failure | None:
    """Return one error as it occurred in these flows, None if it did not."""
    values = {"ids": list(ids), "since": now - timedelta(days=10_000), "only": number, "q": "", "limit": 1}
    found = _with_details(rows(_LIST.format(after="true", order="g.last_at desc"), values), ids, now, zone)
    return found[0] if found else None


def _with_details(found: list[Row], ids: Sequence[int], now: datetime, zone: str) -> list[Failure]:
    if not found:
        return []
    values = {"failures": [each["id"] for each in found], "ids": list(ids), "now": now, "zone": zone}
    where: dict[int, list[FailedTransition]] = {}
    for each in rows(_WHERE, values):
        where.setdefault(each.pop("failure_id"), []).append(FailedTransition(**each))
    counted = {(each["failure_id"], each["day"]): each["n"] for each in rows(_DAYS, values)}
    today = scalar("select (%(now)s::timestamptz at time zone %(zone)s)::date", values)
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    return [
        Failure(
            **each,
            where=where.get(each["id"], []),
            days=[(day, counted.get((each["id"], day), 0)) for day in days],
        )
        for each in found
    ]


def instances_of(number: int, ids: Sequence[int], cursor: Cursor) -> Page[FailedInstance]:
    """Return a page of the instances that failed so, the newest first."""
    upward = cursor.after is not None
    values = {"failure": number, "ids": list(ids), "before": cursor.before, "after": cursor.after}
    statement = _INSTANCES.format(direction="asc" if upward else "desc")
    found = [FailedInstance(**each) for each in rows(statement, values | {"limit": cursor.size + 1})]
    return cut(found, cursor, lambda each: each.wid)


def counted(number: int, ids: Sequence[int]) -> Count:
    """Return how many instances failed so, up to 10,000."""
    found = rows(_COUNTED, {"failure": number, "ids": list(ids), "limit": limit(CAP)})
    return count(sum(each["n"] for each in found))
