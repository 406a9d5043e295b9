"""One instance: its state, its pending jobs, and its history step by step."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from flows.access import instance_or_404
from flows.queries import instances, jobs, trace
from flows.queries.base import snapshot
from flows.queries.definitions import FlowInfo
from flows.queries.paging import Cursor
from monitor import urlparams
from pages.guard import page
from pages.labels import SYSTEM_JOB
from pages.urlparams import number

LIVE_STEPS = 50


@dataclass(frozen=True)
class ShownCell:
    """One change of an attribute."""

    title: str
    before: str | None
    after: str | None
    initial: bool
    type: str


@dataclass(frozen=True)
class ShownStep:
    """A step of the trace with its changes in the flow's order; `cause_here`: the page shows its cause."""

    step: trace.Step
    cells: list[ShownCell]
    cause_here: bool


def _shown(flow: FlowInfo, found: Iterable[trace.Step]) -> list[ShownStep]:
    order = {a.name: (at, a.title, a.type) for at, a in enumerate(flow.attributes)}
    steps = list(found)
    here = {step.seq for step in steps}
    return [ShownStep(s, _cells(order, s.cells), s.cause_seq in here) for s in steps]


def _cells(order: dict[str, tuple[int, str, str]], cells: Collection[trace.Cell]) -> list[ShownCell]:
    """Return the changes; attributes that the flow no longer has come last, under their former names."""
    known = {c.name: order.get(c.name, (len(order), c.name, "")) for c in cells}
    ranked = sorted((c for c in cells if c.changed), key=lambda c: (known[c.name][0], c.name))
    return [ShownCell(known[c.name][1], c.before, c.after, c.initial, known[c.name][2]) for c in ranked]


@require_safe
@page
def instance(request: HttpRequest, wid: int) -> HttpResponse:
    """Return the whole page."""
    oldest_first = request.GET.get("order") == "oldest"
    with snapshot():
        found, flow = instance_or_404(request.user, wid)
        steps = trace.steps(wid, found.started_at, urlparams.cursor(request), oldest_first=oldest_first)
        context = _now(flow, found)
    context |= {"page": steps, "steps": _shown(flow, steps.items), "oldest_first": oldest_first}
    context["open_end"] = steps.older is None if oldest_first else steps.newer is None
    return render(request, "monitor/instance.html", context)


def _now(flow: FlowInfo, found: instances.Instance) -> dict[str, object]:
    pending = jobs.of_instance(found.wid)
    names = {t.tgid: t.title for t in flow.triggers}
    system = {name: str(label) for name, label in SYSTEM_JOB.items()}
    return {
        "flow": flow,
        "instance": found,
        "values": instances.state(flow, found.wid),
        "jobs": [(job, names.get(job.tgid) or system.get(job.transition, job.transition)) for job in pending],
    }


@require_safe
@page
def changes(request: HttpRequest, wid: int) -> HttpResponse:
    """Return the parts of the page as they are now, and the steps after `seq`."""
    seen = number(request.GET.get("seq"))
    with snapshot():
        found, flow = instance_or_404(request.user, wid)
        cursor = Cursor(before=-1 if seen is None else seen, size=LIVE_STEPS)
        steps = trace.steps(wid, found.started_at, cursor, oldest_first=True)
        context = _now(flow, found)
    shown = _shown(flow, steps.items)
    parts = {
        name: render_to_string(f"monitor/parts/{name}.html", context, request)
        for name in ("head", "state", "jobs")
    }
    rows = [
        (s.step.seq, render_to_string("monitor/parts/step.html", {"shown": s, **context}, request))
        for s in shown
    ]
    return JsonResponse({"parts": parts, "steps": rows, "seq": found.seq, "more": steps.older is not None})


@require_safe
@page
def raw(request: HttpRequest, wid: int) -> HttpResponse:
    """Return everything about the instance as JSON; `next` is the query string for the rest of the trace."""
    after = number(request.GET.get("after"))
    with snapshot():
        found, flow = instance_or_404(request.user, wid)
        steps = trace.raw(wid, found.started_at, -1 if after is None else after)
        pending = jobs.of_instance(wid)
        values = instances.state(flow, wid)
    last = steps[-1]["seq"] if steps else None
    body = {
        "instance": asdict(found),
        "state": {v.name: v.text for v in values},
        "jobs": [asdict(job) for job in pending],
        "trace": steps,
        "next": f"?after={last}" if last is not None and last < found.seq else None,
    }
    return JsonResponse(body, json_dumps_params={"indent": 2, "ensure_ascii": False})
