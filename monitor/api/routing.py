"""The router that all endpoints share, because the methods of one address must be in one router."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import wraps
from typing import Any

from django.http import HttpRequest
from ninja import Router
from ninja.operation import Operation
from ninja.utils import contribute_operation_callback

from flows.queries.definitions import FlowInfo
from monitor.api.caller import Call, Needs
from monitor.api.problems import Problem


class StrictRouter(Router):
    """Rejects parameters of the query that an endpoint does not read, so that a misspelling is seen."""

    def add_api_operation(
        self, path: str, methods: list[str], view_func: Callable[..., Any], **options: Any
    ) -> None:
        """Add an endpoint. What it may not do, and parameters with other values, are reported first."""
        contribute_operation_callback(view_func, _reject_unknown)
        super().add_api_operation(path, methods, view_func, **options)


def _reject_unknown(operation: Operation) -> None:
    """Let an operation reject parameters that none of its models of the query has."""
    models: list[Any] = [each for each in operation.models if each.__ninja_param_source__ == "query"]
    known = sorted({name for each in models for name in each.__ninja_flatten_map__})
    endpoint = operation.view_func

    @wraps(endpoint)
    def strict(request: HttpRequest, *given: Any, **named: Any) -> Any:
        unknown = next((name for name in request.GET if name not in known), None)
        if unknown is not None:
            raise Problem(
                422, f"query.{unknown[:60]}: There is no such parameter here.", _hint(unknown, known)
            )
        return endpoint(request, *given, **named)

    operation.view_func = strict


def _hint(unknown: str, known: list[str]) -> str:
    """Return the parameters that there are, and first the one that is probably meant."""
    if not known:
        return "This address has no parameters."
    close = get_close_matches(unknown[:60], known, 1)
    meant = f"Did you mean {close[0]}? " if close else ""
    return f"{meant}Parameters: {', '.join(known)}."


router = StrictRouter()
READ = Needs("see")
# For endpoints that leave out values which the caller may not see; others are forbidden in such a flow.
READ_SHOWN = Needs("see", masks=True)
OPERATE = Needs("operate")
DESIGN = Needs("design")
OPERATE_SHOWN = Needs("operate", masks=True)
# The operation in the body says what it needs: the endpoint asks (Caller.check, flows.access.right_for).
REPAIR = Needs("handle")
REPAIR_SHOWN = Needs("handle", masks=True)
PERFORM_SHOWN = Needs("handle", "operate", "move", masks=True)


def call_of(request: HttpRequest) -> Call:
    """Return the call that the authentication of the endpoint found."""
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
