"""Why one instance is where it is: what its jobs wait for, and what each rule still needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from flows import api
from flows.access import instance_or_404, masks
from flows.capabilities.reasons import sentences
from flows.capabilities.reasons.api import InstanceReasons, JobReason
from flows.errors import UnknownInstance
from flows.labels import translate_label
from monitor import masking, places
from monitor.reasons.rows import shown_rule
from pages.guard import page
from pages.labels import SYSTEM_TITLES
from pages.urlparams import number

NEAREST = 20


@dataclass(frozen=True)
class ShownJob:
    """A job with what it waits for, and until or since when."""

    job: JobReason
    title: str
    sentence: str
    until: datetime | None
    since: datetime | None


@require_safe
@page
@masks
def why(request: HttpRequest, wid: int) -> HttpResponse:
    """Return the page; `step` asks for an earlier step of the history."""
    instance, flow = instance_or_404(request.user, wid)
    try:
        found = masking.reasons(flow, api.reasons.explain_instance(wid, number(request.GET.get("step"))))
    except UnknownInstance as error:
        raise Http404 from error
    titles = {**SYSTEM_TITLES.all(), **flow.transition_titles}
    labels = found.labels.translated(translate_label)
    nearest = found.nearest
    context = {
        "flow": flow,
        "instance": instance,
        "found": found,
        "moved": api.moves.places(wid) if found.now and instance.moved else None,
        "undecided": places.undecided(flow, found.state, found.reason) if found.now else [],
        "jobs": [_job(job, titles) for job in found.jobs],
        "holding": [shown_rule(rule, labels, titles) for rule in found.holding],
        "nearest": [shown_rule(rule, labels, titles) for rule in nearest[:NEAREST]],
        "further": [shown_rule(rule, labels, titles) for rule in nearest[NEAREST:]],
        "last": _last(found, instance.seq),
    }
    return render(request, "monitor/reasons/why.html", context)


def _last(found: InstanceReasons, newest: int) -> int:
    """Return the number of the step that follows the one explained, 0 at the end."""
    return 0 if found.now or found.seq >= newest else found.seq + 1


def _job(job: JobReason, titles: Mapping[str, str]) -> ShownJob:
    return ShownJob(
        job,
        titles.get(job.transition, job.transition),
        sentences.waiting(job),
        job.facts.get("until"),
        job.facts.get("since"),
    )
