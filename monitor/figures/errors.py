"""Errors by message over all flows, and the instances behind one of them."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flows.access import visible_flows
from flows.capabilities.figures import failures
from flows.capabilities.figures.failures import Failure, Place
from flows.queries.base import dated_snapshot
from flows.queries.definitions import flow_by_name
from flows.queries.overview import visible_ids
from monitor import urlparams
from monitor.flow_names import named_flow_ids
from monitor.list_filters import operable
from pages.guard import page
from pages.labels import OUTCOME
from pages.urlparams import long_number, text

LONGEST_SEARCH = 200


@require_safe
@page
def errors(request: HttpRequest) -> HttpResponse:
    """Return the list of errors of the flows that the user may see, or of one of them."""
    search = text(request, "q").strip()[:LONGEST_SEARCH]
    window = _one_of(request, "window", failures.WINDOWS)
    by = _one_of(request, "sort", failures.SORTS)
    after = _place(request)
    with dated_snapshot() as at:
        flow, ids = named_flow_ids(request)
        options = {"window": window, "by": by, "search": search, "after": after}
        found, following = failures.listed(ids, at, _zone(), **options)  # type: ignore[arg-type]
    context = {
        "items": [(each, title(each)) for each in found],
        "flow": flow,
        "search": search,
        "window": window,
        "windows": [*reversed(failures.WINDOWS)],
        "sort": by,
        "following": f"{following.at.isoformat() if following.at else ''}~{following.n}~{following.id}"
        if following
        else "",
        "later": after is not None,
    }
    return render(request, "monitor/figures/errors.html", context)


@require_safe
@page
def error(request: HttpRequest, number: int) -> HttpResponse:
    """Return one error: where and when it occurred, and the instances behind it."""
    known = long_number(str(number))
    with dated_snapshot() as at:
        ids = visible_ids(visible_flows(request.user))
        found = failures.failure(known, ids, at, _zone()) if known is not None else None
        if found is None:
            raise Http404(_("There is no such error in the flows that you see."))
        instances = failures.instances_of(found.id, ids, urlparams.cursor(request))
        counted = failures.counted(found.id, ids)
    operated = {name for name, _title in found.flows if operable(request.user, flow_by_name(name))}
    context = {"failure": found, "title": title(found), "page": instances, "counted": counted}
    context |= {"operated": operated, "most": max(n for _day, n in found.days)}
    return render(request, "monitor/figures/error.html", context)


def title(failure: Failure) -> str:
    """Return the title of an error: its message, or its kind if it has none."""
    if failure.kind == failures.OTHER and not failure.message:
        return _("Other messages, each of them different")
    kind = str(OUTCOME.get(failure.kind, failure.kind))
    return failure.message or kind


def _zone() -> str:
    return timezone.get_current_timezone_name()


def _one_of(request: HttpRequest, name: str, known: object) -> str:
    """Return a parameter that is one of these, else the last of the windows, the first of the orders."""
    names = list(known)  # type: ignore[call-overload]
    given = request.GET.get(name, "")
    usual = names[-1] if name == "window" else names[0]
    return given if given in names else str(usual)


def _place(request: HttpRequest) -> Place | None:
    """Return the place of `after=time~number~id`; None for the first page, and for anything else."""
    at, _sign, rest = text(request, "after").partition("~")
    n, _sign, identity = rest.partition("~")
    known = long_number(identity), long_number(n)
    try:
        moment = datetime.fromisoformat(at.replace(" ", "+"))
        if None in known or moment.tzinfo is None:
            return None
        return Place(known[0] or 0, known[1] or 0, moment.astimezone(UTC))
    except (ValueError, OverflowError):  # the latter of a moment before year 1 or after 9999 in UTC
        return None
