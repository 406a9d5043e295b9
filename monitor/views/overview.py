"""The first page: all flows with the counts of their instances and pending jobs."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from flows.access import visible_flows
from flows.queries import overview
from flows.queries.base import snapshot
from flows.queries.counting import CAP
from pages.guard import page
from pages.urlparams import text

EXACT_TIMEOUT_MS = 20_000


def _context(request: HttpRequest) -> dict[str, object]:
    exact = request.GET.get("exact") == "1"
    after = text(request, "after")
    with snapshot(EXACT_TIMEOUT_MS) if exact else snapshot():
        flows, more = overview.summaries(visible_flows(request.user), after, None if exact else CAP)
    capped = any(count.capped for flow in flows for count in (*flow.statuses.values(), flow.pending))
    return {"flows": flows, "more": more, "after": after, "exact": exact, "capped": capped}


@require_safe
@page
def flows(request: HttpRequest) -> HttpResponse:
    """Return the page of all flows that are visible to the user."""
    return render(request, "monitor/flows.html", _context(request))


@require_safe
@page
def flows_part(request: HttpRequest) -> HttpResponse:
    """Return the rows of the first page for its script."""
    html = render_to_string("monitor/parts/flow_rows.html", _context(request), request)
    return JsonResponse({"rows": html})
