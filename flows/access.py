"""Permissions: which users may see, design, operate and repair which flow; for all pages and WebSockets.

- See: staff and holders of `flows.view_flow` every flow, others the flows of their groups `flow:<name>`.
- Design: staff with Django's permission for the action on flows (`flows.change_flow` and the like).
- Operate (start, suspend, cancel): users who see the flow and hold `flows.change_instance`.
- Repair (retry a parked job, write the state of an exception): users who see it and hold `flows.change_job`.

For what a user may not see, pages answer 404 and WebSockets are closed as not found. An inactive account has
no permission.
"""

from __future__ import annotations

from typing import TypeAlias

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.http import Http404

from flows.queries.definitions import FlowInfo, flow_by_id, flow_by_name
from flows.queries.instances import Instance, instance

AnyUser: TypeAlias = AbstractUser | AnonymousUser

PREFIX = "flow:"


def sees_everything(user: AnyUser) -> bool:
    """Return whether the user may see every flow and the pages about the whole installation."""
    return user.is_active and (user.is_staff or user.has_perm("flows.view_flow"))


def visible_flows(user: AnyUser) -> frozenset[str] | None:
    """Return the names of the flows that the user may see; None means all of them."""
    if sees_everything(user):
        return None
    if not user.is_authenticated or not user.is_active:
        return frozenset()
    names = user.groups.filter(name__startswith=PREFIX).values_list("name", flat=True)
    return frozenset(name.removeprefix(PREFIX) for name in names)


def may_see(user: AnyUser, flow: str) -> bool:
    """Return whether the user may see this flow and everything in it."""
    visible = visible_flows(user)
    return visible is None or flow in visible


def may_design(user: AnyUser, action: str = "change") -> bool:
    """Return whether the user may "view", "add", "change" or "delete" definitions in the admin."""
    return user.is_active and user.is_staff and user.has_perm(f"flows.{action}_flow")


def may_operate(user: AnyUser, flow: str) -> bool:
    """Return whether the user may start, suspend, resume and cancel instances of this flow."""
    return user.has_perm("flows.change_instance") and may_see(user, flow)


def may_repair(user: AnyUser, flow: str) -> bool:
    """Return whether the user may retry parked jobs and resolve exceptions of this flow."""
    return user.has_perm("flows.change_job") and may_see(user, flow)


def flow_or_404(user: AnyUser, name: str) -> FlowInfo:
    """Return the flow if it exists and the user may see it; raise Http404 otherwise."""
    flow = flow_by_name(name) if may_see(user, name) else None
    if flow is None:
        raise Http404
    return flow


def instance_or_404(user: AnyUser, wid: int) -> tuple[Instance, FlowInfo]:
    """Return the instance and its flow if it exists and the user may see it; raise Http404 otherwise."""
    found = instance(wid)
    flow = flow_by_id(found.flow_id) if found and may_see(user, found.flow) else None
    if found is None or flow is None:
        raise Http404
    return found, flow
