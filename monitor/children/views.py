"""The children of an instance: the jobs that started them, and the children of one with their status."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from flows import api
from flows.access import instance_or_404, visible_flows
from flows.queries.base import snapshot
from pages.guard import page
from pages.urlparams import long_number, number

LISTED = 50


@require_safe
@page
def children(request: HttpRequest, wid: int) -> HttpResponse:
    """Show the children of a job of an instance, by default of the newest, in the order of their numbers."""
    after, asked = number(request.GET.get("after")) or 0, long_number(request.GET.get("job"))
    with snapshot():
        found, flow = instance_or_404(request.user, wid)
        jobs = api.children.jobs(wid)
        job = next((each for each in jobs if each.job_id == asked), jobs[0] if jobs else None)
        rows = api.children.list(wid, job.job_id, after=after, limit=LISTED + 1) if job else []
        ends = api.children.ends(wid, job.job_id, after=after, limit=LISTED) if job else {}
        repaired = api.children.repaired(wid, job.job_id) if job else 0
    visible = visible_flows(request.user)
    context = {
        "flow": flow,
        "instance": found,
        "jobs": jobs,
        "job": job,
        "rows": [
            (each, visible is None or each.flow in visible, ends.get(each.number)) for each in rows[:LISTED]
        ],
        "repaired": repaired,
        "more": rows[LISTED - 1].number if len(rows) > LISTED else None,
    }
    return render(request, "monitor/children/list.html", context)
