"""The first page: whether all is well, the numbers of all flows together, their trend, and each flow."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from flows.access import masks, visible_flows
from flows.capabilities.figures import queries as figures
from flows.queries import base, overview, overview_jobs, totals
from flows.queries.base import snapshot
from flows.queries.counts import CAP
from monitor.flow_names import named_flow_ids
from monitor.past import views as past
from monitor.past.as_of import from_slider, time_of
from pages.guard import page
from pages.urlparams import number, text

EXACT_TIMEOUT_MS = 20_000
LAST_NUMBER = 2**31 - 1


def _context(request: HttpRequest, now: datetime | None = None) -> dict[str, object]:
    exact = request.GET.get("exact") == "1"
    after = text(request, "after")
    cap = None if exact else CAP
    with snapshot(EXACT_TIMEOUT_MS) if exact else snapshot():
        visible = visible_flows(request.user)
        flows, more = overview.summaries(visible, after, cap)
        at = now or base.now()
        ids = overview.visible_ids(visible) if flows else []
        paces = figures.paces(ids, at)
        context = _summary(ids, paces, at, cap) | _trend(request, ids, at) if flows else {}
    capped = any(count.capped for flow in flows for count in (*flow.statuses.values(), flow.pending))
    hour, until = figures.hour_before(at)
    listed = [(flow, paces.get(flow.id, figures.Pace())) for flow in flows]
    return context | {
        "flows": flows,
        "listed": listed,
        "hour": hour,
        "until": until,
        "more": more,
        "after": after,
        "exact": exact,
        "capped": capped,
    }


def _summary(
    ids: list[int], paces: dict[int, figures.Pace], at: datetime, cap: int | None
) -> dict[str, object]:
    return {
        "totals": totals.totals(ids, at, cap),
        "waiting": totals.without_worker(ids, at),
        "changed": figures.changed_most(paces, at),
    }


def _trend(request: HttpRequest, ids: list[int], at: datetime) -> dict[str, object]:
    window = figures.WINDOWS.get(request.GET.get("trend", ""), figures.WINDOWS["hour"])
    return {"window": window, "windows": figures.WINDOWS, "trend": figures.trend(ids, window, at)}


@require_safe
@page
@masks
def flows(request: HttpRequest) -> HttpResponse:
    """Return the overview of all flows that are visible to the user, now or as of a moment (`at`)."""
    time = time_of(request, visible_flows(request.user))
    if moved := from_slider(request, time):
        return moved
    if time.past:
        return past.flows(request, time)
    return render(request, "monitor/flows.html", _context(request, time.now) | {"time": time})


@require_safe
@page
@masks
def flows_part(request: HttpRequest) -> HttpResponse:
    """Return the part of the overview that changes: its numbers, its trend, the rows of the flows."""
    context = _context(request)
    named = {"summary": "summary", "trend": "trend_table"} if context["flows"] else {}
    parts = {
        name: render_to_string(f"monitor/parts/{part}.html", context, request) for name, part in named.items()
    }
    html = render_to_string("monitor/parts/flow_rows.html", context, request)
    return JsonResponse({"rows": html, "parts": parts})


@require_safe
@page
def counted_rows(request: HttpRequest) -> HttpResponse:
    """Return the list of the jobs that a number of the overview counts, of one flow or of all."""
    kind = request.GET.get("of", "")
    kind = kind if kind in overview_jobs.KINDS else "pending"
    with snapshot():
        flow, ids = named_flow_ids(request)
        before = number(request.GET.get("before")) or LAST_NUMBER
        items, more = overview_jobs.listed(ids, kind, base.now(), before)
    context = {"kind": kind, "flow": flow, "items": items, "more": more}
    return render(request, "monitor/counted.html", context)
