"""Lists of proposed repairs: those that wait for approvals, and those that no longer do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flows.queries.lists.selections import Listed, Order, Source

SOURCE = Source(
    "wedsql.proposal p left join wedsql.instance i on i.wid = p.wid", "p.number", "p.flow_id", "p.wid"
)
_OPEN_ORDERS: Mapping[str, Order] = {
    "expiry": Order("p.expires_at, p.number"),
    "newest": Order("p.number + 0", down=True),
    "oldest": Order("p.number + 0"),
}
_CLOSED_ORDERS: Mapping[str, Order] = {"newest": Order("p.number", down=True), "oldest": Order("p.number")}
ORDERS = tuple(_OPEN_ORDERS)
_OPEN = ("p.closed_at is null", "wedsql.proposal_waits(p.number)")
_CLOSED = ("(p.closed_at is not null or not wedsql.proposal_waits(p.number))",)


@dataclass(frozen=True)
class Listing:
    """Which proposals are listed, and in which order; `only` are the numbers of those, None: any."""

    closed: bool = False
    order: str = ""
    only: Sequence[int] | None = None

    @property
    def orders(self) -> tuple[str, ...]:
        """Return the orders that such a list can have, its usual one first."""
        return tuple(_CLOSED_ORDERS if self.closed else _OPEN_ORDERS)

    @property
    def sorting(self) -> str:
        return self.order if self.order in self.orders else self.orders[0]

    @property
    def listed(self) -> Listed:
        order = (_CLOSED_ORDERS if self.closed else _OPEN_ORDERS)[self.sorting]
        where = _CLOSED if self.closed else _OPEN
        if self.only is None:
            return Listed(SOURCE, order, where)
        return Listed(SOURCE, order, [*where, "p.number = any (%s::bigint[])"], [list(self.only)])
