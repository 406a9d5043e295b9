"""The page on which an operator confirms what happens to an instance or to one of its jobs."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import instance_or_404, masks, may_perform
from flows.errors import NeedsApprovals, Refused
from flows.queries import jobs
from flows.queries.instances import Instance
from flows.queries.jobs import OpenJob
from monitor import holders
from monitor.cases import following_case
from monitor.durations import seconds
from monitor.operations import OPERATIONS, Detail, arguments, consequence, perform, propose
from monitor.views.operate import LONGEST_REASON, to_proposal
from pages.guard import page
from pages.urlparams import long_number, number

LONGEST_NAME = 200


@require_http_methods(["GET", "HEAD", "POST"])
@page
@masks
def operate(request: HttpRequest, wid: int, operation: str) -> HttpResponse:
    """Say what will happen and ask for the reason, or do or propose it; say what is refused."""
    instance, flow = instance_or_404(request.user, wid)
    if operation not in OPERATIONS:
        raise Http404
    chosen, kind = OPERATIONS[operation], api.operations.table()[operation]
    given = request.POST if request.method == "POST" else request.GET
    number_of_job = long_number(given.get("job")) if kind.of_job else None
    job = _job(wid, number_of_job)
    if not may_perform(request.user, flow.name, operation, wid, arguments(operation, number_of_job)):
        return HttpResponseForbidden(_("You may see this instance, but not operate it."))
    context: dict[str, Any] = {"flow": flow, "instance": instance, "operation": chosen, "name": operation}
    context |= {"job": job, "gone": kind.of_job and job is None, "number": number_of_job}
    context["back"] = given.get("back") == "repair"
    context["title"] = flow.transition_titles.get(job.transition, job.transition) if job else ""
    context["reason"] = request.POST.get("reason", "").strip()[:LONGEST_REASON].replace("\x00", "")
    context["priority"] = request.POST.get("priority", str(job.priority if job else 0))[:7]
    context["time"] = request.POST.get("time", "10m")[:20]
    if operation == "reassign" and job:
        context["to"] = request.POST.get("to", job.assigned_to or "")[:LONGEST_NAME]
        context["workers"] = jobs.assignable(flow.id, job.transition)
    context |= holders.facts(request, flow, wid)
    if request.method == "POST" and not context["unseen"]:
        try:
            return _done(request, instance, operation, number_of_job, context["reason"])
        except Refused as refused:
            context |= {"error": str(refused), "proposable": isinstance(refused, NeedsApprovals)}
    if operation == "withdraw" and job:
        context["consequence"] = consequence(job, api.reasons.explain_instance(wid))
    return render(request, "monitor/operate.html", context)


def _job(wid: int, number_of_job: int | None) -> OpenJob | None:
    return next((job for job in jobs.of_instance(wid) if job.id == number_of_job), None)


def _done(request: HttpRequest, of: Instance, name: str, job: int | None, reason: str) -> HttpResponse:
    """Do or propose it, and return the page that follows. Raises WedError."""
    given = (name, of.wid, job, _detail(request, name), reason, request.user.get_username())
    if request.POST.get("do") == "propose":
        return to_proposal(request, propose(*given))
    goes_back = request.POST.get("back") == "repair"
    is_mine = goes_back and following_case.is_mine(request, of.wid, of.flow)
    perform(*given)
    messages.success(request, str(OPERATIONS[name].done))
    if not goes_back:
        return HttpResponseRedirect(reverse("monitor:instance", args=[of.wid]))
    if name == "retry":
        return following_case.after(request, of.wid, of.flow, is_mine=is_mine)
    return HttpResponseRedirect(reverse("monitor:repair", args=[of.wid]))


def _detail(request: HttpRequest, name: str) -> Detail:
    """Return the fields of this operation's form besides the reason. Raises WedError."""
    if name == "priority":
        return number(request.POST.get("priority"))
    if name == "extend":
        return seconds(request.POST.get("time", "").strip())
    if name == "reassign":
        return request.POST.get("to", "").strip()[: LONGEST_NAME + 1].replace("\x00", "")
    return None
