"""The jobs of a flow: of one state, transition or role, filtered and sorted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from django.db import DataError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from flows.access import AnyUser, flow_or_404, masks, shown_to
from flows.filters import BadFilter, parse
from flows.queries import chosen_jobs, jobs
from flows.queries.base import snapshot
from flows.queries.chosen_jobs import ORDERS, Listing
from flows.queries.counts import Count
from flows.queries.definitions import FlowInfo
from flows.queries.jobs import OpenJob
from monitor import list_filters, masking, urlparams
from monitor.list_filters import Asked
from monitor.lists import columns as list_columns
from monitor.lists import job_cells
from monitor.lists.job_cells import JobRow
from monitor.lists.page import Kind
from monitor.lists.page import form as tools
from pages.guard import is_timeout, page
from pages.urlparams import text

KIND = Kind(
    "jobs",
    "job.",
    ("state", "transition", "role", "sort", "columns"),
    {
        "queue": _("Queue"),
        "oldest": _("The oldest first"),
        "newest": _("The newest first"),
        "attempts": _("Most attempts first"),
    },
    {
        "instance": _("Instance"),
        "transition": _("Transition"),
        "role": _("Role"),
        "state": _("State"),
        "waits": _("Waiting for"),
        "since": _("Waiting since"),
        "priority": _("Priority"),
        "attempts": _("Attempts"),
        "next": _("Next try"),
        "holder": _("Held by"),
        "error": _("Last error"),
    },
    _("Filter jobs"),
    _("A 17, amount:500"),
)
USUAL = ("instance", "transition", "role", "state", "waits", "since", "attempts", "next", "error")
NUMBERS = frozenset({"priority", "attempts"})


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
        return HttpResponseRedirect(list_filters.without_form(request, asked, KIND.kept))
    found = _found(request, flow, asked, listing)
    usual = tuple(name for name in USUAL if flow.roles or name != "role")
    columns = list_columns.chosen(list_columns.of_address(request), KIND.columns, usual, flow)
    read = list_columns.read(request.user, [(name, each.wid) for each in found.jobs], columns, flow)
    context = {
        "flow": flow,
        "rows": [JobRow(masking.job(flow, each), read.of(each.wid)) for each in found.jobs],
        "columns": (titles := list_columns.titles(columns, [flow], KIND.columns)),
        "cells": job_cells.cells(flow, request.user, titles),
        "numbers": NUMBERS,
        "behind_key": found.behind,
        "too_slow": found.too_slow,
        "state": listing.state,
        "states": jobs.JOB_STATES,
        "transition": listing.transition,
        "role": listing.role,
        "roles": urlparams.choices(flow.roles, listing.role),
        "diagram": flow.has_diagram,
    }
    context |= tools(
        request, KIND, asked, found.error, flow, listing.order, ORDERS, columns, of_flow=flow.name
    )
    return render(request, "monitor/jobs.html", context)


def counted(user: AnyUser, query: str, flow: FlowInfo | None, cap: int) -> Callable[[], Count]:
    """Return a counter of the pending jobs of a flow that a filter finds. Raises BadFilter.

    Call it outside of a read-only transaction.
    """
    assert flow is not None  # noqa: S101 - a list of jobs is of one flow
    chosen = parse(query, shown_to(user, flow)).of_list("jobs")
    return partial(chosen_jobs.matching, chosen, Listing("pending"), cap)


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
                return Found(*chosen_jobs.selected(asked.chosen.of_list("jobs"), listing, place))
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
