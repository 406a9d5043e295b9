"""Endpoints that repair an instance, and that say what a repair would do."""

from __future__ import annotations

import logging
from typing import Any

from django.http import HttpRequest

from flows import api as kernel
from flows.capabilities.recovery.api import RepairPreview
from flows.errors import WedError
from monitor import masking
from monitor.api import inputs, schemas
from monitor.api.caller import Caller
from monitor.api.others import check_others
from monitor.api.problems import Problem
from monitor.api.routing import PERFORM_SHOWN, call_of, flow_of, router
from monitor.recovery import schemas as repairs

log = logging.getLogger("wedsql.api")


@router.post(
    "/instances/{int:wid}/repair",
    response=repairs.RepairedOut,
    auth=PERFORM_SHOWN,
    summary="Repair an instance",
)
def repair(request: HttpRequest, wid: int, given: inputs.RepairIn) -> Any:
    """Perform an operation on an instance; with `seq`, the step of a preview, only on that state."""
    caller = _allowed(request, wid, given)
    check_others(wid, caller, given)
    done = kernel.repairs.repair(
        wid, given.operation, given.arguments, given.reason, actor=caller.name, expected_seq=given.seq
    )
    log.info("%s by a token or session", given.operation, extra={"wid": wid})
    found = {"wid": wid, "status": schemas.STATUS[done.status], "seq": done.seq}
    return found | {"instance": done.facts.get("instance")}


@router.post(
    "/instances/{int:wid}/repair/preview",
    response=repairs.RepairPreviewOut,
    auth=PERFORM_SHOWN,
    summary="Preview a repair",
)
def preview_repair(request: HttpRequest, wid: int, given: inputs.RepairPreviewIn) -> Any:
    """Return the effect of an operation, by doing it and rolling it back; nothing is changed."""
    caller = _allowed(request, wid, given)
    found = kernel.repairs.preview(wid, given.operation, given.arguments, actor=caller.name)
    tasks = kernel.tasks.of_others([wid], caller.name)
    return _shown(masking.preview(flow_of(request), found)) | {"holders": [vars(one) for one in tasks]}


def _allowed(request: HttpRequest, wid: int, given: inputs.RepairPreviewIn) -> Caller:
    """Return the caller, who may do the operation. Raises Problem."""
    caller, flow = call_of(request).caller, flow_of(request)
    caller.check(given.operation, flow.name, wid, given.arguments)
    changes = given.arguments.get("changes")
    if isinstance(changes, dict) and any(one.name in changes for one in flow.concealed):
        raise Problem(403, "You may not write an attribute whose values you may not see.")
    return caller


def _shown(found: RepairPreview) -> dict[str, Any]:
    """Return a preview as the API shows it."""
    return {
        "wid": found.wid,
        "seq": found.seq,
        "before": found.before,
        "after": found.after,
        "status_before": schemas.STATUS[found.status_before],
        "status_after": schemas.STATUS[found.status_after],
        "fires": [each.transition for each in found.fires],
        "withdrawn": [each.transition for each in found.withdrawn],
        "refusal": _refusal(found.refusal),
        "claim": found.facts.get("claim"),
    }


def _refusal(refused: WedError | None) -> dict[str, str] | None:
    if refused is None:
        return None
    return {"code": refused.sqlstate, "detail": refused.message, "hint": refused.hint}
