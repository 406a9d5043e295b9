"""Endpoints of proposed repairs: propose, list, approve, reject, withdraw.

A program may propose. Approving and rejecting is for people, so it needs a session: no token has that right.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query, Schema, Status
from pydantic import Field

from flows import api as kernel
from flows.capabilities.approvals import approvers
from flows.capabilities.approvals.api import Proposal
from monitor.api import inputs
from monitor.api.caller import forbidden
from monitor.api.problems import Problem
from monitor.api.routing import PERFORM_SHOWN, READ_SHOWN, call_of, flow_of, number_of, router
from monitor.api.scalars import Flag

log = logging.getLogger("wedsql.api")


class VoteOut(Schema):
    """A decision: approved or rejected; `on_behalf` has who had delegated approving to the voter.

    `administrator` marks an approval of rules where too few other persons could give one.
    """

    kind: str
    voter: str
    on_behalf: list[str]
    note: str
    at: datetime
    administrator: bool


class ProposalOut(Schema):
    """A repair, or a change of the rules themselves, that others have to approve; see docs/approvals.md."""

    number: int
    flow: str
    wid: int | None = Field(description="The instance; null if it is about many, or about rules.")
    bulk: int | None = Field(description="The bulk operation, if it is about many instances.")
    total: int | None = Field(description="How many instances that is about.")
    case: int | None
    operation: str = Field(description="Of the repair; `approval_rules` for a change of the rules.")
    reason: str
    maker: str
    expected_seq: int | None = Field(description="The step of the instance on which it is applied.")
    needed: int = Field(description="How many other persons approve it.")
    title: str = Field(description="Of the rule because of which they do.")
    approvers: list[str] = Field(description="Groups: who decides is a member of each.")
    state: str
    proposed_at: datetime
    expires_at: datetime
    closed_at: datetime | None
    failure: str = Field(description="The SQLSTATE of why it could not be applied.")
    votes: list[VoteOut]


class ProposalsOut(Schema):
    items: list[ProposalOut]
    next: str | None = Field(None, description="The cursor of the next page; null at the end.")


class ListedProposals(Schema):
    flow: inputs.QueryText = ""
    closed: Annotated[Flag, Field(description="What was decided, the newest first.")] = False
    cursor: Annotated[str, Field(max_length=20, pattern=r"^[0-9]*$")] = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 50


@router.post(
    "/instances/{int:wid}/repair/propose",
    response={202: ProposalOut},
    auth=PERFORM_SHOWN,
    summary="Propose a repair",
)
def propose_repair(request: HttpRequest, wid: int, given: inputs.RepairIn) -> Any:
    """Propose a repair that other persons have to approve; the last approval applies it."""
    caller, flow = call_of(request).caller, flow_of(request).name
    caller.check(given.operation, flow, wid, given.arguments)
    made = kernel.approvals.propose(
        wid, given.operation, given.arguments, given.reason, actor=caller.name, expected_seq=given.seq
    )
    log.info("%s proposed by a token or session", given.operation, extra={"wid": wid})
    return Status(202, _shown(made))


@router.get("/proposals", response=ProposalsOut, auth=READ_SHOWN, summary="Proposed repairs")
def proposals(request: HttpRequest, given: Query[ListedProposals]) -> Any:
    """Return a page of repairs that wait for approvals, the first to expire first, or of the others."""
    caller = call_of(request).caller
    seen = caller.flows
    flows = None if seen is None else sorted(seen)
    if given.flow:
        flows = [given.flow] if seen is None or given.flow in seen else []
    after = number_of(int(given.cursor)) if given.cursor else None
    narrowed = given.flow or (caller.token is not None and caller.token.flows)
    person = "" if narrowed else caller.name  # the proposals of instances about which the caller decides, too
    found = kernel.approvals.list(
        flows, closed=given.closed, after=after, limit=given.limit + 1, person=person
    )
    page = found[: given.limit]
    following = str(page[-1].number) if len(found) > len(page) else None
    return {"items": [_shown(each) for each in page], "next": following}


@router.get("/proposals/{int:proposal}", response=ProposalOut, auth=READ_SHOWN, summary="One proposal")
def proposal(request: HttpRequest, proposal: int) -> Any:
    """Return one proposal with its votes."""
    return _shown(kernel.approvals.read(proposal))


@router.post(
    "/proposals/{int:proposal}/approve", response=ProposalOut, auth=READ_SHOWN, summary="Approve a repair"
)
def approve_repair(request: HttpRequest, proposal: int, given: inputs.NoteIn) -> Any:
    """Approve a proposal; the last approval applies it. Its state is `failed` if that was not possible."""
    name, groups = _checker(request)
    return _shown(approvers.approve(proposal, name, groups, given.note))


@router.post(
    "/proposals/{int:proposal}/reject", response=ProposalOut, auth=READ_SHOWN, summary="Reject a repair"
)
def reject_repair(request: HttpRequest, proposal: int, given: inputs.ReasonIn) -> Any:
    """Reject a proposal with a reason."""
    name, groups = _checker(request)
    return _shown(kernel.approvals.reject(proposal, name, given.reason, groups))


@router.post(
    "/proposals/{int:proposal}/withdraw",
    response=ProposalOut,
    auth=PERFORM_SHOWN,
    summary="Withdraw a proposal",
)
def withdraw_repair(request: HttpRequest, proposal: int) -> Any:
    """Withdraw a proposal, as its maker, who may still propose such a thing."""
    return _shown(kernel.approvals.withdraw(proposal, call_of(request).caller.name))


def _checker(request: HttpRequest) -> tuple[str, list[str]]:
    """Return the name and the groups of a person who may approve repairs of the flow. Raises Problem."""
    caller, flow = call_of(request).caller, flow_of(request).name
    if caller.token is not None:
        raise Problem(403, "A token approves nothing.", "Decide on the page of the proposal.")
    if not approvers.may_approve(caller.user, flow):
        raise forbidden(flow, "approve repairs of")
    return caller.name, approvers.approver_groups(caller.user, flow)


def _shown(found: Proposal) -> dict[str, Any]:
    failure = found.failure.code if found.failure else ""
    return vars(found) | {"failure": failure, "votes": [vars(each) for each in found.votes]}
