"""Offers of an index to a list that is slow because of a condition on an attribute."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import monotonic

from flows import api
from flows.access import AnyUser, may
from flows.engine.indexes import AttributeIndex
from flows.errors import WedError
from flows.filters import Filter
from flows.filters.indexes import unindexed
from flows.queries.definitions import Attribute, FlowInfo

# A list that takes longer gets the offer; one that takes longer than the limit of a page shows nothing else.
SLOW_SECONDS = 0.3
# A table whose index would be smaller is read in no time: then something else was slow.
LEAST_BYTES = 200_000
MOST = 3


@dataclass(frozen=True)
class Offer:
    """An index that a list lacks; `designs` is whether the user may request it."""

    flow: FlowInfo
    attribute: Attribute
    index: AttributeIndex
    designs: bool

    @property
    def percent(self) -> int:
        """Return how much of the table was read for the index that is being created."""
        return int((self.index.done or 0) * 100)


class Slow:
    """Measures a list from now on, and offers indexes for its filters if it is slow."""

    def __init__(self, user: AnyUser, filters: Sequence[Filter]) -> None:
        self._user, self._filters, self._began = user, filters, monotonic()

    def context(self) -> dict[str, list[Offer]]:
        """Return the context of the part index_offers.html of the list."""
        slow = monotonic() - self._began >= SLOW_SECONDS
        return {"offers": offers(self._user, self._filters) if slow else []}


def designs(user: AnyUser, flow: str) -> bool:
    """Return whether the user may change the indexes of a flow."""
    return may(user, "design", flow) or may(user, "publish", flow)


def offers(user: AnyUser, filters: Iterable[Filter]) -> list[Offer]:
    """Return the indexes that these filters of one flow each lack, those of large tables first."""
    found = [
        Offer(chosen.flow, attribute, index, designs(user, chosen.flow.name))
        for chosen in filters
        if chosen.flow
        for attribute in unindexed(chosen)
        if (index := _index(chosen.flow.name, attribute.name)) and _is_large(index)
    ]
    return sorted(found, key=lambda offer: -(offer.index.bytes or 0))[:MOST]


def _is_large(index: AttributeIndex) -> bool:
    return index.wanted or index.bytes is None or index.bytes >= LEAST_BYTES


def _index(flow: str, attribute: str) -> AttributeIndex | None:
    try:
        return api.indexes.of_attribute(flow, attribute)
    except WedError:  # removed or locked meanwhile
        return None
