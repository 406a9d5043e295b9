"""Which process serves which transitions, and which transitions nobody serves."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from flows.queries import overview
from flows.queries.base import snapshot
from flows.queries.workers import workers as registered
from monitor import address
from monitor.guard import page
from monitor.permissions import visible_flows


def _context(request: HttpRequest) -> dict[str, object]:
    with snapshot():
        visible = visible_flows(request.user)
        found, more = registered(visible, address.number(request.GET.get("after")) or 0)
        idle = overview.all_unserved(visible)
    return {"workers": found, "more": more, "unserved": idle}


@require_safe
@page
def workers(request: HttpRequest) -> HttpResponse:
    """The whole page."""
    return render(request, "monitor/workers.html", _context(request))


@require_safe
@page
def workers_part(request: HttpRequest) -> HttpResponse:
    """The parts of the page as they are now."""
    context = _context(request)
    names = {"banner": "unserved", "rows": "worker_rows"}
    return JsonResponse(
        {
            "parts": {
                k: render_to_string(f"monitor/parts/{v}.html", context, request) for k, v in names.items()
            }
        }
    )
