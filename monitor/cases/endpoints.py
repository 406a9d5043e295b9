"""Endpoints of cases: the work of people on exceptions."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query
from pydantic import Field

from flows import api as kernel
from flows.capabilities.cases.api import CLOSED_STATES, Case
from monitor.api import inputs, schemas
from monitor.api.caller import forbidden
from monitor.api.problems import Problem
from monitor.api.routing import DESIGN, READ, READ_SHOWN, REPAIR_SHOWN, call_of, flow_of, number_of, router
from monitor.api.scalars import Flag
from monitor.cases import schemas as case_schemas

SELECTING = ("state", "queue", "cause", "signature", "severity", "owner", "wid")


class Listed(schemas.Schema):
    flow: inputs.QueryText = ""
    state: Literal["new", "claimed", "waiting", "reopened", "applied", "accepted", "closed"] | None = None
    queue: inputs.QueryText = ""
    cause: inputs.QueryText = ""
    signature: inputs.QueryText = ""
    severity: inputs.Severity | None = None
    owner: inputs.QueryText = ""
    wid: Annotated[int, Field(ge=0, lt=2**31)] | None = None
    closed: Annotated[Flag, Field(description="Closed cases, the newest first.")] = False
    cursor: Annotated[str, Field(max_length=20, pattern=r"^[0-9]*$")] = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 50


@router.get("/cases", response=case_schemas.CasesOut, auth=READ_SHOWN, summary="Cases")
def cases(request: HttpRequest, given: Query[Listed]) -> Any:
    """Return a page of open cases, the most urgent first, or of closed ones."""
    where = {name: value for name in SELECTING if (value := getattr(given, name)) not in ("", None)}
    caller = call_of(request).caller
    if not given.flow and (caller.token is None or not caller.token.flows):
        where["person"] = caller.name  # the cases of instances for which the caller is responsible, too
    after = number_of(int(given.cursor)) if given.cursor else None
    closed = given.closed or given.state in CLOSED_STATES
    found = kernel.cases.list(
        _seen(request, given.flow), where, closed=closed, after=after, limit=given.limit + 1
    )
    page = found[: given.limit]
    following = str(page[-1].number) if len(found) > len(page) else None
    return {"items": [vars(each) for each in page], "next": following}


@router.get("/cases/groups", response=case_schemas.CaseGroupsOut, auth=READ_SHOWN, summary="Cases by cause")
def case_groups(
    request: HttpRequest, flow: inputs.QueryText = "", limit: Annotated[int, Field(ge=1, le=500)] = 100
) -> Any:
    """Return how many cases are open by flow, cause and signature, large groups first."""
    return {"items": [vars(each) for each in kernel.cases.groups(_seen(request, flow), limit)]}


@router.get("/cases/report", response=case_schemas.CaseReportOut, auth=READ_SHOWN, summary="Counts of cases")
def case_report(
    request: HttpRequest,
    by: Literal["cause", "age", "queue", "reason_code", "repairer", "flow", "week", "signature"] = "cause",
    days: Annotated[int, Field(ge=1, le=366)] = 30,
    flow: inputs.QueryText = "",
) -> Any:
    """Return the cases that were opened in the last days, counted by one thing, large groups first."""
    until = timezone.now()
    found = kernel.cases.report(by, until - timedelta(days=days), until, _seen(request, flow))
    return {"items": [asdict(each) for each in found]}


@router.post(
    "/cases/next", response=case_schemas.NextCaseOut, auth=REPAIR_SHOWN, summary="Claim the next case"
)
def next_case(request: HttpRequest, given: inputs.NextCaseIn) -> Any:
    """Claim the most urgent case that is neither claimed nor waiting."""
    caller = call_of(request).caller
    flows = caller.flows_to("handle")
    found = kernel.cases.next(given.queue or None, caller.name, given.minutes, flows=_listed(flows))
    return {"case": found and vars(found)}


@router.get("/cases/{int:case}", response=case_schemas.CaseDetailOut, auth=READ_SHOWN, summary="One case")
def case(request: HttpRequest, case: int) -> Any:
    """Return one case with its history."""
    return _shown(kernel.cases.read(case, [flow_of(request).name]))


@router.get(
    "/cases/{int:case}/suggestions",
    response=case_schemas.SuggestionsOut,
    auth=READ,
    summary="What repaired cases like this one",
)
def suggestions(request: HttpRequest, case: int) -> Any:
    """Return the repairs of closed cases with the same signature, the most successful first."""
    found = kernel.repairs.suggestions(case, _seen(request, ""))
    return {"items": [asdict(each) | {"thin": each.is_thin} for each in found]}


@router.get(
    "/cases/{int:case}/rule",
    response=case_schemas.ProposedRuleOut,
    auth=READ,
    summary="A rule for cases like this one",
)
def proposed_rule(request: HttpRequest, case: int) -> Any:
    """Return a rule that would have continued cases like this one; null if none can be derived."""
    found = kernel.repairs.proposed_rule(case, _seen(request, ""))
    return {"rule": found and asdict(found) | {"thin": found.is_thin}}


@router.post(
    "/cases/{int:case}/rule/draft",
    response=case_schemas.DraftedRuleOut,
    auth=DESIGN,
    summary="Add that rule to the draft",
)
def draft_proposed_rule(request: HttpRequest, case: int) -> Any:
    """Add the rule for cases like this one to the draft of the flow; nothing is published."""
    actor = call_of(request).caller.name
    draft = kernel.repairs.draft_proposed_rule(case, [flow_of(request).name], actor=actor)
    if draft is None:
        raise Problem(409, "No rule can be derived from this case.")
    return {"flow": draft.flow, "branch": draft.branch, "revision": draft.revision}


@router.post(
    "/cases/{int:case}/claim", response=case_schemas.CaseOut, auth=REPAIR_SHOWN, summary="Claim a case"
)
def claim_case(request: HttpRequest, case: int, given: inputs.ClaimIn) -> Any:
    """Claim a case for some minutes, or renew the claim; `take_over`, a reason, ends that of another."""
    found, flow = call_of(request), flow_of(request).name
    if given.take_over and not found.caller.may("repair", flow):
        raise forbidden(flow, "repair")
    return vars(kernel.cases.claim(case, found.caller.name, given.minutes, take_over=given.take_over))


@router.post(
    "/cases/{int:case}/release", response=case_schemas.CaseOut, auth=REPAIR_SHOWN, summary="Give a case back"
)
def release_case(request: HttpRequest, case: int) -> Any:
    """Give a claimed case back."""
    return vars(kernel.cases.release(case, call_of(request).caller.name))


@router.post(
    "/cases/{int:case}/comment",
    response=case_schemas.CaseDetailOut,
    auth=REPAIR_SHOWN,
    summary="Comment on a case",
)
def comment_case(request: HttpRequest, case: int, given: inputs.CommentIn) -> Any:
    """Add a comment to a case, open or closed."""
    kernel.cases.comment(case, call_of(request).caller.name, given.text)
    return _shown(kernel.cases.read(case))


@router.post(
    "/cases/{int:case}/wait", response=case_schemas.CaseOut, auth=REPAIR_SHOWN, summary="Put a case aside"
)
def wait_case(request: HttpRequest, case: int, given: inputs.WaitIn) -> Any:
    """Put a case aside until a time or until a condition holds, because information is missing."""
    if given.condition and flow_of(request).concealed:
        raise Problem(403, "A case of a flow with values that you may not see waits for a time only.")
    actor, until = call_of(request).caller.name, given.until and _aware(given.until)
    return vars(kernel.cases.wait(case, until, actor, given.text, condition=given.condition))


@router.post(
    "/cases/{int:case}/change", response=case_schemas.CaseOut, auth=REPAIR_SHOWN, summary="Change a case"
)
def change_case(request: HttpRequest, case: int, given: inputs.CaseChangesIn) -> Any:
    """Change queue, severity, priority, due time or reason code; what is not sent stays as it is."""
    changes = given.dict(exclude_unset=True)
    if changes.get("due_at"):
        changes["due_at"] = _aware(changes["due_at"])
    return vars(kernel.cases.change(case, changes, call_of(request).caller.name))


def _seen(request: HttpRequest, flow: str) -> list[str] | None:
    """Return the flows whose cases are shown, None for all; one that the caller may not see is not found."""
    caller = call_of(request).caller
    return [caller.flow_or_404(flow).name] if flow else _listed(caller.flows)


def _listed(flows: frozenset[str] | None) -> list[str] | None:
    return None if flows is None else sorted(flows)


def _shown(found: Case) -> dict[str, Any]:
    return vars(found) | {"history": [vars(each) for each in found.history]}


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else timezone.make_aware(moment)
