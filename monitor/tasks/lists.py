"""The lists of tasks of a person and of a team, and taking tasks from them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from flows import api
from flows.access import AnyUser, flows_of, masks, task_keys
from flows.capabilities.tasks.api import ORDERS as BY
from flows.capabilities.tasks.api import Task
from flows.errors import Refused
from flows.queries.definitions import flow_by_name
from monitor.tasks.rows import ORDERS, TABS, loads, rows
from pages.guard import page
from pages.urlparams import long_number, text

PAGE_SIZE = 50
LONGEST = 2000
MORE_COUNTED = 100


@require_safe
@page
@masks
def tasks(request: HttpRequest) -> HttpResponse:
    """Show one of the user's lists of tasks."""
    tab, order = text(request, "show"), text(request, "order")
    tab, order = tab if tab in TABS else "", order if order in BY else "arrival"
    person, keys = request.user.get_username(), task_keys(request.user)
    own = api.own_tasks(person)
    tab = tab or ("mine" if own else "open")
    leads = flows_of(request.user, "operate")
    if tab == "team":
        return _team(request, leads, len(own))
    found = own if tab == "mine" else _listed(request, tab, order, keys)
    context = {
        "tab": tab,
        "tabs": _tabs(leads),
        "order": order,
        "orders": ORDERS,
        "flow": text(request, "flow"),
        "rows": rows(found[:PAGE_SIZE] if tab != "mine" else found, request.user),
        "more": found[PAGE_SIZE - 1].job_id if len(found) > PAGE_SIZE and tab in ("open", "done") else None,
        "counts": {"mine": len(own), **({} if tab == "open" else {"open": _some(person, keys)})},
        "roles": [key.removeprefix("r:") for key in keys if key.startswith("r:")],
        "now": datetime.now(UTC),
    }
    return render(request, "monitor/tasks/list.html", context)


def _tabs(leads: Collection[str] | None) -> dict[str, Any]:
    """Return the lists of a user; the team is that of who operates a flow."""
    return {name: title for name, title in TABS.items() if name != "team" or leads != frozenset()}


def _team(request: HttpRequest, leads: Collection[str] | None, own: int) -> HttpResponse:
    """Show who holds how many tasks of the flows that the user operates, and the open tasks of one."""
    names = None if leads is None else sorted(leads)
    flow = text(request, "flow")
    chosen = flow if flow and (leads is None or flow in leads) and flow_by_name(flow) else ""
    after = long_number(request.GET.get("after")) or 0
    found = api.flow_tasks(chosen, after, PAGE_SIZE + 1) if chosen else []
    context = {
        "tab": "team",
        "tabs": _tabs(leads),
        "order": "arrival",
        "flow": chosen,
        "load": loads(api.team_load(names)),
        "rows": rows(found[:PAGE_SIZE], request.user),
        "more": found[PAGE_SIZE - 1].job_id if len(found) > PAGE_SIZE else None,
        "counts": {"mine": own},
        "now": datetime.now(UTC),
    }
    return render(request, "monitor/tasks/team.html", context)


def _listed(request: HttpRequest, tab: str, order: Any, keys: list[str]) -> list[Task]:
    person, after = request.user.get_username(), long_number(request.GET.get("after"))
    if tab == "aside":
        return api.own_tasks(person, aside=True)
    if tab == "done":
        return api.done_tasks(person, after, PAGE_SIZE + 1)
    flow = text(request, "flow") or None
    return api.open_tasks(person, keys, order, after, PAGE_SIZE + 1, flow)


def _some(person: str, keys: list[str]) -> str:
    """Return how many tasks are open to a person, as 100+ where they are many."""
    found = len(api.open_tasks(person, keys, limit=MORE_COUNTED + 1))
    return f"{MORE_COUNTED}+" if found > MORE_COUNTED else str(found)


@require_POST
@page
@masks
def next_task(request: HttpRequest) -> HttpResponse:
    """Take the first open task in an order, and show it; the list if there is none."""
    order, flow = request.POST.get("order", ""), text_of(request, "flow")[:80]
    found = take_next(request.user, order if order in BY else "arrival", flow or None)
    if found is None:
        messages.info(request, _("No task is open to you."))
        return HttpResponseRedirect(reverse("monitor:tasks"))
    return HttpResponseRedirect(found)


def take_next(user: AnyUser, order: Any, flow: str | None = None) -> str | None:
    """Take the first open task in an order, and return the address of its page; None if there is none."""
    found = api.next_task(user.get_username(), task_keys(user), order, [flow] if flow else None)
    if found is None:
        return None
    query = urlencode({"next": order, **({"flow": flow} if flow else {})})
    return f"{reverse('monitor:task', args=[found.job_id])}?{query}"


@require_POST
@page
@masks
def take_many(request: HttpRequest) -> HttpResponse:
    """Take all tasks that are marked in the list, and say which others had been taken."""
    person, keys = request.user.get_username(), task_keys(request.user)
    taken, refused = 0, ""
    for number in request.POST.getlist("task")[:PAGE_SIZE]:
        try:
            api.take_task(long_number(number) or 0, person, keys)
            taken += 1
        except Refused as why:
            refused = why.sentence
    if taken:
        messages.success(
            request, ngettext("%(n)s task is yours.", "%(n)s tasks are yours.", taken) % {"n": taken}
        )
    if refused:
        messages.warning(request, refused)
    elif not taken:
        messages.info(request, _("Mark the tasks that you take."))
    return HttpResponseRedirect(f"{reverse('monitor:tasks')}?show={'mine' if taken else 'open'}")


def text_of(request: HttpRequest, name: str) -> str:
    """Return a text of a form without characters that PostgreSQL rejects."""
    return request.POST.get(name, "").strip()[:LONGEST].replace("\x00", "")
