"""The page of exceptions: the flows that have some, with the newest of each."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from flows.access import masks, visible_flows
from flows.queries import exceptions as queries
from flows.queries.base import snapshot
from pages.guard import page
from pages.urlparams import text


@require_safe
@page
@masks
def exceptions(request: HttpRequest) -> HttpResponse:
    """Return the page, which begins after the flow of the name `after`."""
    after = text(request, "after")
    with snapshot():
        found = queries.by_flow(visible_flows(request.user), after)
    shown = found[: queries.FLOWS_PER_PAGE]
    more = shown[-1].name if len(found) > queries.FLOWS_PER_PAGE else ""
    return render(request, "monitor/exceptions.html", {"flows": shown, "after": after, "more": more})
