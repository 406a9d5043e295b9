"""Who may look at which flow.

Staff and holders of the permission `flows.view_flow` see every flow; others see the flows of the groups named
`flow:<name>` that they are in. What one may not see does not exist: pages answer 404.
"""

from __future__ import annotations

from typing import TypeAlias

from django.contrib.auth.models import AbstractUser, AnonymousUser

AnyUser: TypeAlias = AbstractUser | AnonymousUser

PREFIX = "flow:"


def visible_flows(user: AnyUser) -> frozenset[str] | None:
    """The names of the flows that the user may see; None means all of them."""
    if not user.is_authenticated or not user.is_active:
        return frozenset()
    if user.is_staff or user.has_perm("flows.view_flow"):
        return None
    names = user.groups.filter(name__startswith=PREFIX).values_list("name", flat=True)
    return frozenset(name.removeprefix(PREFIX) for name in names)


def sees_everything(user: AnyUser) -> bool:
    """Whether the user may see every flow, and with them what concerns the whole installation."""
    return visible_flows(user) is None


def can_view(user: AnyUser, flow: str) -> bool:
    """Whether the user may look at this flow and at everything in it."""
    visible = visible_flows(user)
    return visible is None or flow in visible
