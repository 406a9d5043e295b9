"""The exceptions of all flows: how many each has, and the newest ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from flows.labels import translate_label
from flows.queries.base import rows
from flows.queries.counts import CAP, Count, count, limit

FLOWS_PER_PAGE = 30
NEWEST = 5


@dataclass(frozen=True)
class Stuck:
    """One instance that is an exception."""

    wid: int
    reason: str | None
    changed_at: datetime


@dataclass(frozen=True)
class FlowExceptions:
    """A flow with the number of its exceptions and the newest of them."""

    id: int
    name: str
    label: str
    count: Count
    newest: tuple[Stuck, ...]

    @property
    def title(self) -> str:
        return translate_label(self.label) or self.name


# Each flow is looked up in the index by flow and status, and at most as many rows are read as are counted.
_FLOWS = """
select f.id, f.name, f.label, c.n from wedsql.flow f cross join lateral (
  select count(*) as n from (
    select 1 from wedsql.instance i where i.flow_id = f.id and i.status = 'E'
    order by i.wid limit %(cap)s) s) c
where f.name > %(after)s and (%(every)s or f.name = any(%(names)s)) and exists (
  select from wedsql.instance i where i.flow_id = f.id and i.status = 'E')
order by f.name limit %(limit)s
"""
_NEWEST = """
select f.id, i.wid, i.reason, i.changed_at from unnest(%(ids)s::integer[]) f (id) cross join lateral (
  select i.* from wedsql.instance i where i.flow_id = f.id and i.status = 'E'
  order by i.wid desc limit %(newest)s) i
"""


def by_flow(names: Collection[str] | None, after: str = "") -> list[FlowExceptions]:
    """Return the flows of these names (None: all) after `after` with exceptions; one more than a page has."""
    values = {
        "every": names is None,
        "names": list(names or ()),
        "after": after,
        "cap": limit(CAP),
        "limit": FLOWS_PER_PAGE + 1,
    }
    found = rows(_FLOWS, values)
    newest: dict[int, list[Stuck]] = defaultdict(list)
    for each in rows(_NEWEST, {"ids": [flow["id"] for flow in found], "newest": NEWEST}):
        newest[each.pop("id")].append(Stuck(**each))
    return [
        FlowExceptions(f["id"], f["name"], f["label"], count(f["n"], CAP), tuple(newest[f["id"]]))
        for f in found
    ]
