"""Permissions: which users may do what with which flow; for all pages and WebSockets.

- See: staff and holders of `flows.view_flow` every flow, others the flows of their groups `flow:<name>`.
- All other actions: users who see the flow and hold the permission in `PERMISSIONS`, and the members of the
  group `flow:<name>:<action>`, who see the flow, too. Who may repair may also handle cases.
- Operations of the repair desk: `right_for` says which action each needs; pages and the HTTP API ask it.
- The pages of a definition are for users who see the flow; a new flow is for holders of `flows.add_flow`, and
  its draft also for users who may design it. No user has to be staff for these.
- Django's own forms of definitions are for staff with Django's permission for the action on flows.

For what a user may not see, pages answer 404 and WebSockets are closed as not found. An inactive account has
no permission.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.http import Http404

from flows.queries.definitions import FlowInfo, flow_by_id, flow_by_name
from flows.queries.instances import Instance, instance

AnyUser: TypeAlias = AbstractUser | AnonymousUser

Action: TypeAlias = Literal[
    "see", "design", "publish", "approve", "operate", "handle", "repair", "approve_repair"
]

PREFIX = "flow:"
# design: change drafts; publish: request publications; approve: those of others; operate: start, suspend,
# cancel; handle: claim cases and do what HANDLING has; repair: every operation of the repair desk;
# approve_repair: repairs that others propose.
PERMISSIONS: dict[Action, str] = {
    "see": "flows.view_flow",
    "design": "flows.change_flow",
    "publish": "flows.publish_flow",
    "approve": "flows.approve_flow",
    "operate": "flows.change_instance",
    "handle": "flows.handle_cases",
    "repair": "flows.change_job",
    "approve_repair": "flows.approve_repair",
}
# The operations of the repair desk for which the right to handle cases is enough.
HANDLING = frozenset({"patch", "complete", "skip", "retry", "undo", "merge_late", "discard_late"})


def sees_everything(user: AnyUser) -> bool:
    """Return whether the user may see every flow and the pages about the whole installation."""
    return user.is_active and (user.is_staff or user.has_perm("flows.view_flow"))


def visible_flows(user: AnyUser) -> frozenset[str] | None:
    """Return the names of the flows that the user may see; None means all of them."""
    if sees_everything(user):
        return None
    if not user.is_authenticated or not user.is_active:
        return frozenset()
    return frozenset(flow for flow, _action in _granted(user))


def _granted(user: AnyUser) -> Iterable[tuple[str, str]]:
    """Return what the user's groups grant: names of flows, each with an action, "" for seeing it.

    As Django does with permissions, they are read once per user object, which is one per request.
    """
    granted: list[tuple[str, str]] | None = getattr(user, "_flow_groups", None)
    if granted is None:
        names = user.groups.filter(name__startswith=PREFIX).values_list("name", flat=True)
        parts = [name.removeprefix(PREFIX).partition(":") for name in names]
        granted = [(flow, action) for flow, _colon, action in parts]
        user._flow_groups = granted  # type: ignore[union-attr]
    return granted


def may_see(user: AnyUser, flow: str) -> bool:
    """Return whether the user may see this flow and everything in it."""
    visible = visible_flows(user)
    return visible is None or flow in visible


def may_design(user: AnyUser, action: str = "change") -> bool:
    """Return whether the user may "view", "add", "change" or "delete" definitions by Django's own forms."""
    return user.is_active and user.is_staff and user.has_perm(f"flows.{action}_flow")


def may_add(user: AnyUser) -> bool:
    """Return whether the user may design flows that do not exist yet."""
    return user.is_active and user.has_perm("flows.add_flow")


def designs(user: AnyUser) -> bool:
    """Return whether the user designs, publishes or approves some flow, or may add one."""
    return may_add(user) or somewhere(user, "design", "publish", "approve")


def reads_definitions(user: AnyUser) -> bool:
    """Return whether the user sees the definition of some flow, or may add one."""
    return designs(user) or visible_flows(user) != frozenset()


def somewhere(user: AnyUser, *actions: Action) -> bool:
    """Return whether the user may do one of these things with some flow."""
    if not user.is_authenticated or not user.is_active:
        return False
    enough = {each for action in actions for each in granting(action)}
    if any(action in enough for _flow, action in _granted(user)):
        return True
    return visible_flows(user) != frozenset() and any(user.has_perm(PERMISSIONS[each]) for each in enough)


def flows_of(user: AnyUser, action: Action) -> frozenset[str] | None:
    """Return the names of the flows with which the user may do this; None means all of them."""
    if not user.is_authenticated or not user.is_active:
        return frozenset()
    enough = granting(action)
    if any(user.has_perm(PERMISSIONS[each]) for each in enough):
        return visible_flows(user)
    return frozenset(flow for flow, granted in _granted(user) if granted in enough)


def rights(user: AnyUser, flow: str) -> frozenset[Action]:
    """Return everything that the user may do with this flow; one query."""
    if not user.is_authenticated or not user.is_active:
        return frozenset()
    granted = {action or "see" for name, action in _granted(user) if name == flow}
    if not granted and not sees_everything(user):
        return frozenset()
    return frozenset(
        action
        for action in PERMISSIONS
        if action == "see"
        or any(each in granted or user.has_perm(PERMISSIONS[each]) for each in granting(action))
    )


def may(user: AnyUser, action: Action, flow: str) -> bool:
    """Return whether the user may do this with this flow."""
    return action in rights(user, flow)


def may_operate(user: AnyUser, flow: str) -> bool:
    """Return whether the user may start, suspend, resume and cancel instances of this flow."""
    return may(user, "operate", flow)


def may_repair(user: AnyUser, flow: str) -> bool:
    """Return whether the user may do every operation of the repair desk in this flow."""
    return may(user, "repair", flow)


def may_handle(user: AnyUser, flow: str) -> bool:
    """Return whether the user may claim cases of this flow and do what `HANDLING` has."""
    return may(user, "handle", flow)


def right_for(operation: str) -> Action:
    """Return what a user must be allowed to do an operation of the repair desk."""
    return "handle" if operation in HANDLING else "repair"


def granting(action: Action) -> tuple[Action, ...]:
    """Return the actions of which one is enough to be allowed this one."""
    return ("handle", "repair") if action == "handle" else (action,)


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
