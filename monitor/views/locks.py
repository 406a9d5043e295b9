"""The locks of a flow: which job holds each, and which wait for it."""

from __future__ import annotations

from collections.abc import Sequence

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flows import api
from flows.access import flow_or_404, masks
from flows.capabilities.reasons.sentences import waiting_for
from flows.engine.locks import LockQueue
from flows.queries.base import snapshot
from pages.guard import page
from pages.urlparams import text

LISTED = 100


@require_safe
@page
@masks
def locks(request: HttpRequest, name: str) -> HttpResponse:
    """Show a page of the locks with their holders and queues; its script polls it."""
    with snapshot():
        flow = flow_or_404(request.user, name)
        if flow.concealed:  # the name of a lock may have any value
            raise PermissionDenied(_("The locks of this flow are named by values that you may not see."))
        after = text(request, "after")
        queues, more = api.locks.queues(name, limit=LISTED, after=after or None)
        first = _waits_of_first(queues)
    shown = [(queue, first.get(queue.waiting[0].job, "") if queue.waiting else "") for queue in queues]
    context = {"flow": flow, "queues": shown, "after": after, "more": more}
    return render(request, "monitor/locks.html", context)


def _waits_of_first(queues: Sequence[LockQueue]) -> dict[int, str]:
    """Return the reason why the first job of each free lock waits, which no holder explains."""
    first = {queue.waiting[0].job: queue.waiting[0] for queue in queues if not queue.holders}
    found = api.reasons.explain_waits((job.wid, number) for number, job in first.items())
    return {number: waiting_for(waits, first[number].transition) for number, waits in found.items()}
