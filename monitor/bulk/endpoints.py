"""Endpoints that repair many instances of a flow: preview, request, progress, results, withdraw.

What a request is about is confirmed by the number and the digest of a preview: instances at their steps.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Status

from flows import api as kernel
from flows.access import right_for
from flows.capabilities.bulk import queries as bulk_queries
from flows.capabilities.bulk.api import Bulk, BulkPreview, BulkRequest
from flows.capabilities.bulk.queries import Chosen
from flows.filters import parse
from monitor.api import inputs, schemas
from monitor.api.caller import Caller, forbidden
from monitor.api.problems import Problem
from monitor.api.routing import READ, REPAIR, call_of, flow_of, router
from monitor.bulk import schemas as bulks

log = logging.getLogger("wedsql.api")


@router.post(
    "/flows/{slug:name}/repairs/preview",
    response=bulks.BulkPreviewOut,
    auth=REPAIR,
    summary="Preview a repair of many instances",
)
def preview_bulk(request: HttpRequest, name: str, given: inputs.BulkPreviewIn) -> Any:
    """Return the effect of a repair on the first instances of a filter, and what confirms all of them."""
    caller, found, asked = _allowed(request, given.operation), _selected(request, given.q), _asked(given)
    needed = kernel.approvals.of_bulk(asked, found.wids)
    total, claims = len(found.wids), kernel.cases.claims_of_others(found.wids, caller.name)
    tasks = kernel.tasks.of_others(found.wids, caller.name)
    shown = kernel.bulk.preview(asked, found.wids[: given.limit], actor=caller.name, total=total)
    return {
        "total": total,
        "applies": len(bulk_queries.applicable(given.operation).among(found, given.transition)),
        "digest": found.digest_at,
        "needed": needed.needed,
        "title": needed.title,
        "claimed": sum(one.cases for one in claims),
        "claims": [vars(one) for one in claims],
        "held": sum(one.tasks for one in tasks),
        "holders": [vars(one) for one in tasks],
        "items": [_row(each) for each in shown],
    }


@router.post(
    "/flows/{slug:name}/repairs",
    response={202: bulks.BulkOut},
    auth=REPAIR,
    summary="Repair many instances",
)
def request_bulk(request: HttpRequest, name: str, given: inputs.BulkIn) -> Any:
    """Request a repair of the instances that a preview confirmed; with `propose`, propose it for approval."""
    caller, found = _allowed(request, given.operation), _selected(request, given.q)
    _check_others(found, caller, given)
    made = kernel.bulk.request(
        replace(_asked(given), reason=given.reason, atomic=given.atomic, propose=given.propose),
        found.wids,
        expected=given.expected,
        digest=given.digest,
        flows=[name],
        actor=caller.name,
    )
    log.info("%s of many by a token or session", given.operation, extra={"bulk": made.id})
    return Status(202, _shown(made))


@router.get("/repairs/{int:bulk}", response=bulks.BulkOut, auth=READ, summary="Progress of a repair of many")
def bulk_progress(request: HttpRequest, bulk: int) -> Any:
    """Return how many instances of an operation on many are done, refused or left."""
    return _shown(kernel.bulk.read(bulk))


@router.get(
    "/repairs/{int:bulk}/instances",
    response=bulks.BulkRowsOut,
    auth=READ,
    summary="Results of a repair of many",
)
def bulk_results(request: HttpRequest, bulk: int, given: Query[bulks.ListedResults]) -> Any:
    """Return a page of the instances of an operation on many with their results."""
    after = int(given.cursor) if given.cursor else 0
    rows = kernel.bulk.rows(bulk, given.result, after=after, limit=given.limit + 1)
    page = rows[: given.limit]
    following = str(page[-1].wid) if len(rows) > len(page) else None
    return {"items": [_result(each) for each in page], "next": following}


@router.post(
    "/repairs/{int:bulk}/withdraw",
    response=bulks.BulkOut,
    auth=REPAIR,
    summary="Withdraw the rest of a repair of many",
)
def withdraw_bulk(request: HttpRequest, bulk: int) -> Any:
    """Withdraw what is left of an operation on many; what is done stays."""
    caller, found = call_of(request).caller, kernel.bulk.read(bulk)
    needed = right_for(found.operation)
    for flow in found.flows:
        if not caller.may(needed, flow):
            raise forbidden(flow, needed)
    return _shown(kernel.bulk.withdraw(bulk, actor=caller.name))


def _check_others(found: Chosen, caller: Caller, given: inputs.BulkIn) -> None:
    """Raise Problem where others have other numbers of cases and tasks than the request confirms."""
    claims = kernel.cases.claims_of_others(found.wids, caller.name)
    if given.claimed != (count := sum(one.cases for one in claims)):
        raise Problem(
            409,
            f"Other persons have claimed {count} of the cases{_named(claims)}.",
            f"Send it again with “claimed” {count}; who loses a claim gets a message.",
        )
    tasks = kernel.tasks.of_others(found.wids, caller.name)
    if given.held != (count := sum(one.tasks for one in tasks)):
        raise Problem(
            409,
            f"Other persons hold {count} tasks of the instances{_named(tasks)}.",
            f"Send it again with “held” {count}; who loses a task gets a message.",
        )


def _named(others: Sequence[Any]) -> str:
    return f": {', '.join(one.owner for one in others)}" if others else ""


def _allowed(request: HttpRequest, operation: str) -> Caller:
    """Return the caller, who may do the operation. Raises Problem."""
    caller, flow, needed = call_of(request).caller, flow_of(request).name, right_for(operation)
    if not caller.may(needed, flow):
        raise forbidden(flow, needed)
    return caller


def _selected(request: HttpRequest, text: str) -> Chosen:
    """Return the instances of the flow that the filter selects. Raises Problem, BadFilter."""
    chosen = parse(text, flow_of(request), timezone.get_current_timezone())
    found = bulk_queries.selected(bulk_queries.over(chosen, None))
    if found.too_many:
        raise Problem(
            422,
            "One operation is performed on at most 100,000 instances.",
            "Narrow the filter.",
            code="54000",
        )
    return found


def _asked(given: inputs.BulkPreviewIn) -> BulkRequest:
    more: dict[str, Any] = {"transition": given.transition, "arguments": given.arguments}
    return BulkRequest(given.operation, "", query=given.q, **more)


def _shown(found: Bulk) -> dict[str, Any]:
    return vars(found) | {"left": found.left}


def _row(found: BulkPreview) -> dict[str, Any]:
    refused, seen = found.refusal, found.preview
    return {
        "wid": found.wid,
        "status_after": schemas.STATUS[seen.status_after] if seen and not refused else None,
        "fires": [each.transition for each in seen.fires] if seen and not refused else [],
        "refusal": {"code": refused.sqlstate, "detail": refused.message, "hint": refused.hint}
        if refused
        else None,
    }


def _result(found: Any) -> dict[str, Any]:
    return vars(found) | {"code": found.sqlstate, "status": schemas.STATUS.get(found.status or "")}
