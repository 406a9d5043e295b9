"""Permissions: which users may do what with which flow; for all pages and WebSockets.

- See: staff and holders of `flows.view_flow` every flow, others the flows of their groups `flow:<name>`.
- All other actions: users who see the flow and hold the permission in `PERMISSIONS`, and the members of the
  group `flow:<name>:<action>`, who see the flow, too. Who may repair may also handle cases.
- Values of masked attributes: users who may reveal them. For others, the flow is not found in lists and its
  pages are forbidden, except by a view that is marked with `masks`, which leaves these values out.
- The person responsible for an instance sees it without what is concealed, and handles its cases.
- Operations on instances: the kernel's table says which action each needs (flows.api.operations.offered).
- The pages of a definition are for users who see the flow; a new flow is for holders of `flows.add_flow`, and
  its draft also for users who may design it. No user has to be staff for these.
- Django's own forms of definitions are for staff with Django's permission for the action on flows.

For what a user may not see, pages answer 404 and WebSockets are closed as not found. An inactive account has
no permission.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, Literal, TypeAlias

from django.contrib.auth.models import AbstractUser, AnonymousUser, Group
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from flows import api
from flows.queries.definitions import FlowInfo, concealing, flow_by_name, names
from flows.queries.instances import Instance, instance_with_flow
from flows.queries.statements import Prepared
from flows.users import disclosure

AnyUser: TypeAlias = AbstractUser | AnonymousUser
View: TypeAlias = Callable[..., HttpResponseBase]

Action: TypeAlias = Literal[
    "see", "design", "publish", "approve", "operate", "handle", "repair", "approve_repair", "reveal", "look",
    "move",
]  # fmt: skip

PREFIX = "flow:"
ROLE = "role:"
SKILL = "skill:"
# design: change drafts; publish: request publications; approve: those of others; operate: start, suspend,
# cancel; handle: claim cases and do the operations that need it; repair: also those that need `repair`;
# approve_repair: repairs that others propose; reveal: see the values of attributes that are masked or hidden;
# look: see single masked values after giving a reason; move: hand instances to other installations, take them
# back, and read what those send.
PERMISSIONS: dict[Action, str] = {
    "see": "flows.view_flow",
    "design": "flows.change_flow",
    "publish": "flows.publish_flow",
    "approve": "flows.approve_flow",
    "operate": "flows.change_instance",
    "handle": "flows.handle_cases",
    "repair": "flows.change_job",
    "approve_repair": "flows.approve_repair",
    "reveal": "flows.reveal_values",
    "look": "flows.look_at_values",
    "move": "flows.move_instances",
}
# Who designs a flow decides what is masked in it.
GRANTED_BY: dict[Action, tuple[Action, ...]] = {
    "handle": ("handle", "repair"),
    "reveal": ("reveal", "design"),
    "look": ("look", "reveal", "design"),
}
# What the person responsible for an instance may do with it, whatever that person may do with its flow.
RESPONSIBLE: frozenset[Action] = frozenset({"see", "handle"})


def sees_everything(user: AnyUser) -> bool:
    """Return whether the user may see every flow and the pages about the whole installation."""
    return user.is_active and (user.is_staff or user.has_perm("flows.view_flow"))


def visible_flows(user: AnyUser) -> frozenset[str] | None:
    """Return the names of the flows that the user may see in this view; None means all of them."""
    seen, hidden = _visible(user), frozenset() if _masks(user) else concealed(user)
    if not hidden:
        return seen
    return (names() if seen is None else seen) - hidden


def _visible(user: AnyUser) -> frozenset[str] | None:
    if sees_everything(user):
        return None
    if not user.is_authenticated or not user.is_active:
        return frozenset()
    return frozenset(flow for flow, _action in _granted(user))


def masks(view: View) -> View:
    """Mark a view that shows no value of an attribute which the flow of `shown_to` has not."""

    @wraps(view)
    def marked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        leave_out(request.user)
        return view(request, *args, **kwargs)

    return marked


def leave_out(user: AnyUser) -> None:
    """Note that what is shown to this user, of one request, leaves out what is concealed."""
    user._masks = True  # type: ignore[union-attr]


def _masks(user: AnyUser) -> bool:
    return getattr(user, "_masks", False)


def _concealing(user: AnyUser) -> frozenset[str]:
    """Return the names of the flows that do not show all values to everyone; read once per user object."""
    found: frozenset[str] | None = getattr(user, "_concealing", None)
    if found is None:
        found = user._concealing = concealing()  # type: ignore[union-attr]
    return found


def concealed(user: AnyUser) -> frozenset[str]:
    """Return the names of the flows of which the user may not see all values; read once per user object."""
    found: frozenset[str] | None = getattr(user, "_concealed", None)
    if found is None:
        every = user.is_active and sees_everything(user) and user.has_perm(PERMISSIONS["reveal"])
        all_ = frozenset() if every else _concealing(user)
        found = frozenset(name for name in all_ if "reveal" not in rights(user, name))
        user._concealed = found  # type: ignore[union-attr]
    return found


def listed_flows(user: AnyUser) -> frozenset[str] | None:
    """Return `visible_flows` for a list that shows values, which is recorded (flows.users.disclosure)."""
    visible = visible_flows(user)
    note_list(user, visible)
    return visible


def note_list(user: AnyUser, visible: frozenset[str] | None) -> None:
    """Note that all values of these flows are shown, of those that conceal some from others."""
    for name in _concealing(user) - concealed(user):
        if visible is None or name in visible:
            disclosure.note(user.get_username(), name)


def shown_to(user: AnyUser, flow: FlowInfo, wid: int | None = None) -> FlowInfo:
    """Return the flow with the attributes that the user may see; that it is all of them is recorded.

    Raises PermissionDenied if there are others and the view does not leave out their values.
    """
    if flow.name not in concealed(user):
        if any(one.visibility != "everyone" for one in flow.attributes):
            disclosure.note(user.get_username(), flow.name, wid)
        return flow
    if not _masks(user):
        raise PermissionDenied(_("This page shows values of the flow that you may not see."))
    seen = tuple(one for one in flow.attributes if one.visibility == "everyone")
    return replace(
        flow, attributes=seen, concealed=tuple(each for each in flow.attributes if each not in seen)
    )


_groups = Prepared(lambda: Group.objects.filter(user=0).order_by("name").values_list("name"))


def note_groups(user: AnyUser, names: Iterable[str]) -> None:
    """Note the names of the groups of a user whose row was read together with them."""
    user._group_names = sorted(names)  # type: ignore[union-attr]


def group_names(user: AnyUser) -> list[str]:
    """Return the names of the user's groups in their order; read once per user object."""
    found: list[str] | None = getattr(user, "_group_names", None)
    if found is None:
        found = user._group_names = [name for (name,) in _groups.rows(user.pk)]  # type: ignore[union-attr]
    return found


def _granted(user: AnyUser) -> Iterable[tuple[str, str]]:
    """Return the grants of the user's groups: names of flows, each with an action, "" for seeing it.

    As Django does with permissions, they are read once per user object, which is one per request.
    """
    granted: list[tuple[str, str]] | None = getattr(user, "_flow_groups", None)
    if granted is None:
        names = [name for name in group_names(user) if name.startswith(PREFIX)]
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


def may_manage_keys(user: AnyUser) -> bool:
    """Return whether the user may create, rotate and revoke the keys of workers, those of every flow."""
    return sees_everything(user) and user.has_perm("flows.manage_worker_keys")


def may_manage_people(user: AnyUser) -> bool:
    """Return whether the user may create accounts and decide what their users may do."""
    return user.is_active and user.is_staff and user.has_perms(("auth.add_user", "auth.change_user"))


def sources(user: AbstractUser, flow: str) -> dict[Action, list[str]]:
    """Return the rights of the user in the flow, each with its sources.

    That is the name of a group, "permission" for one of the user's own, "staff" or "superuser".
    """
    granted = {f"{PREFIX}{flow}:{action}".removesuffix(":see"): action for action in PERMISSIONS}
    groups = user.groups.prefetch_related("permissions")
    of_groups = {each.name: {one.codename for one in each.permissions.all()} for each in groups}
    own = set(user.user_permissions.values_list("codename", flat=True))
    found: dict[Action, list[str]] = {}
    for action in sorted(rights(user, flow), key=list(PERMISSIONS).index):
        enough = granting(action)
        codenames = {PERMISSIONS[each].partition(".")[2] for each in enough}
        seeing = action == "see"
        found[action] = [
            *(["superuser"] if user.is_superuser else ["staff"] if seeing and user.is_staff else []),
            *(
                name
                for name, held in sorted(of_groups.items())
                if granted.get(name) in enough or (seeing and name in granted) or held & codenames
            ),
            *(["permission"] if own & codenames else []),
        ]
    return found


def own_actions(user: AbstractUser, flow: str) -> set[Action]:
    """Return the actions that the groups of this flow grant the user; other groups do not count."""
    own = {action or "see" for name, action in _granted(user) if name == flow}
    return {action for action in PERMISSIONS if action in own}


def preload(users: Iterable[AbstractUser]) -> None:
    """Fill what `rights` reads of these users, who have their groups and permissions prefetched."""
    for user in users:
        groups = list(user.groups.all())
        held = [*user.user_permissions.all(), *(one for each in groups for one in each.permissions.all())]
        parts = [g.name.removeprefix(PREFIX).partition(":") for g in groups if g.name.startswith(PREFIX)]
        user._flow_groups = [(flow, action) for flow, _colon, action in parts]  # type: ignore[attr-defined]
        user._group_names = sorted(g.name for g in groups)  # type: ignore[attr-defined]
        if not user.is_superuser:
            user._perm_cache = {  # type: ignore[attr-defined]
                f"{one.content_type.app_label}.{one.codename}" for one in held
            }


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
    found, hidden = _flows_of(user, action), frozenset() if _masks(user) else concealed(user)
    return (names() if found is None else found) - hidden if hidden else found


def _flows_of(user: AnyUser, action: Action) -> frozenset[str] | None:
    """Return the flows with which the user may do this, also those of which some values are concealed."""
    enough = granting(action)
    if any(user.has_perm(PERMISSIONS[each]) for each in enough):
        return _visible(user)
    return frozenset(flow for flow, granted in _granted(user) if granted in enough)


def task_keys(user: AnyUser) -> list[str]:
    """Return the audiences of tasks to which the user belongs (flows.capabilities.tasks).

    A role is a group named role: and the name of the role, a skill one named skill: and its name. Tasks for
    those of a role who have a skill have an audience of their own (`with_skills`). Tasks without a role are
    for those who may handle the cases of the flow, whatever is concealed in it: every way of performing a
    task leaves that out. They are read once per user object, as what the groups grant.
    """
    if not user.is_authenticated or not user.is_active:
        return []
    keys: list[str] | None = getattr(user, "_task_keys", None)
    if keys is None:
        roles, skills = (_named(user, prefix) for prefix in (ROLE, SKILL))
        handled = _flows_of(user, "handle")
        keys = [f"r:{name}" for name in (*roles, *with_skills(roles, skills))]
        keys += [f"f:{name}" for name in sorted(names() if handled is None else handled)]
        user._task_keys = keys  # type: ignore[attr-defined]
    return keys


def _named(user: AnyUser, prefix: str) -> list[str]:
    """Return the names of groups without the prefix that they have."""
    return [name.removeprefix(prefix).strip() for name in group_names(user) if name.startswith(prefix)]


def with_skills(roles: Sequence[str], skills: Sequence[str]) -> list[str]:
    """Return the audiences of those who have a skill: of each role, and of any."""
    return [f"{role} + {skill}" if role else f"+ {skill}" for skill in skills for role in ("", *roles)]


def rights(user: AnyUser, flow: str) -> frozenset[Action]:
    """Return everything that the user may do with this flow; read once per user object."""
    known: dict[str, frozenset[Action]] | None = getattr(user, "_rights", None)
    if known is None:
        known = user._rights = {}  # type: ignore[union-attr]
    if flow not in known:
        known[flow] = _rights(user, flow)
    return known[flow]


def _rights(user: AnyUser, flow: str) -> frozenset[Action]:
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
    """Return whether the user may do the operations of this flow that need the right to repair."""
    return may(user, "repair", flow)


def may_handle(user: AnyUser, flow: str) -> bool:
    """Return whether the user may claim cases of this flow and do the operations that need no more."""
    return may(user, "handle", flow)


def is_responsible(user: AnyUser, wid: int) -> bool:
    """Return whether the user is the person responsible for an instance; read once per user object."""
    if not user.is_authenticated or not user.is_active:
        return False
    known: dict[int, bool] | None = getattr(user, "_responsible_for", None)
    if known is None:
        known = user._responsible_for = {}  # type: ignore[attr-defined]
    if wid not in known:
        chosen = api.persons.settings(wid)
        known[wid] = chosen is not None and chosen.responsible == user.get_username()
    return known[wid]


def rights_on(user: AnyUser, flow: str, wid: int) -> frozenset[Action]:
    """Return everything that the user may do with this instance of the flow."""
    held = rights(user, flow)
    return held | RESPONSIBLE if not held >= RESPONSIBLE and is_responsible(user, wid) else held


def may_on(user: AnyUser, action: Action, flow: str, wid: int) -> bool:
    """Return whether the user may do this with this instance of the flow; seeing it is as `may_see` says."""
    held = may_see(user, flow) if action == "see" else may(user, action, flow)
    return held or (action in RESPONSIBLE and is_responsible(user, wid))


def right_for(operation: str) -> Action:
    """Return the right that an operation requires on any instance; "repair" for an unknown operation."""
    found = api.operations.table().get(operation)
    return found.permission if found else "repair"


def rights_for(operation: str, wid: int, arguments: Mapping[str, Any] | None = None) -> tuple[Action, ...]:
    """Return the actions of which a user needs one for an operation on this instance; the kernel decides."""
    return tuple(api.operations.permissions(wid, operation, arguments)) or (right_for(operation),)


def may_perform(
    user: AnyUser, flow: str, operation: str, wid: int, arguments: Mapping[str, Any] | None = None
) -> bool:
    """Return whether the user may do this operation on this instance of the flow."""
    held = rights_on(user, flow, wid)
    return bool(held) and not held.isdisjoint(rights_for(operation, wid, arguments))


def operations_of(user: AnyUser, flow: str, status: str, wid: int) -> frozenset[str]:
    """Return the operations that the user may do on an instance of a flow that has this status."""
    held = rights_on(user, flow, wid)
    return frozenset(
        one.operation
        for one in api.operations.table().values()
        if status in one.statuses and held & {one.permission, one.unparked}
    )


def granting(action: Action) -> tuple[Action, ...]:
    """Return the actions of which one is enough to be allowed this one."""
    return GRANTED_BY.get(action, (action,))


def flow_or_404(user: AnyUser, name: str, wid: int | None = None) -> FlowInfo:
    """Return the flow as the user may see it. Raises Http404, and PermissionDenied as `shown_to`."""
    flow = flow_by_name(name) if _sees(user, name) else None
    if flow is None:
        raise Http404
    return shown_to(user, flow, wid)


def _sees(user: AnyUser, flow: str) -> bool:
    visible = _visible(user)
    return visible is None or flow in visible


def instance_or_404(user: AnyUser, wid: int) -> tuple[Instance, FlowInfo]:
    """Return the instance and its flow as the user may see it. Raises what `flow_or_404` raises."""
    found, flow = instance_with_flow(wid)
    if found is None or flow is None or not (_sees(user, found.flow) or is_responsible(user, wid)):
        raise Http404
    return found, shown_to(user, flow, wid)
