"""The values that a form of a filter offers for a field."""

from __future__ import annotations

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from flows.access import flow_or_404, masks, visible_flows
from flows.filters import Condition
from flows.filters.fields import Field, find
from flows.queries.base import snapshot
from flows.queries.definitions import FlowInfo, names
from flows.queries.lists.field_values import MOST, field_values
from monitor.labels import value_title
from pages.guard import is_timeout, page
from pages.urlparams import text

TIMEOUT_MS = 1_000


@require_safe
@page
@masks
def values(request: HttpRequest) -> HttpResponse:
    """Return values of `field` with their titles, of `flow` or of all flows that the user sees."""
    name = text(request, "flow")
    flow = flow_or_404(request.user, name) if name else None
    field = find(Condition(text(request, "field"), "="), flow)
    found = _values(request, field, flow) if field else []
    return JsonResponse({"values": [[one, value_title(field, one)] for one in found] if field else []})


def _values(request: HttpRequest, field: Field, flow: FlowInfo | None) -> list[str]:
    seen = visible_flows(request.user)
    if field.name == "flow":
        return sorted(names() if seen is None else seen)[:MOST]
    try:
        with snapshot(TIMEOUT_MS):
            return field_values(field, flow, seen)
    except OperationalError as error:
        if not is_timeout(error):
            raise
        return []
