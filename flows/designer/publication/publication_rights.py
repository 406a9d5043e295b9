"""The right to publish what is imported."""

from __future__ import annotations

from django.utils.translation import gettext as _

from flows.access import AnyUser, may, may_add, may_see
from flows.queries.definitions import flow_by_name


def may_publish(user: AnyUser, name: str) -> bool:
    """Return whether the user may make a file the next version of this flow, or a new flow of it."""
    exists = flow_by_name(name) is not None
    return may(user, "publish", name) and (may(user, "design", name) if exists else may_add(user))


def is_hidden(user: AnyUser, name: str) -> bool:
    """Return whether there is such a flow that the user may not see: nothing of it is checked or compared."""
    return flow_by_name(name) is not None and not may_see(user, name)


def taken(name: str) -> str:
    """Return that the name is taken, which is all that is said of a flow that the user may not see."""
    return _("There is a flow “%(name)s” already.") % {"name": name}
