"""What the header of every page counts, in one query."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from flows.queries.base import rows


class HeaderCounts(NamedTuple):
    """The alerts that are active, the rules of alerts that fail, and the messages that are not read."""

    active: int
    failing: int
    unread: int


def header_counts(flows: Collection[str] | None, person: str) -> HeaderCounts:
    """Return the counts for a person: alerts of these flows, or of all."""
    names = None if flows is None else sorted(flows)
    call = (
        "select a.active, a.failing, wedsql.unread_messages(%s) as unread"
        " from wedsql.count_alerts(%s::text[]) a"
    )
    return HeaderCounts(**rows(call, [person, names])[0])
