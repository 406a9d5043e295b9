"""Who may look at which flow.

Staff and holders of the permission `flows.view_flow` see every flow; others see the flows of the groups named
`flow:<name>` that they are in. What one may not see does not exist: pages answer 404.
"""

from __future__ import annotations

from typing import TypeAlias

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.http import Http404

from flows.queries.definitions import Flow, flow_by_id, flow_by_name
from flows.queries.instances import Instance, instance

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


def flow_or_404(user: AnyUser, name: str) -> Flow:
    """Return the flow if it exists and the user may see it; raise Http404 otherwise."""
    flow = flow_by_name(name) if can_view(user, name) else None
    if flow is None:
        raise Http404
    return flow


def instance_or_404(user: AnyUser, wid: int) -> tuple[Instance, Flow]:
    """Return the instance and its flow if it exists and the user may see it; raise Http404 otherwise."""
    found = instance(wid)
    flow = flow_by_id(found.flow_id) if found and can_view(user, found.flow) else None
    if found is None or flow is None:
        raise Http404
    return found, flow
