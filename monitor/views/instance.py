"""One instance: its state, its pending jobs, and its history as a table, a timeline or a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_safe

from flows import api
from flows.access import instance_or_404, masks
from flows.queries import instances, jobs
from flows.queries.base import snapshot
from flows.queries.definitions import FlowInfo
from flows.queries.history import steps, trace
from flows.queries.paging import Cursor
from monitor import masking, places, urlparams
from monitor.history import steps as history
from monitor.history.timeline import timeline
from monitor.history.tree import tree
from monitor.reasons import job_reasons
from monitor.responses import exact_json
from monitor.sla.rows import ClockRow
from pages.guard import page
from pages.labels import SYSTEM_JOB
from pages.urlparams import number

LIVE_STEPS = 50
FAILURES = 20
TIMELINE_FAILURES = 500
CHILD_JOBS = 5
VIEWS = ("table", "timeline", "tree")


@require_safe
@page
@masks
def instance(request: HttpRequest, wid: int) -> HttpResponse:
    """Return the whole page; with two steps in `compare`, redirect to their comparison."""
    pair = _pair(request)
    view = request.GET.get("view", "")
    view = view if view in VIEWS else VIEWS[0]
    oldest_first = request.GET.get("order") == "oldest"
    with snapshot():
        found, flow = instance_or_404(request.user, wid)
        if pair:
            return redirect(reverse("monitor:step", args=[wid, max(pair)]) + f"?compare={min(pair)}")
        page = trace.steps(wid, found.started_at, urlparams.cursor(request), oldest_first=oldest_first)
        context = _now(flow, found)
        context["diagram"] = flow.has_diagram
        shown = history.shown(flow, page.items)
        if view == "timeline":
            context["timeline"] = _timeline(flow, found, shown, fold=request.GET.get("idle") != "shown")
    if view == "tree":
        context["nodes"] = tree(shown, context["jobs"])
    at_end = page.older is None if oldest_first else page.newer is None
    context |= {"page": page, "steps": shown, "oldest_first": oldest_first, "view": view}
    context["open_end"] = at_end and view == "table"
    return render(request, "monitor/instance.html", context)


def _pair(request: HttpRequest) -> list[int]:
    """Return the two steps of `compare=3,7` or of `compare=3&compare=7`; empty for anything else."""
    given = ",".join(request.GET.getlist("compare")[:2]).split(",")[:3]
    pair = [found for found in map(number, given) if found is not None and found > 0]
    return pair if len(pair) == len(given) == 2 and pair[0] != pair[1] else []


def _timeline(
    flow: FlowInfo, found: instances.Instance, shown: Sequence[history.ShownStep], *, fold: bool
) -> Any:
    times = steps.times(found.wid, found.started_at, [each.step.seq for each in shown])
    failures = [] if flow.concealed else steps.failures(found.wid, TIMELINE_FAILURES)
    return timeline(shown, times, failures, fold=fold)


def _now(flow: FlowInfo, found: instances.Instance) -> dict[str, Any]:
    pending = [masking.job(flow, each) for each in jobs.of_instance(found.wid)]
    values = instances.state(flow, found.wid)
    names = {t.tgid: t.title for t in flow.triggers}
    system = {name: str(label) for name, label in SYSTEM_JOB.items()}
    keys = {a.name for a in flow.attributes if a.business_key}
    titled = [(job, names.get(job.tgid) or system.get(job.transition, job.transition)) for job in pending]
    return {
        "flow": flow,
        "instance": found,
        "undecided": places.undecided(flow, {v.name: v.text for v in values}, found.reason),
        "keys": [v for v in values if v.name in keys],
        "values": [v for v in values if v.text is not None and v.name not in keys | flow.internal],
        "internal": [v for v in values if v.text is not None and v.name in flow.internal],
        "empty": [v for v in values if v.text is None and v.name not in keys],
        "business_key": flow.business_key(value.text for value in values),
        "jobs": titled,
        "waits": job_reasons.waits(
            masking.waiting(flow, api.reasons.explain_jobs(found.wid)),
            {job.id: title for job, title in titled},
        ),
        "repaired": api.repairs.last(found.wid) if found.status in "REF" else None,
        "failures": [] if flow.concealed else steps.failures(found.wid, FAILURES),
        "moved": api.moves.places(found.wid) if found.moved else None,
        "suspension": steps.suspension(found.wid, found.started_at) if found.status == "S" else None,
        "children": api.children.jobs(found.wid)[:CHILD_JOBS],
        "has_tasks": bool(api.tasks.of_instance(found.wid, 1)),
        "clocks": [ClockRow(each, flow.name) for each in api.sla.list_clocks(found.wid)],
    }


@require_safe
@page
@masks
def changes(request: HttpRequest, wid: int) -> HttpResponse:
    """Return the parts of the page as they are now, and the steps after `seq`."""
    seen = number(request.GET.get("seq"))
    with snapshot():
        found, flow = instance_or_404(request.user, wid)
        cursor = Cursor(before=-1 if seen is None else seen, size=LIVE_STEPS)
        page = trace.steps(wid, found.started_at, cursor, oldest_first=True)
        context = _now(flow, found)
    shown = history.shown(flow, page.items)
    parts = {
        name: render_to_string(f"monitor/parts/{name}.html", context, request)
        for name in ("head", "clocks", "state", "jobs")
    }
    rows = [
        (s.step.seq, render_to_string("monitor/parts/step.html", {"shown": s, **context}, request))
        for s in shown
    ]
    return JsonResponse({"parts": parts, "steps": rows, "seq": found.seq, "more": page.older is not None})


@require_safe
@page
def raw(request: HttpRequest, wid: int) -> HttpResponse:
    """Return everything about the instance as JSON; `next` is the query string for the rest of the trace."""
    after = number(request.GET.get("after"))
    with snapshot():
        found, flow = instance_or_404(request.user, wid)
        rows = trace.raw(wid, found.started_at, -1 if after is None else after)
        pending = jobs.of_instance(wid)
        values = instances.state(flow, wid)
    last = rows[-1]["seq"] if rows else None
    body = {
        "instance": asdict(found),
        "state": {v.name: v.text for v in values},
        "jobs": [asdict(job) for job in pending],
        "trace": rows,
        "next": f"?after={last}" if last is not None and last < found.seq else None,
    }
    return exact_json(body)
