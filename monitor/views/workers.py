"""Which process serves which transitions, and which transitions no process serves."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from flows.access import visible_flows
from flows.queries import overview
from flows.queries.base import snapshot
from flows.queries.workers import never_offered
from flows.queries.workers import problems as found_problems
from flows.queries.workers import workers as registered
from pages.guard import page
from pages.urlparams import long_number


@require_safe
@page
def workers(request: HttpRequest) -> HttpResponse:
    """Return the whole page; its script polls it."""
    with snapshot():
        visible = visible_flows(request.user)
        found, more = registered(visible, long_number(request.GET.get("after")) or 0)
        flows, _more = overview.summaries(visible)
        problems = found_problems() if visible is None else []
        vain = never_offered(visible)
    context = {
        "workers": found,
        "every_flow": visible is None,
        "more": more,
        "problems": problems,
        "never_offered": vain,
        "unserved": [item for flow in flows if flow.used for item in flow.unserved],
        "idle": [flow for flow in flows if flow.unserved and not flow.used],
    }
    return render(request, "monitor/workers.html", context)
