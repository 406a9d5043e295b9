"""Who may approve repairs: by the own rights and groups, or by those of a person who has delegated it.

The database compares persons and groups; which groups a user is in, Django's tables say, so the callers of
flows.api pass them. docs/decisions/approvers.md has the reasons.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth import get_user_model
from django.db.models import Q

from flows import api
from flows.access import PREFIX, AnyUser, flows_of, may, may_see
from flows.api.approving import OPEN, RULES, Proposal


def groups_of(user: AnyUser) -> set[str]:
    """Return the names of the user's groups that a rule may name."""
    return set(user.groups.exclude(name__startswith=PREFIX).values_list("name", flat=True))


def giving_to(user: AnyUser, flows: Iterable[str] | None = None) -> Iterable[tuple[str, AnyUser]]:
    """Yield the flows in which another person who may approve lets the user do so, with that person."""
    name = user.get_username()
    if not user.is_authenticated or not user.is_active:
        return
    for given in api.list_delegations(None if flows is None else list(flows), name):
        giver = get_user_model().objects.filter(username__iexact=given.from_person).first()
        if giver is not None and may(giver, "approve_repair", given.flow) and may_see(user, given.flow):
            yield given.flow, giver


def may_approve(user: AnyUser, flow: str) -> bool:
    """Return whether the user may approve repairs of this flow, by itself or for another person."""
    return may(user, "approve_repair", flow) or any(giving_to(user, [flow]))


def approver_groups(user: AnyUser, flow: str) -> list[str]:
    """Return the groups that count when the user approves a repair of this flow."""
    found = groups_of(user) if may(user, "approve_repair", flow) else set()
    for _flow, giver in giving_to(user, [flow]):
        found |= groups_of(giver)
    return sorted(found)


def groups_of_actor(name: str, flow: str) -> list[str]:
    """Return the same for the name of a user; none if there is no such user."""
    user = get_user_model().objects.filter(username=name, is_active=True).first()
    return [] if user is None else approver_groups(user, flow)


def to_approve(user: AnyUser) -> list[int]:
    """Return the numbers of the proposals that the user can approve, the first to expire first."""
    own, name = flows_of(user, "approve_repair"), user.get_username()
    found: list[int] = []
    if own != frozenset():
        flows = None if own is None else sorted(own)
        found += api.proposals_to_approve(flows, name, sorted(groups_of(user)))
    for flow in dict.fromkeys(flow for flow, _giver in giving_to(user)):
        found += api.proposals_to_approve([flow], name, approver_groups(user, flow))
    return list(dict.fromkeys(found))


def can_approve(user: AnyUser, proposal: Proposal) -> bool:
    """Return whether the user can approve this proposal now."""
    if not may_approve(user, proposal.flow):
        return False
    groups = approver_groups(user, proposal.flow)
    return proposal.number in api.proposals_to_approve([proposal.flow], user.get_username(), groups)


def may_override(user: AnyUser, proposal: Proposal) -> bool:
    """Return whether the user, an administrator, may approve a change of rules alone.

    That is where fewer persons can still approve it than it needs: otherwise no user could ever change them.
    """
    if not (user.is_active and user.is_superuser):
        return False
    if proposal.operation != RULES or proposal.state not in OPEN:
        return False
    missing = proposal.needed - sum(vote.kind == "approved" for vote in proposal.votes)
    for one in _with_the_right(proposal.flow):
        missing -= can_approve(one, proposal)
        if missing <= 0:
            return False
    return True


def may_override_as(name: str, proposal: Proposal) -> bool:
    """Return the same for the name of a user."""
    user = get_user_model().objects.filter(username=name).first()
    return user is not None and may_override(user, proposal)


def _with_the_right(flow: str) -> Iterable[AnyUser]:
    """Return the users who may have the right to approve repairs of a flow."""
    right = {"content_type__app_label": "flows", "codename": "approve_repair"}
    own = Q(is_superuser=True) | Q(groups__name=f"{PREFIX}{flow}:approve_repair")
    own |= Q(**{f"user_permissions__{name}": value for name, value in right.items()})
    own |= Q(**{f"groups__permissions__{name}": value for name, value in right.items()})
    return get_user_model().objects.filter(own, is_active=True).distinct().iterator()
