"""The right to publish what is imported."""

from __future__ import annotations

from flows.access import AnyUser, may, may_add
from flows.queries.definitions import flow_by_name


def may_publish(user: AnyUser, name: str) -> bool:
    """Return whether the user may make a file the next version of this flow, or a new flow of it."""
    exists = flow_by_name(name) is not None
    return may(user, "publish", name) and (may(user, "design", name) if exists else may_add(user))
