"""The overview and the list of a flow as they were at a moment of the history."""

from __future__ import annotations

from dataclasses import replace

from django.db import DataError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from flows.access import listed_flows
from flows.capabilities.past import queries as past
from flows.filters import BadFilter
from flows.filters.fields import STATUSES
from flows.filters.translation import status
from flows.filters.tree import all_of
from flows.queries.base import snapshot
from flows.queries.counts import CAP, Count, statuses_to_show
from flows.queries.definitions import FlowInfo
from flows.queries.instances import InstanceRow
from flows.queries.paging import Page
from monitor import list_filters, urlparams
from monitor.list_filters import Asked
from monitor.past.as_of import Time
from pages.guard import is_timeout
from pages.urlparams import text


def flows(request: HttpRequest, time: Time) -> HttpResponse:
    """Return the overview of the flows that the user sees, as of a moment."""
    context: dict[str, object] = {"time": time, "flows": [], "more": False, "after": text(request, "after")}
    if time.at is not None:
        try:
            with snapshot():
                names = listed_flows(request.user)
                found, more = past.summaries(names, time.at, text(request, "after"))
            context |= {"flows": found, "more": more}
        except OperationalError as error:
            if not is_timeout(error):
                raise
            context["too_slow"] = True
    return render(request, "monitor/past/flows.html", context)


def flow(request: HttpRequest, found: FlowInfo, time: Time) -> HttpResponse:
    """Return the page with the list of instances of a flow as of a moment."""
    asked = _asked(request, found, time)
    if asked.edited and not asked.error:
        return HttpResponseRedirect(f"{request.path}?{list_filters.address(request, asked.text)}")
    context = {"flow": found, "time": time, "asked": asked} | _list(request, asked, found)
    context |= list_filters.form(request, context["asked"], found)  # type: ignore[arg-type]
    context["chips"] = _chips(request, asked, _counts(found, time))
    return render(request, "monitor/past/flow.html", context)


def _asked(request: HttpRequest, found: FlowInfo, time: Time) -> Asked:
    asked = list_filters.asked(request, found)
    if asked.error or time.at is None:
        return asked
    try:
        return replace(asked, chosen=asked.chosen.as_of(time.at))
    except BadFilter as error:
        return replace(asked, error=error)


def _list(request: HttpRequest, asked: Asked, found: FlowInfo) -> dict[str, object]:
    """Return the rows, read in their own snapshot: a filter that times out must not fail the whole page."""
    shown, oldest = urlparams.columns(request, found), urlparams.oldest_first(request)
    context: dict[str, object] = {"shown": shown, "oldest_first": oldest, "total": None}
    context["page"] = Page[InstanceRow]([], None, None)
    if asked.error or asked.chosen.at is None:
        return context
    try:
        with snapshot():
            page = past.listed(asked.chosen, urlparams.cursor(request), shown, oldest_first=oldest)
            exact = request.GET.get("exact") == "1"
            return context | {"page": page, "total": past.matching(asked.chosen, CAP) if exact else None}
    except OperationalError as error:
        if not is_timeout(error):
            raise
        return context | {"too_slow": True}
    except DataError as error:
        problem = str(error).partition("\n")[0]
        return context | {"asked": replace(asked, error=BadFilter("wrong_value", problem=problem))}


def _counts(found: FlowInfo, time: Time) -> dict[str, Count] | None:
    """Return how many instances of the flow there were by status; None if that takes too long."""
    if time.at is None:
        return None
    try:
        with snapshot():
            return past.populations([found.name], time.at, past.FEW)[found.name]
    except OperationalError as error:
        if not is_timeout(error):
            raise
        return None


def _chips(request: HttpRequest, asked: Asked, counts: dict[str, Count] | None) -> list[dict[str, object]]:
    """Return a link for each status, which keeps the rest of the filter and the moment.

    The counts are of the whole flow: with another filter none is shown.
    """
    rest, named = asked.chosen.without("status"), asked.chosen.only("status") or ()
    current = STATUSES.get(named[0], "") if len(named) == 1 else ""
    chips: list[dict[str, object]] = [{"code": "", "count": None, "current": not named}]
    chips += [
        {"code": code, "count": None if counts is None or rest else n, "current": code == current}
        for code, n in statuses_to_show(counts or {}, current)
    ]
    for chip in chips:
        tree = all_of(status(str(chip["code"])), rest.tree)
        chip["href"] = "?" + list_filters.address(request, tree.text() if tree else "")
    return chips
