"""Whether all is well: the eight invariants, the clock, the reaper and the disk, for people."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from flows.queries import health
from flows.queries.base import snapshot
from monitor.guard import page
from monitor.permissions import visible_flows

SILENT_SECONDS = 30
# The kernel's clock and this page's reading of it are never exactly at one time.
_TRIFLE_SECONDS = 1


@require_safe
@page
def soundness(request: HttpRequest) -> HttpResponse:
    """The whole page, for who may see every flow: an example of damage names instances of any."""
    if visible_flows(request.user) is not None:
        raise Http404
    with snapshot():
        times, disk, found = health.times(), health.disk(), health.invariants()
    silent = times.reaper_age is None or times.reaper_age.total_seconds() > SILENT_SECONDS
    behind = times.behind.total_seconds() > _TRIFLE_SECONDS
    context = {
        "times": times, "disk": disk, "percent": round(disk.share * 100, 1) if disk else None,
        "invariants": found, "broken": [each for each in found if not each.ok], "silent": silent,
        "behind": behind, "sample": health.SAMPLE, "now": timezone.now(),
    }  # fmt: skip
    return render(request, "monitor/health.html", context)
