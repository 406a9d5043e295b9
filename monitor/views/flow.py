"""One flow: its instances, filtered, and the figures of its queue."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias, cast

from django.core.exceptions import PermissionDenied
from django.db import DataError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flows.access import flow_or_404, masks
from flows.filters import BadFilter, Filter
from flows.filters.fields import STATUSES
from flows.filters.translation import status
from flows.filters.tree import all_of
from flows.queries import instances, jobs, overview
from flows.queries.base import snapshot
from flows.queries.counts import CAP, Count, statuses_to_show, total
from flows.queries.definitions import Attribute, FlowInfo
from flows.queries.paging import Page
from monitor import indexing, list_filters, urlparams
from monitor.list_filters import Asked
from monitor.past import views as past
from monitor.past.as_of import from_slider, time_of
from pages.guard import is_timeout, page
from pages.urlparams import number

Counts: TypeAlias = dict[str, Count]


@require_safe
@page
@masks
def flow(request: HttpRequest, name: str) -> HttpResponse:
    """Return the page with the list of instances and the queue of the flow."""
    found = flow_or_404(request.user, name)
    time = time_of(request, [name])
    if moved := from_slider(request, time):
        return moved
    if time.past and found.concealed:
        raise PermissionDenied(_("The past of this flow has values that you may not see."))
    if time.past:
        return past.flow(request, found, time)
    asked = list_filters.asked(request, found)
    if asked.edited and not asked.error:
        return HttpResponseRedirect(f"{request.path}?{list_filters.address(request, asked.text)}")
    with snapshot():
        context: dict[str, object] = {"flow": found, "queues": jobs.queues(found.id), "time": time}
        context["diagram"] = found.has_diagram
        summary = overview.summary(found)
    context |= _summary(summary) | _list(request, asked, found, summary.statuses)
    context |= list_filters.form(request, asked, found)
    context["chips"] = _chips(request, asked.chosen, _counts(asked.chosen, context))
    return render(request, "monitor/flow.html", context)


def _summary(found: overview.FlowSummary) -> dict[str, object]:
    return {
        "summary": found,
        "unserved": found.unserved,
        "unused": not found.used,
        "idle": {item.transition for item in found.unserved},
    }


def _counts(chosen: Filter, context: dict[str, object]) -> Counts | None:
    """Return how many instances meet the filter, by status; None if they were not counted."""
    if chosen.without("status"):
        return cast("Counts | None", context["by_status"])
    return cast(overview.FlowSummary, context["summary"]).statuses


def _status(chosen: Filter) -> str:
    """Return the letter of the only status of the list, "" for several or all."""
    names = chosen.only("status") or ()
    return STATUSES.get(names[0], "") if len(names) == 1 else ""


def _chips(request: HttpRequest, chosen: Filter, counts: Counts | None) -> list[dict[str, object]]:
    """Return a link for each status, which keeps the rest of the filter."""
    rest, current = chosen.without("status"), _status(chosen)
    chips: list[dict[str, object]] = [{"code": "", "count": None, "current": not chosen.only("status")}]
    chips += [
        {"code": code, "count": n if counts is not None else None, "current": code == current}
        for code, n in statuses_to_show(counts or {}, current)
    ]
    for chip in chips:
        tree = all_of(status(str(chip["code"])), rest.tree)
        chip["href"] = "?" + list_filters.address(request, tree.text() if tree else "")
    return chips


def _list(request: HttpRequest, asked: Asked, flow: FlowInfo, statuses: Counts) -> dict[str, object]:
    """Return the rows, read in their own snapshot: a filter that times out must not fail the whole page."""
    shown, oldest = urlparams.columns(request, flow), urlparams.oldest_first(request)
    context: dict[str, object] = {
        "page": Page[instances.InstanceRow]([], None, None),
        "shown": shown,
        "oldest_first": oldest,
        "total": None,
        "by_status": None,
        "asked": asked,
    }
    if asked.error:
        return context
    slow = indexing.Slow(request.user, [asked.chosen])
    try:
        with snapshot():
            page = instances.listed(asked.chosen, urlparams.cursor(request), shown, oldest_first=oldest)
            by_status, number_of = _totals(asked.chosen, request.GET.get("exact") == "1", statuses)
        return context | {"page": page, "total": number_of, "by_status": by_status} | slow.context()
    except OperationalError as error:
        if not is_timeout(error):
            raise
        return context | {"too_slow": True} | slow.context()
    except DataError as error:
        problem = str(error).partition("\n")[0]
        return context | {"asked": replace(asked, error=BadFilter("wrong_value", problem=problem))}


def _totals(chosen: Filter, exact: bool, statuses: Counts) -> tuple[Counts | None, Count | None]:
    """Return counts by status and in total; with a filter only on request, as a count may read everything.

    Without more than a status, the total is the sum of the counts that the summary of the flow has.
    """
    only, named = _status(chosen), chosen.only("status")
    if not chosen.without("status"):
        counted = exact or (named and not only)
        return None, instances.matching(chosen, None if exact else CAP) if counted else total(statuses, only)
    if not exact:
        return None, None
    found = instances.by_status(chosen)
    return found, instances.matching(chosen, None) if named and not only else total(found, only)


@require_safe
@page
@masks
def changes(request: HttpRequest, name: str) -> HttpResponse:
    """Return the current rows of the instances in `wids`, and the number of those newer than `top`."""
    found = flow_or_404(request.user, name)
    asked = list_filters.asked(request, found)
    shown = urlparams.columns(request, found)
    with snapshot():
        top = number(request.GET.get("top"))
        rows = instances.fresh(asked.chosen, urlparams.wids(request), shown)
        newer = instances.newer(asked.chosen, top) if top is not None and not asked.error else Count(0)
        context = {"flow": found, "queues": jobs.queues(found.id), **_summary(overview.summary(found))}
    parts = {"queue": "queue", "banner": "unserved"} | ({"starts": "starts"} if found.starts else {})
    if not asked.chosen.without("status"):  # with a filter nothing is counted again at each commit
        context["chips"] = _chips(request, asked.chosen, _counts(asked.chosen, context))
        parts["chips"] = "chips"
    return JsonResponse(
        {
            "rows": {r.wid: _row(request, found, r, shown) for r in rows},
            "new": newer.n,
            "more": newer.capped,
            "parts": {
                k: render_to_string(f"monitor/parts/{v}.html", context, request) for k, v in parts.items()
            },
        }
    )


def _row(
    request: HttpRequest, flow: FlowInfo, listed: instances.InstanceRow, shown: tuple[Attribute, ...]
) -> str:
    context = {"flow": flow, "item": listed, "shown": shown}
    return render_to_string("monitor/parts/instance_row.html", context, request)
