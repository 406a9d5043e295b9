"""Four eyes: rules by which repairs need approvals, proposals, decisions about them, and delegations.

`flows` are the flows that the caller may see, repair or approve repairs of, which the caller has checked;
None means all. A proposal of another flow is unknown. `groups` are the groups of the person who decides,
which the caller has read: a rule may name one whose members approve.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from flows.capabilities.bulk.api import BulkRequest
from flows.capabilities.recovery.api import PROPOSAL_HOURS, Approvals
from flows.errors import WedError
from flows.statements import JSON, read_as, rows, typed_error, value

OPEN = ("proposed", "approved")
RULES = "approval_rules"


@dataclass(frozen=True)
class ApprovalRule:
    """How many other persons approve a repair: 0, 1 or 2. Of the rules that match the largest number counts.

    A rule matches one of `operations` (empty: any) that writes one of `attributes` (empty: any repair), if
    `condition`, an SQL predicate over the state after the repair, holds ('' always does); with `bulk_above`
    only as a part of an operation on more instances. `approvers` names the group whose members approve.
    """

    approvals: int
    title: str = ""
    operations: Sequence[str] = ()
    attributes: Sequence[str] = ()
    condition: str = ""
    bulk_above: int | None = None
    approvers: str = ""


@dataclass(frozen=True)
class SavedApprovalRule(ApprovalRule):
    """A rule as it is saved; `missing` has the attributes in it that the flow no longer has."""

    changed_by: str = ""
    changed_at: datetime | None = None
    missing: Sequence[str] = field(default_factory=list)


@dataclass(frozen=True)
class Vote:
    """A decision: `kind` is approved or rejected; `on_behalf` has who delegated approving to the voter.

    `administrator`: where too few other persons could approve a change of rules.
    """

    kind: str
    voter: str
    on_behalf: Sequence[str]
    groups: Sequence[str]
    note: str
    at: datetime
    administrator: bool = False


@dataclass(frozen=True)
class Proposal:
    """A repair that needs `needed` approvals: of the instance `wid`, at its step `expected_seq`.

    Or the bulk operation `bulk` on `total` instances. Or, where the operation is RULES, a change of the rules
    for approvals: `arguments` has them `before` and then, as `rules`.

    `state` is proposed, approved (by the first of two), applied, rejected, withdrawn, expired or failed;
    `failure` says why it could not be applied. `title` is the rule's. `approvers` are groups: who decides is
    a member of each.
    """

    number: int
    flow: str
    wid: int | None
    bulk: int | None
    total: int | None
    case: int | None
    operation: str
    arguments: Mapping[str, Any]
    reason: str
    maker: str
    expected_seq: int | None
    needed: int
    title: str
    approvers: Sequence[str]
    state: str
    proposed_at: datetime
    expires_at: datetime
    closed_at: datetime | None
    failure: WedError | None
    votes: Sequence[Vote]


@dataclass(frozen=True)
class Delegation:
    """`to_person` approves repairs of a flow for `from_person` from one time to another."""

    id: int
    flow: str
    from_person: str
    to_person: str
    begins_at: datetime
    ends_at: datetime
    made_by: str
    made_at: datetime


def list_approval_rules(flow: str, *, conn: Any = None) -> list[SavedApprovalRule]:
    """Return the rules for approvals of a flow, in their order. Raises UnknownFlow."""
    found = rows(conn, "select wedsql.list_approval_rules(%s)", (flow,))
    return [read_as(SavedApprovalRule, each) for (each,) in found]


def save_approval_rules(
    flow: str, rules: Sequence[ApprovalRule], actor: str, *, conn: Any = None
) -> list[SavedApprovalRule]:
    """Replace the rules for approvals of a flow. What makes one weaker is proposed instead.

    Raises UnknownFlow, PredicateRefused, PredicateType, BadProposal; NeedsApprovals where a rule is removed
    or becomes weaker.
    """
    found = rows(conn, "select wedsql.save_approval_rules(%s, %s, %s)", (flow, _given(rules), actor))
    return [read_as(SavedApprovalRule, each) for (each,) in found]


def propose_approval_rules(
    flow: str,
    rules: Sequence[ApprovalRule],
    reason: str,
    *,
    actor: str = "",
    hours: int = PROPOSAL_HOURS,
    conn: Any = None,
) -> Proposal:
    """Propose other rules for approvals of a flow, some of them weaker than those that there are.

    It is approved, rejected and withdrawn as a repair is. Raises UnknownFlow, PredicateRefused,
    PredicateType, and BadProposal if it needs no approval or one waits already.
    """
    call = "select wedsql.propose_approval_rules(%s, %s, %s, %s, %s)"
    return _proposal(value(conn, call, (flow, _given(rules), reason, actor, hours)))


def approve_as_administrator(number: int, actor: str, reason: str, *, conn: Any = None) -> Proposal:
    """Approve and apply a change of rules where too few other persons may, which the caller has checked.

    The vote is recorded as an administrator's. Raises BadProposal, UnknownProposal.
    """
    call = "select wedsql.approve_as_administrator(%s, %s, %s)"
    return _proposal(value(conn, call, (number, actor, reason)))


def propose_repair(  # noqa: PLR0913 - the parts of a proposal
    wid: int,
    operation: str,
    arguments: Mapping[str, Any] | None = None,
    reason: str = "",
    *,
    actor: str = "",
    expected_seq: int | None = None,
    hours: int = PROPOSAL_HOURS,
    conn: Any = None,
) -> Proposal:
    """Propose a repair that needs approvals; it expires after some hours.

    Raises BadProposal if it needs none or one waits already, InstanceMoved, and what the repair raises.
    """
    call = "select wedsql.propose_repair(%s::integer, %s, %s, %s, %s, %s::integer, %s)"
    given = (wid, operation, JSON(dict(arguments or {})), reason, actor, expected_seq, hours)
    return _proposal(value(conn, call, given))


def approve_repair(
    number: int,
    actor: str,
    groups: Sequence[str] = (),
    note: str = "",
    *,
    flows: Sequence[str] | None = None,
    conn: Any = None,
) -> Proposal:
    """Approve a proposal; the last approval applies it. Its state is "failed" if that was not possible.

    Raises BadProposal, UnknownProposal, WrongPerson, NotApprover.
    """
    call = "select wedsql.approve_repair(%s, %s, %s::text[], %s, %s::text[])"
    return _proposal(value(conn, call, (number, actor, list(groups), note, _names(flows))))


def reject_repair(
    number: int,
    actor: str,
    reason: str,
    groups: Sequence[str] = (),
    *,
    flows: Sequence[str] | None = None,
    conn: Any = None,
) -> Proposal:
    """Reject a proposal with a reason. Raises BadProposal, UnknownProposal, WrongPerson, NotApprover."""
    call = "select wedsql.reject_repair(%s, %s, %s, %s::text[], %s::text[])"
    return _proposal(value(conn, call, (number, actor, reason, list(groups), _names(flows))))


def withdraw_repair(
    number: int, actor: str, *, flows: Sequence[str] | None = None, conn: Any = None
) -> Proposal:
    """Withdraw a proposal, as its maker. Raises BadProposal, UnknownProposal, WrongPerson."""
    call = "select wedsql.withdraw_repair(%s, %s, %s::text[])"
    return _proposal(value(conn, call, (number, actor, _names(flows))))


def read_proposal(number: int, flows: Sequence[str] | None = None, *, conn: Any = None) -> Proposal:
    """Return a proposal with its votes. Raises UnknownProposal."""
    return _proposal(value(conn, "select wedsql.read_proposal(%s, %s::text[])", (number, _names(flows))))


def list_proposals(
    flows: Sequence[str] | None = None,
    *,
    wid: int | None = None,
    closed: bool = False,
    after: int | None = None,
    limit: int = 50,
    person: str = "",
    conn: Any = None,
) -> list[Proposal]:
    """Return proposals that wait, the first to expire first, or with `closed` the others, newest first.

    At most 500. `after` is the number of the last proposal of the page before. With `person` those of
    instances of other flows about which that person decides are among them.
    """
    call = "select wedsql.list_proposals(%s::text[], %s::integer, %s, %s::bigint, %s, %s)"
    given = (_names(flows), wid, closed, after, limit, person)
    return [_proposal(each) for (each,) in rows(conn, call, given)]


def listed_proposals(
    numbers: Sequence[int], flows: Sequence[str] | None = None, *, conn: Any = None
) -> list[Proposal]:
    """Return these proposals in their order, those that there are, at most 501."""
    call = "select wedsql.proposal_items(%s::text[], %s::bigint[])"
    return [_proposal(each) for (each,) in rows(conn, call, (_names(flows), list(numbers)))]


def proposals_to_approve(
    flows: Sequence[str] | None, actor: str, groups: Sequence[str] = (), *, conn: Any = None
) -> list[int]:
    """Return the numbers of at most 1,000 proposals that a person can approve, the first to expire first."""
    call = "select wedsql.proposals_to_approve(%s::text[], %s, %s::text[])"
    return [int(each) for (each,) in rows(conn, call, (_names(flows), actor, list(groups)))]


def delegate_approvals(
    flow: str, giver: str, taker: str, until: datetime, *, begin: datetime | None = None, actor: str = "",
    conn: Any = None,
) -> Delegation:  # fmt: skip
    """Let `taker` approve repairs of a flow for `giver` until a time. Raises UnknownFlow, BadProposal."""
    call = "select wedsql.delegate_approvals(%s, %s, %s, %s::timestamptz, %s::timestamptz, %s)"
    return read_as(Delegation, value(conn, call, (flow, giver, taker, begin, until, actor)))


def end_delegation(
    number: int, giver: str | None = None, actor: str | None = None, *, conn: Any = None
) -> Delegation:
    """End a delegation now, with `giver` only one of this person. Raises BadProposal."""
    call = "select wedsql.end_delegation(%s, %s, %s)"
    return read_as(Delegation, value(conn, call, (number, giver, actor)))


def list_delegations(
    flows: Sequence[str] | None = None, taker: str | None = None, *, conn: Any = None
) -> list[Delegation]:
    """Return the delegations that have not ended; with `taker` those to this person that have begun."""
    call = "select wedsql.list_delegations(%s::text[], %s)"
    return [read_as(Delegation, each) for (each,) in rows(conn, call, (_names(flows), taker))]


def _given(rules: Sequence[ApprovalRule]) -> Any:
    return JSON([{name: asdict(each)[name] for name in ApprovalRule.__dataclass_fields__} for each in rules])


def _names(flows: Sequence[str] | None) -> list[str] | None:
    return None if flows is None else list(flows)


def _proposal(found: Mapping[str, Any]) -> Proposal:
    why = found["failure"]
    failure = typed_error(*(why[name] for name in ("sqlstate", "message", "hint", "detail"))) if why else None
    votes = [read_as(Vote, each) for each in found["votes"]]
    return read_as(Proposal, {**found, "failure": failure, "votes": votes})


def bulk_approvals(request: BulkRequest, wids: Sequence[int], *, conn: Any = None) -> Approvals:
    """Return which approvals an operation on these instances needs."""
    call = "select wedsql.bulk_approvals(%s, %s::integer[], %s)"
    return Approvals(**value(conn, call, (request.operation, list(wids), JSON(dict(request.arguments)))))
