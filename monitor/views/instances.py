"""Instances of all flows that the user sees, chosen by a filter."""

from __future__ import annotations

from dataclasses import replace

from django.db import DataError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from flows.access import listed_flows
from flows.filters import BadFilter
from flows.queries import everywhere
from flows.queries.base import snapshot
from flows.queries.counts import CAP, Count
from flows.queries.everywhere import Selection
from flows.queries.instances import NEW_CAP
from flows.queries.paging import Page
from monitor import indexing, list_filters, urlparams
from monitor.list_filters import Asked
from pages.guard import is_timeout, page
from pages.urlparams import number


@require_safe
@page
def instances(request: HttpRequest) -> HttpResponse:
    """Return the page of all instances."""
    asked, found = _asked(request)
    if asked.edited and found:
        return HttpResponseRedirect(f"{request.path}?{list_filters.address(request, asked.text)}")
    context = _list(request, asked, found) | list_filters.form(request, asked, None)
    return render(request, "monitor/all_instances.html", context)


def _asked(request: HttpRequest) -> tuple[Asked, Selection | None]:
    """Return the request of the address, and its flows; None if the filter cannot be used."""
    asked = list_filters.asked(request)
    if asked.error:
        return asked, None
    try:
        return asked, everywhere.selection(asked.chosen, listed_flows(request.user))
    except BadFilter as error:
        return replace(asked, error=error), None


def _list(request: HttpRequest, asked: Asked, found: Selection | None) -> dict[str, object]:
    oldest = urlparams.oldest_first(request)
    context: dict[str, object] = {
        "page": Page[everywhere.AnyInstance]([], None, None),
        "oldest_first": oldest,
        "total": None,
        "asked": asked,
    }
    if found is None:
        return context
    slow = indexing.Slow(request.user, found.filters)
    try:
        with snapshot():
            page = everywhere.listed(found, urlparams.cursor(request), oldest_first=oldest)
            total = _total(found, request.GET.get("exact") == "1")
        return context | {"page": page, "total": total} | slow.context()
    except OperationalError as error:
        if not is_timeout(error):
            raise
        return context | {"too_slow": True} | slow.context()
    except DataError as error:
        problem = str(error).partition("\n")[0]
        return context | {"asked": replace(asked, error=BadFilter("wrong_value", problem=problem))}


def _total(found: Selection, exact: bool) -> Count | None:
    """Return the number of instances; with a filter only on request, as a count may read everything."""
    if found.chosen.without("status", "flow") and not exact:
        return None
    return everywhere.matching(found, None if exact else CAP)


@require_safe
@page
def changes(request: HttpRequest) -> HttpResponse:
    """Return how many instances of the list are newer than `top`."""
    _asked_for, found = _asked(request)
    top = number(request.GET.get("top"))
    with snapshot():
        newer = everywhere.newer(found, top, NEW_CAP) if found and top is not None else Count(0)
    return JsonResponse({"rows": {}, "new": newer.n, "more": newer.capped, "parts": {}})
