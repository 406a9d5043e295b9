"""Which attributes of a filter would be found by an index that they do not have."""

from __future__ import annotations

from collections.abc import Iterator

from flows.filters.conditions import typed
from flows.filters.filter import Filter
from flows.filters.tree import Condition
from flows.queries.definitions import Attribute

_ORDERED = ("=", "<", "<=", ">", ">=", "range")
# An index has the beginnings of texts in small letters, so it has not their order; it has no part of JSON.
_FOUND = {"text": ("=", "^"), "jsonb": ()}


def unindexed(chosen: Filter) -> Iterator[Attribute]:
    """Yield the attributes whose conditions have to be met and read the table for want of an index."""
    for part in chosen.parts:
        found = typed(part, chosen.flow, chosen.zone) if isinstance(part, Condition) else None
        attribute = found.field.attribute if found else None
        if found is None or attribute is None or attribute.indexed:
            continue
        kind = found.field.kind
        if found.operator in _FOUND.get(kind, _ORDERED) and not (kind == "text" and attribute.business_key):
            yield attribute
