"""Ready-made groups: one for each thing that users may do, for all flows or for one."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import Group, Permission, User

from flows.access import PERMISSIONS, PREFIX, Action

_DEFINITION = [
    f"{action}_{model}" for model in ("flow", "attribute", "trigger") for action in ("view", "add", "change")
]
# Each sees every flow: without view_flow, a permission counts only for the flows of the user's other groups.
GROUPS: dict[str, list[str]] = {
    "flow viewers": ["view_flow"],
    "flow designers": _DEFINITION,
    "flow publishers": ["view_flow", "publish_flow"],
    "flow approvers": ["view_flow", "approve_flow"],
    "flow operators": ["view_flow", "change_instance"],
    "flow repairers": ["view_flow", "change_job"],
    "clerks": ["view_flow", "handle_cases"],
    "senior clerks": ["view_flow", "handle_cases", "change_job", "change_instance", "look_at_values"],
    "auditors": ["view_flow", "reveal_values"],
    "recovery workers": ["view_flow", "handle_cases"],
    "flow repair approvers": ["view_flow", "approve_repair"],
    "flow movers": ["view_flow", "move_instances"],
}


def create_groups() -> list[str]:
    """Create the groups for all flows that do not exist, with their permissions; return their names.

    A group that exists stays as the site has changed it.
    """
    made = []
    for name, codenames in GROUPS.items():
        group, new = Group.objects.get_or_create(name=name)
        if new:
            rights = Permission.objects.filter(content_type__app_label="flows", codename__in=codenames)
            group.permissions.set(rights)
            made.append(name)
    return made


def create_groups_of(flow: str) -> list[str]:
    """Create the groups for one flow that do not exist, and return their names."""
    names = [group_of(flow, action) for action in PERMISSIONS]
    return [name for name in names if Group.objects.get_or_create(name=name)[1]]


def group_of(flow: str, action: Action) -> str:
    """Return the name of the group whose members may do this with one flow."""
    return f"{PREFIX}{flow}" + ("" if action == "see" else f":{action}")


def set_rights(user: User, flow: str, actions: Collection[Action]) -> None:
    """Make the user a member of exactly those groups of one flow that grant these actions.

    What other groups or permissions grant stays. With any action the user is in the group that sees the flow.
    """
    create_groups_of(flow)
    wanted = {group_of(flow, action) for action in (*actions, *(("see",) if actions else ()))}
    every = {group_of(flow, action) for action in PERMISSIONS}
    user.groups.remove(*Group.objects.filter(name__in=every - wanted))
    user.groups.add(*Group.objects.filter(name__in=wanted))
