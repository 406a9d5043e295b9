"""One flow: its instances, filtered, and its queue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from flows.access import flow_or_404
from flows.queries import instances, jobs, overview
from flows.queries.base import snapshot
from flows.queries.counting import CAP, Count, statuses_to_show
from flows.queries.definitions import FlowInfo
from flows.queries.filters import Filter, operators
from flows.queries.instances import Choice
from flows.queries.paging import Page
from monitor import urlparams
from monitor.labels import filter_error
from pages.guard import is_timeout, page
from pages.labels import OPERATOR, OPERATOR_SHORT
from pages.urlparams import number, text, without


@require_safe
@page
def flow(request: HttpRequest, name: str) -> HttpResponse:
    """Return the page with the list of instances and the queue of the flow."""
    with snapshot():
        found = flow_or_404(request.user, name)
        choice = urlparams.choice(request, found)
        context: dict[str, object] = {
            "flow": found,
            "queues": jobs.queues(found.id),
        }
        summary = _summary(name)
    context |= summary | _list(request, found, choice) | _filter_form(request, found, choice)
    context["chips"] = _chips(request, choice, _counts(choice, context))
    return render(request, "monitor/flow.html", context)


def _summary(name: str) -> dict[str, object]:
    found = overview.summary(name)
    unserved = found.unserved if found else ()
    return {
        "summary": found,
        "unserved": unserved,
        "unused": not (found and found.used),
        "idle": {item.transition for item in unserved},
    }


def _counts(choice: Choice, context: dict[str, object]) -> dict[str, Count] | None:
    """Return how many instances match the filters, by status; None if they were not counted."""
    if choice.usable().filters:
        return cast("dict[str, Count] | None", context["by_status"])
    return cast(overview.FlowSummary, context["summary"]).statuses


def _chips(request: HttpRequest, choice: Choice, counts: dict[str, Count] | None) -> list[dict[str, object]]:
    """Return a link for each status, which keeps the filters."""
    rest = without(request.GET, "status", "before", "after", "wids", "top")
    statuses = statuses_to_show(counts or {}, choice.status)
    links = [(s, f"status={s}&{rest}" if rest else f"status={s}", n if counts is not None else None)
             for s, n in statuses]  # fmt: skip
    return [{"code": s, "href": f"?{query}", "count": n} for s, query, n in [("", rest, None), *links]]


def _list(request: HttpRequest, flow: FlowInfo, choice: Choice) -> dict[str, object]:
    """Return the rows, read in their own snapshot: a filter that times out must not fail the whole page."""
    exact = request.GET.get("exact") == "1"
    try:
        with snapshot():
            found = instances.listed(flow, choice, urlparams.cursor(request))
            by_status, total = _totals(flow, choice, exact)
        return {"page": found, "total": total, "by_status": by_status, "choice": choice, "too_slow": False}
    except OperationalError as error:
        if not is_timeout(error):
            raise
    empty: Page[instances.InstanceRow] = Page([], None, None)
    return {"page": empty, "total": None, "by_status": None, "choice": choice, "too_slow": True}


def _totals(flow: FlowInfo, choice: Choice, exact: bool) -> tuple[dict[str, Count] | None, Count | None]:
    """Return counts by status and in total; with filters only on request, as a count may read everything."""
    if not choice.usable().filters:
        return None, instances.matching(flow, choice, None if exact else CAP)
    if not exact:
        return None, None
    found = instances.by_status(flow, choice)
    chosen = [count for status, count in found.items() if choice.status in ("", status)]
    return found, Count(sum(count.n for count in chosen))


def _filter_form(request: HttpRequest, flow: FlowInfo, choice: Choice) -> dict[str, object]:
    return {
        "operators": OPERATOR.items(),
        "hints": {a.name: operators(a) for a in flow.attributes},
        "filters": list(_filters(request, flow, choice)),
        "blank": Filter("", "eq"),
        "first_page": not (request.GET.get("before") or request.GET.get("after")),
        "same_list": without(request.GET, "before", "after", "exact"),
    }


def _filters(request: HttpRequest, flow: FlowInfo, choice: Choice) -> Iterator[dict[str, object]]:
    for index, item in enumerate(choice.filters):
        attribute = flow.attribute(item.name)
        yield {
            "item": item,
            "title": attribute.title if attribute else item.name,
            "operator": OPERATOR_SHORT.get(item.operator, item.operator),
            "error": filter_error(item, attribute),
            "without": urlparams.without_filter(request.GET, index),
        }


@require_safe
@page
def changes(request: HttpRequest, name: str) -> HttpResponse:
    """Return the current rows of the instances in `wids`, and the number of those newer than `top`."""
    with snapshot():
        found = flow_or_404(request.user, name)
        choice = urlparams.choice(request, found)
        top = number(request.GET.get("top"))
        rows = instances.fresh(found, choice, urlparams.wids(request))
        newer = instances.newer(found, choice, top) if top is not None else Count(0)
        context = {"flow": found, "choice": choice, "queues": jobs.queues(found.id), **_summary(name)}
    parts = {"queue": "queue", "banner": "unserved"}
    if not choice.usable().filters:  # with filters nothing is counted again at each commit
        context["chips"] = _chips(request, choice, _counts(choice, context))
        parts["chips"] = "chips"
    return JsonResponse(
        {
            "rows": {r.wid: _row(request, found, r) for r in rows},
            "new": newer.n,
            "more": newer.capped,
            "parts": {
                k: render_to_string(f"monitor/parts/{v}.html", context, request) for k, v in parts.items()
            },
        }
    )


def _row(request: HttpRequest, flow: FlowInfo, listed: instances.InstanceRow) -> str:
    return render_to_string("monitor/parts/instance_row.html", {"flow": flow, "item": listed}, request)


@require_safe
@page
def flow_jobs(request: HttpRequest, name: str) -> HttpResponse:
    """Return the list of jobs of one state, of one transition or of all."""
    state = request.GET.get("state", "pending")
    state = state if state in jobs.JOB_STATES else "pending"
    transition = text(request, "transition")
    with snapshot():
        found = flow_or_404(request.user, name)
        listed, behind = jobs.listed(found.id, state, transition, urlparams.place(request))
        context = {"flow": found, "jobs": listed, "behind": behind, "state": state, "transition": transition}
    context["states"] = jobs.JOB_STATES
    context["behind_key"] = f"{behind.transition}~{behind.priority}~{behind.id}" if behind else ""
    return render(request, "monitor/jobs.html", context)
