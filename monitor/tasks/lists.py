"""The lists of tasks of a person and of a team."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_safe

from flows import api
from flows.access import AnyUser, flows_of, group_names, masks, task_keys
from flows.capabilities.filters.api import SavedView
from flows.queries.tasks import team_ids
from monitor.lists import columns as list_columns
from monitor.tasks import columns, list_parameters
from monitor.tasks.cells import cells
from monitor.tasks.list_parameters import Found, Wanted
from monitor.tasks.rows import ORDERS, TABS, loads, movable, with_columns, with_work
from pages.guard import page
from pages.urlparams import text

MORE_COUNTED = 100
MOST_PEOPLE = 500


@require_safe
@page
@masks
def tasks(request: HttpRequest) -> HttpResponse:
    """Show one of the user's lists of tasks, or that of the team."""
    user, tab = request.user, text(request, "show")
    mine, leads = len(api.tasks.own(user.get_username())), flows_of(user, "operate")
    tab = tab if tab in TABS and (tab != "team" or leads != frozenset()) else "mine" if mine else "open"
    given = list_parameters.wanted(request, tab)
    if given.asked.edited and not given.asked.error:
        return HttpResponseRedirect(_without_form(request, given))
    team = team_ids(leads) if tab == "team" else ()
    found = list_parameters.found(user, given, team)
    context = _facts(user, given, leads, mine) | _table(user, given, found)
    context |= list_parameters.form(request, given, found.error)
    if tab == "team":
        load = with_work(loads(api.tasks.team_load(None if leads is None else sorted(leads))), leads)
        context |= {"load": load, "people": _people()}
    return render(request, f"monitor/tasks/{'team' if tab == 'team' else 'list'}.html", context)


def _without_form(request: HttpRequest, given: Wanted) -> str:
    """Return the address of the list with the changed filter as text."""
    kept = [(name, request.GET[name]) for name in list_parameters.KEPT if name in request.GET]
    return f"{request.path}?{urlencode([*([('q', given.asked.text)] if given.asked.text else []), *kept])}"


def _facts(user: AnyUser, given: Wanted, leads: Collection[str] | None, mine: int) -> dict[str, Any]:
    """Return the context of every list: its tabs with their numbers, orders, and views."""
    keys = task_keys(user)
    opened = len(api.tasks.open(user.get_username(), keys, limit=MORE_COUNTED + 1))
    many = f"{MORE_COUNTED}+"
    return {
        "tab": given.tab,
        "tabs": _tabs(leads),
        "order": given.order,
        "orders": ORDERS,
        "flow": given.flow,
        "views": views(user, given.tab),
        "counts": {"mine": mine, "open": many if opened > MORE_COUNTED else str(opened)},
        "waiting": many if mine + opened > MORE_COUNTED else str(mine + opened or ""),
        "roles": [key.removeprefix("r:") for key in keys if key.startswith("r:")],
    }


def _table(user: AnyUser, given: Wanted, found: Found) -> dict[str, Any]:
    """Return the rows of a list with its columns."""
    shown = with_columns(found.tasks, user, given.columns)
    titles = list_columns.titles(given.columns, shown.flows, columns.FIXED)
    moves = given.order == "own" and given.tab in ("mine", "open") and len(shown.rows) > 1
    return {
        "rows": movable(shown.rows) if moves else shown.rows,
        "columns": titles,
        "cells": cells(titles),
        "numbers": columns.NUMBERS,
        "more": found.more,
        "too_slow": found.too_slow,
        "movable": moves,
    }


def _tabs(leads: Collection[str] | None) -> Mapping[str, Any]:
    """Return the lists of a user; the team is that of who operates a flow."""
    return {name: title for name, title in TABS.items() if name != "team" or leads != frozenset()}


def views(user: AnyUser, tab: str) -> list[tuple[SavedView, str]]:
    """Return the saved views of lists of tasks that a user sees, with their addresses."""
    groups = group_names(user)
    found = api.views.list(user.get_username(), groups, "", "tasks")
    return [(each, address(each, tab if tab in ("mine", "open", "team") else "open")) for each in found]


def address(view: SavedView, tab: str) -> str:
    """Return the query string of the list of a view."""
    parts = {"show": tab, "q": view.query, "columns": ",".join(view.columns), "order": view.sorting}
    return urlencode({name: given for name, given in parts.items() if given})


def _people() -> list[str]:
    """Return the names of users who may log in, for whom a supervisor chooses."""
    found = get_user_model().objects.filter(is_active=True).order_by("username")
    return list(found.values_list("username", flat=True)[:MOST_PEOPLE])
