"""The router that all endpoints share, because the methods of one address must be in one router."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from flows.queries.definitions import FlowInfo
from monitor.api.caller import Call, Needs
from monitor.api.problems import Problem

router = Router()
READ = Needs("see")
# For endpoints that leave out values which the caller may not see; others are forbidden in such a flow.
READ_SHOWN = Needs("see", masks=True)
OPERATE = Needs("operate")
DESIGN = Needs("design")
OPERATE_SHOWN = Needs("operate", masks=True)
# The operation in the body may need the right to repair: the endpoint decides (flows.access.right_for).
REPAIR = Needs("handle")
REPAIR_SHOWN = Needs("handle", masks=True)
# A parked job is retried by who may handle cases, any other by who may operate: the endpoint decides.
RETRY_SHOWN = Needs("operate", "handle", masks=True)


def call_of(request: HttpRequest) -> Call:
    """Return what the authentication of the endpoint found."""
    found: Call = request.auth  # type: ignore[attr-defined]
    return found


def number_of(given: int) -> int:
    """Return a number of an address if the database can have it. Raises Problem."""
    if given >= 2**63:
        raise Problem(404)
    return given


def flow_of(request: HttpRequest) -> FlowInfo:
    """Return the flow of the address, which the caller may see."""
    flow = call_of(request).flow
    assert flow is not None  # noqa: S101 - Needs raises without one
    return flow
