"""One step of an instance: the state as of it, what it changed and fired, and a comparison with another."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_safe

from flows.access import instance_or_404, masks
from flows.queries.base import snapshot
from flows.queries.definitions import FlowInfo
from flows.queries.history import steps, trace
from flows.queries.history.steps import StateValue, Writer
from flows.queries.instances import Instance
from monitor import masking
from monitor.history import steps as history
from monitor.responses import exact_json
from pages.guard import page
from pages.urlparams import number, text


@dataclass(frozen=True)
class Line:
    """One attribute as of a step; `before` is its value at the step that it is compared with."""

    name: str
    title: str
    type: str
    now: StateValue
    before: StateValue
    changed: bool
    writer: Writer | None

    @property
    def empty(self) -> bool:
        return self.now.text is None and not self.changed


@require_safe
@page
@masks
def step(request: HttpRequest, wid: int, seq: int) -> HttpResponse:
    """Return the permalink of a step; `compare` names another step, by default the one before."""
    with snapshot():
        found, flow = instance_or_404(request.user, wid)
        this = _step(found, seq)
        other = _other(request, found, seq)
        lines = _lines(flow, found, seq, other)
        fired = steps.fired(wid, found.started_at, seq)
    (shown,) = history.shown(flow, [this])
    context = {
        "flow": flow,
        "instance": found,
        "step": shown.step,
        "shown": shown,
        "other": other,
        "compared": other != seq - 1,
        "lines": [line for line in lines if not line.empty],
        "empty": [line for line in lines if line.empty],
        "changes": sum(line.changed for line in lines),
        "fired": fired,
        "before": seq - 1,
        "after": seq + 1 if seq < found.seq else 0,
    }
    return render(request, "monitor/step.html", context)


def _step(found: Instance, seq: int) -> trace.Step:
    known = 0 < seq <= found.seq
    this = trace.step(found.wid, found.started_at, seq) if known else None
    if this is None:
        raise Http404
    return this


def _other(request: HttpRequest, found: Instance, seq: int) -> int:
    """Return the step to compare with: `compare`, or the one before; 0 is the time before the first."""
    wanted = number(request.GET.get("compare"))
    return wanted if wanted is not None and 0 < wanted <= found.seq and wanted != seq else seq - 1


def _lines(flow: FlowInfo, found: Instance, seq: int, other: int) -> list[Line]:
    """Return the attributes of both states, in the flow's order; those that it no longer has come last."""
    now = masking.values(flow, steps.state(found.wid, found.started_at, seq))
    before = masking.values(flow, steps.state(found.wid, found.started_at, other)) if other else {}
    writers = steps.writers(found.wid, seq)
    known = {a.name: a for a in flow.attributes}
    names = [name for name in known if name in now or name in before]
    names += sorted((now.keys() | before.keys()) - known.keys())
    absent = StateValue(None)
    return [
        Line(
            name,
            known[name].title if name in known else name,
            known[name].type if name in known else "",
            now.get(name, absent),
            before.get(name, absent),
            now.get(name, absent) != before.get(name, absent),
            writers.get(name),
        )
        for name in names
    ]


@require_safe
@page
@masks
def find(request: HttpRequest, wid: int) -> HttpResponse:
    """Redirect to the step of a number (`step`) or of a moment (`at`); without either, to the last one."""
    with snapshot():
        found, _flow = instance_or_404(request.user, wid)
        moment = _moment(text(request, "at"))
        seq = steps.at(wid, found.started_at, moment, found.seq) if moment else None
    wanted = seq or (1 if moment else number(request.GET.get("step")) or found.seq)
    return redirect("monitor:step", wid=wid, seq=min(max(1, wanted), max(1, found.seq)))


def _moment(given: str) -> datetime | None:
    """Return a time of an address; one without a zone is of the reader's zone. None for anything else."""
    try:
        found = parse_datetime(given.strip())
        return timezone.make_aware(found) if found and timezone.is_naive(found) else found
    except (ValueError, OverflowError):
        return None


@require_safe
@page
def raw(request: HttpRequest, wid: int, seq: int) -> HttpResponse:
    """Return a step with its state as JSON."""
    with snapshot():
        found, _flow = instance_or_404(request.user, wid)
        this = trace.raw(wid, found.started_at, seq - 1, 1) if 0 < seq <= found.seq else []
    if not this or this[0]["seq"] != seq:
        raise Http404
    return exact_json(this[0])
