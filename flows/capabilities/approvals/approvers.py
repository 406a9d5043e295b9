"""Who may approve repairs: by the own rights and groups, or by those of a person who has delegated it.

The database compares persons and groups; which groups a user is in, Django's tables say, so the callers of
flows.api pass them. docs/decisions/approvers.md has the reasons.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import islice

from django.contrib.auth import get_user_model
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from flows import api
from flows.access import (
    PREFIX,
    AnyUser,
    flows_of,
    group_names,
    may,
    may_handle,
    may_operate,
    may_perform,
    may_see,
    right_for,
)
from flows.capabilities.approvals.api import OPEN, RULES, Proposal
from flows.errors import NotApprover
from flows.users.requesters import may_still

# Of how many excluded persons the sentence speaks.
MOST_EXCLUDED = 5


def groups_of(user: AnyUser) -> set[str]:
    """Return the names of the user's groups that a rule may name; read once per user object."""
    found: set[str] | None = getattr(user, "_approver_groups", None)
    if found is None:
        found = {name for name in group_names(user) if not name.startswith(PREFIX)}
        user._approver_groups = found  # type: ignore[union-attr]
    return found


def giving_to(user: AnyUser, flows: Iterable[str] | None = None) -> list[tuple[str, AnyUser]]:
    """Return the flows in which another person who may approve lets the user do so, with that person.

    Read once per user object.
    """
    named = None if flows is None else tuple(flows)
    known: dict[tuple[str, ...] | None, list[tuple[str, AnyUser]]] = getattr(user, "_givers", {})
    if named not in known:
        known[named] = [*_giving_to(user, named)]
        user._givers = known  # type: ignore[union-attr]
    return known[named]


def _giving_to(user: AnyUser, flows: tuple[str, ...] | None) -> Iterable[tuple[str, AnyUser]]:
    name = user.get_username()
    if not user.is_authenticated or not user.is_active:
        return
    for given in api.approvals.list_delegations(None if flows is None else list(flows), name):
        giver = get_user_model().objects.filter(username__iexact=given.from_person).first()
        if giver is not None and may(giver, "approve_repair", given.flow) and may_see(user, given.flow):
            yield given.flow, giver


def may_approve(user: AnyUser, flow: str) -> bool:
    """Return whether the user may approve repairs of this flow, by itself or for another person."""
    return may(user, "approve_repair", flow) or any(giving_to(user, [flow]))


def approver_groups(user: AnyUser, flow: str) -> list[str]:
    """Return the groups that count when the user approves a repair of this flow."""
    found = groups_of(user) if may(user, "approve_repair", flow) else set()
    for _name, giver in giving_to(user, [flow]):
        found |= groups_of(giver)
    return sorted(found)


def checked_groups(name: str, flow: str) -> list[str]:
    """Return the groups of the name of a user, who may approve repairs of the flow now; none without user.

    Raises NotApprover.
    """
    user = get_user_model().objects.filter(username__iexact=name.strip()).first()
    if user is not None and not may_approve(user, flow):
        raise NotApprover(
            _("%(person)s may not approve repairs of flow “%(flow)s”.") % {"person": name, "flow": flow},
            hint=_("Another person must do so."),
        )
    return [] if user is None else approver_groups(user, flow)


def approve(number: int, name: str, groups: Iterable[str], note: str = "") -> Proposal:
    """Approve a proposal; one whose maker may no longer do what it proposes fails instead, and is returned.

    Raises what flows.api.approvals.approve raises.
    """
    found = api.approvals.read(number)
    if found.state in OPEN and not may_still(found.maker, partial(_may_propose, found)):
        api.maintenance.end_request("proposal", number, found.maker)
        return api.approvals.read(number)
    return api.approvals.approve(number, name, list(groups), note)


def _may_propose(found: Proposal, user: AnyUser) -> bool:
    """Return whether a user may do what a proposal is about."""
    if found.operation == RULES:
        return may(user, "design", found.flow)
    if found.wid is None:
        return may(user, right_for(found.operation), found.flow)
    return may_perform(user, found.flow, found.operation, found.wid, found.arguments)


def to_approve(user: AnyUser) -> list[int]:
    """Return the numbers of the proposals that the user can approve, the first to expire first."""
    own, name = flows_of(user, "approve_repair"), user.get_username()
    found: list[int] = []
    if own != frozenset():
        flows = None if own is None else sorted(own)
        found += api.approvals.to_approve(flows, name, sorted(groups_of(user)))
    for flow in dict.fromkeys(flow for flow, _who in giving_to(user)):
        found += api.approvals.to_approve([flow], name, approver_groups(user, flow))
    return list(dict.fromkeys(found))


def can_approve(user: AnyUser, proposal: Proposal) -> bool:
    """Return whether the user can approve this proposal now."""
    if not may_approve(user, proposal.flow):
        return False
    groups = approver_groups(user, proposal.flow)
    return proposal.number in api.approvals.to_approve([proposal.flow], user.get_username(), groups)


def may_override(user: AnyUser, proposal: Proposal) -> bool:
    """Return whether the user, an administrator, may approve a change of rules alone.

    That is where fewer persons can still approve it than it needs: otherwise no user could ever change them.
    """
    if not (user.is_active and user.is_superuser):
        return False
    return proposal.operation == RULES and lacking(proposal, user) > 0


def may_override_as(name: str, proposal: Proposal) -> bool:
    """Return the same for the name of a user."""
    user = get_user_model().objects.filter(username=name).first()
    return user is not None and may_override(user, proposal)


def lacking(proposal: Proposal, viewer: AnyUser | None = None, *, able: bool | None = None) -> int:
    """Return how many of the approvals that an open proposal still needs no user can give now.

    viewer: the user of the request; able: whether this user can approve it, if that is known.
    """
    if proposal.state not in OPEN:
        return 0
    return _lacking(proposal, viewer, able, [*_delegates(proposal.flow)])


def _lacking(
    proposal: Proposal, viewer: AnyUser | None, able: bool | None, delegates: Iterable[AnyUser]
) -> int:
    missing = proposal.needed - sum(vote.kind == "approved" for vote in proposal.votes)
    counted: set[str] = set()
    for found in (*_with_the_right(proposal.flow, proposal.approvers), *delegates):
        if missing <= 0:
            break
        one = viewer if viewer is not None and viewer.pk == found.pk else found
        # Who approves for another person counts as both.
        persons = {
            one.get_username(),
            *(giver.get_username() for _name, giver in giving_to(one, [proposal.flow])),
        }
        can = able if one is viewer and able is not None else can_approve(one, proposal)
        if can and not persons & counted:
            counted |= persons
            missing -= 1
    return max(missing, 0)


def excluded(proposal: Proposal, delegates: Iterable[AnyUser] | None = None) -> list[tuple[str, str]]:
    """Return who could approve a proposal but for a delegation, with the maker or voter who delegated it.

    delegates: to whom others delegate approving in the flow, if that is known.
    """
    decided = {name.lower() for name in (proposal.maker, *(vote.voter for vote in proposal.votes))}
    found: dict[str, str] = {}
    for one in _delegates(proposal.flow) if delegates is None else delegates:
        if len(found) == MOST_EXCLUDED:
            break
        name = one.get_username()
        givers = (giver.get_username() for _flow, giver in giving_to(one, [proposal.flow]))
        giver = next((giver for giver in givers if giver.lower() in decided), None)
        if giver is not None and name.lower() not in decided and may_approve(one, proposal.flow):
            found[name] = giver
    return [*found.items()]


def excluded_sentence(proposal: Proposal, delegates: Iterable[AnyUser] | None = None) -> str:
    """Return the sentences that say whom delegations exclude from approving; "" if they exclude no user."""
    sentence = _(
        "%(person)s cannot approve it while this person approves for %(giver)s, who made or approved it."
    )
    return " ".join(
        sentence % {"person": name, "giver": giver} for name, giver in excluded(proposal, delegates)
    )


def lacking_sentence(proposal: Proposal, viewer: AnyUser | None = None, *, able: bool | None = None) -> str:
    """Return the sentence about what is lacking; "" if nothing is, or an administrator may decide alone."""
    delegates = [*_delegates(proposal.flow)] if proposal.state in OPEN else []
    missing = _lacking(proposal, viewer, able, delegates) if proposal.state in OPEN else 0
    administrators = get_user_model().objects.filter(is_superuser=True, is_active=True)
    if not missing or (proposal.operation == RULES and administrators.exists()):
        return ""
    sentence = ngettext(
        "%(n)s approval that it needs can be given by no active user now, so it is never applied."
        " Give another user the right or the group, or withdraw it.",
        "%(n)s approvals that it needs can be given by no active user now, so it is never applied."
        " Give other users the right or the group, or withdraw it.",
        missing,
    ) % {"n": missing}
    return f"{sentence} {excluded_sentence(proposal, delegates)}".rstrip()


def too_few(flow: str, approvals: int, group: str) -> str:
    """Return the sentence that a rule asks for more persons than there are; "" if there are enough."""
    if not approvals:
        return ""
    able = (
        one for one in _with_the_right(flow, [group] if group else []) if may(one, "approve_repair", flow)
    )
    found = list(islice(able, approvals + 1))
    names = {"persons": ", ".join(one.get_username() for one in found)}
    if not found:
        return _("No active user may approve as this rule asks, so what it matches is never applied.")
    if len(found) < approvals:
        return (
            _("Only %(persons)s may approve as this rule asks, so what it matches is never applied.") % names
        )
    if len(found) == approvals and any(may_handle(one, flow) or may_operate(one, flow) for one in found):
        return (
            _("Only %(persons)s may approve as this rule asks, so their own proposals are never applied.")
            % names
        )
    return ""


def _delegates(flow: str) -> Iterable[AnyUser]:
    """Return the users to whom another person delegates approving in a flow."""
    names = {given.to_person for given in api.approvals.list_delegations([flow])}
    return get_user_model().objects.filter(username__in=names, is_active=True).iterator()


def _with_the_right(flow: str, groups: Iterable[str]) -> Iterable[AnyUser]:
    """Return the users, members of these groups, who may have the right to approve repairs of a flow."""
    right = {"content_type__app_label": "flows", "codename": "approve_repair"}
    own = Q(is_superuser=True) | Q(groups__name=f"{PREFIX}{flow}:approve_repair")
    own |= Q(**{f"user_permissions__{name}": value for name, value in right.items()})
    own |= Q(**{f"groups__permissions__{name}": value for name, value in right.items()})
    found = get_user_model().objects.filter(own, is_active=True)
    for group in groups:
        found = found.filter(groups__name=group)
    return found.distinct().order_by("username").iterator()
