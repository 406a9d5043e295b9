"""Lists of cases that are chosen by a filter or sorted; without either, the kernel has the same lists."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from flows.filters import Filter
from flows.queries.counts import Count
from flows.queries.lists import selections
from flows.queries.lists.selections import Listed, Order, See, Selection, Source

SOURCE = Source(
    "wedsql.repair_case c join wedsql.instance i on i.wid = c.wid", "c.number", "c.flow_id", "c.wid"
)
# The sum keeps the planner from walking all cases that ever were in the order of their numbers: open ones are
# few, and sorted.
_OPEN_ORDERS: Mapping[str, Order] = {
    "urgency": Order("- c.priority, c.due_at, c.number"),
    "due": Order("c.due_at, c.number"),
    "newest": Order("c.number + 0", down=True),
    "oldest": Order("c.number + 0"),
}
_CLOSED_ORDERS: Mapping[str, Order] = {"newest": Order("c.number", down=True), "oldest": Order("c.number")}
ORDERS = tuple(_OPEN_ORDERS)
_HELD = "c.owner = %s and coalesce(c.lease_until, c.waits_until) > (select wedsql.now())"
_NARROW: dict[str, str] = {
    "queue": "c.queue = %s", "cause": "c.cause = %s", "owner": _HELD,
    "signature": "c.signature = any (regexp_split_to_array(%s, ','))",
}  # fmt: skip


@dataclass(frozen=True)
class Listing:
    """Which cases are listed, and in which order; `where` has any of queue, cause, signature and owner."""

    closed: bool = False
    order: str = ""
    where: Mapping[str, str] = field(default_factory=dict)

    @property
    def sorting(self) -> str:
        """Return the order that such a list has: the most urgent first, of closed ones the newest."""
        known = orders(closed=self.closed)
        return self.order if self.order in known else known[0]

    @property
    def listed(self) -> Listed:
        order = (_CLOSED_ORDERS if self.closed else _OPEN_ORDERS)[self.sorting]
        closed = f"c.closed_at is {'not' if self.closed else ''} null"
        return Listed(
            SOURCE, order, [closed, *(_NARROW[name] for name in self.where)], [*self.where.values()]
        )


def orders(*, closed: bool) -> tuple[str, ...]:
    """Return the orders of a list of open or of closed cases, its usual one first."""
    return tuple(_CLOSED_ORDERS if closed else _OPEN_ORDERS)


def selection(chosen: Filter, names: Collection[str] | None, see: See) -> Selection:
    """Return a filter over the cases of the flows of these names, as selections.selection does."""
    return selections.selection("cases", chosen, names, see)


def selected(listing: Listing, found: Selection, after: int | None, size: int) -> list[int]:
    """Return the numbers of cases of a list, as selections.selected does."""
    return selections.selected(listing.listed, found, after, size)


def matching(listing: Listing, found: Selection, cap: int) -> Count:
    """Return how many cases of a list there are, up to a number."""
    return selections.matching(listing.listed, found, cap)
