"""Lists of the rules of alerts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flows.filters.alerts import ROWS
from flows.queries.lists.selections import Listed, Order, Source

SOURCE = Source(ROWS, "r.id", "r.flow_id")
_FLOW = "(select o.name from wedsql.flow o where o.id = r.flow_id)"
_ORDERS: Mapping[str, Order] = {
    "state": Order(
        "- coalesce(extract(epoch from a.started_at), 0), r.error is null, r.since is null, not r.enabled,"
        f" {_FLOW}, r.name, r.id"
    ),
    "name": Order("r.name, r.id"),
    "flow": Order(f"{_FLOW}, r.name, r.id"),
    "changed": Order("r.changed_at, r.id", down=True),
}
ORDERS = tuple(_ORDERS)


@dataclass(frozen=True)
class Listing:
    """The order in which alerts are listed: by default, those that are active first."""

    order: str = ""

    @property
    def sorting(self) -> str:
        return self.order if self.order in ORDERS else ORDERS[0]

    @property
    def listed(self) -> Listed:
        return Listed(SOURCE, _ORDERS[self.sorting])
