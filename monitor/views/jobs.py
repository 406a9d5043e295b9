"""The jobs of a flow: of one state, transition or role, filtered and sorted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db import DataError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from flows.access import flow_or_404, masks
from flows.filters import BadFilter
from flows.filters.fields import fields_of
from flows.queries import chosen_jobs, jobs
from flows.queries.base import snapshot
from flows.queries.chosen_jobs import Listing
from flows.queries.definitions import FlowInfo
from flows.queries.jobs import OpenJob
from monitor import list_filters, masking, urlparams
from monitor.list_filters import Asked
from pages.guard import is_timeout, page
from pages.urlparams import text

KEPT = ("state", "transition", "role", "sort")
ORDERS: Mapping[str, str | Promise] = {
    "queue": _("Queue"),
    "oldest": _("The oldest first"),
    "newest": _("The newest first"),
    "attempts": _("Most attempts first"),
}


@dataclass(frozen=True)
class Found:
    """The jobs of a page of a list; `behind` is the place of the next page, "" at the end."""

    jobs: Sequence[OpenJob] = ()
    behind: str = ""
    error: BadFilter | None = None
    too_slow: bool = False


@require_safe
@page
@masks
def flow_jobs(request: HttpRequest, name: str) -> HttpResponse:
    """Return the list of jobs of one state, of one transition or role, or of all."""
    flow = flow_or_404(request.user, name)
    asked, listing = list_filters.asked(request, flow), _listing(request)
    if asked.edited and not asked.error:
        return HttpResponseRedirect(list_filters.without_form(request, asked, KEPT))
    found = _found(request, flow, asked, listing)
    if found.error:
        asked = replace(asked, error=found.error)
    context = {
        "flow": flow,
        "jobs": [masking.job(flow, each) for each in found.jobs],
        "behind_key": found.behind,
        "too_slow": found.too_slow,
        "state": listing.state,
        "states": jobs.JOB_STATES,
        "transition": listing.transition,
        "role": listing.role,
        "roles": urlparams.choices(flow.roles, listing.role),
        "order": listing.order,
        "orders": ORDERS.items(),
        "diagram": flow.has_diagram,
    }
    context |= list_filters.list_form(request, asked, flow, fields_of(flow, "job."), KEPT)
    return render(request, "monitor/jobs.html", context)


def _listing(request: HttpRequest) -> Listing:
    """Return which jobs the address asks for, without the filter."""
    state, order = request.GET.get("state", "pending"), request.GET.get("sort", "")
    return Listing(
        state if state in jobs.JOB_STATES else "pending",
        order if order in ORDERS else "queue",
        text(request, "transition"),
        text(request, "role"),
    )


def _found(request: HttpRequest, flow: FlowInfo, asked: Asked, listing: Listing) -> Found:
    """Return a page of the list, in its own snapshot: what times out must not fail the whole page."""
    if asked.error:
        return Found(error=asked.error)
    try:
        with snapshot():
            if asked.chosen or listing.order != "queue":
                place = listing.place(request.GET.get("behind", ""))
                return Found(*chosen_jobs.selected(asked.chosen.of_jobs(), listing, place))
            return _queued(request, flow, listing)
    except OperationalError as error:
        if not is_timeout(error):
            raise
        return Found(too_slow=True)
    except DataError as error:
        return Found(error=BadFilter("wrong_value", problem=str(error).partition("\n")[0]))


def _queued(request: HttpRequest, flow: FlowInfo, listing: Listing) -> Found:
    """Return the list without a filter, in the order of the queue, which its indexes have."""
    found, last = jobs.listed(
        flow.id, listing.state, listing.transition, urlparams.place(request), role=listing.role
    )
    return Found(found, f"{last.transition}~{last.priority}~{last.id}" if last else "")
