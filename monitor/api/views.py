"""Endpoints of saved views: filters with a name, columns and an order."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Status

from flows import api as kernel
from flows.capabilities.filters.api import View
from monitor.api import inputs, schemas
from monitor.api.caller import Caller
from monitor.api.problems import Problem
from monitor.api.routing import READ, call_of, number_of, router
from monitor.views.saved_views import accepted, may_share, teams


@router.get("/views", response=schemas.SavedViewsOut, auth=READ, summary="Saved views")
def views(request: HttpRequest, flow: str = "") -> Any:
    """Return the views of a flow, or over all flows, that the caller sees, the caller's own first."""
    caller = call_of(request).caller
    name = caller.flow_or_404(flow).name if flow else ""
    return {"items": [vars(each) for each in kernel.views.list(caller.name, teams(caller.user), name)]}


@router.post("/views", response={201: schemas.SavedViewOut}, auth=READ, summary="Save a view")
def save(request: HttpRequest, given: inputs.SavedViewIn) -> Any:
    """Save a view, which replaces the one of the same name; to share it with everyone needs a right."""
    caller = call_of(request).caller
    flow = caller.flow_or_404(given.flow) if given.flow else None
    _check_token(caller, given.flow)
    if given.shared == "everyone" and not may_share(caller.user, flow):
        raise Problem(403, "You may save views for yourself and your groups only.")
    team = given.team if given.team in teams(caller.user) else ""  # which the kernel rejects for "team"
    query = accepted(caller.user, given.query, flow)
    view = View(query, given.columns, given.sorting, given.shared, team)
    return Status(201, vars(kernel.views.save(caller.name, given.flow, given.name, view)))


@router.delete("/views/{int:view}", response={204: None}, auth=READ, summary="Delete a view")
def delete(request: HttpRequest, view: int) -> Any:
    """Delete a view of the caller."""
    caller = call_of(request).caller
    _check_token(caller, "")
    kernel.views.delete(caller.name, number_of(view))
    return Status(204, None)


def _check_token(caller: Caller, flow: str) -> None:
    """Raise Problem for a token without a right: views are changed with one that may operate."""
    if caller.token and ("operate" not in caller.token.rights or (caller.token.flows and not flow)):
        raise Problem(403, "The token may read, but not change views.")
