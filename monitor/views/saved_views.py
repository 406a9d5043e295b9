"""Saved views: those that every list has, and those that people saved, with the number of what they show.

They are of lists of instances, or with `list=tasks`, cases, jobs, approvals or alerts of those; jobs are of a
flow.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import TypeAlias

from django.contrib import messages
from django.db import DataError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from flows import api
from flows.access import (
    AnyUser,
    flow_or_404,
    group_names,
    leave_out,
    may,
    sees_everything,
    shown_to,
    visible_flows,
)
from flows.capabilities.filters.api import SavedView, View
from flows.capabilities.tasks.api import ORDERS as BY
from flows.errors import Refused
from flows.filters import BadFilter, parse
from flows.queries import everywhere, instances
from flows.queries.base import snapshot
from flows.queries.cases import ORDERS as CASE_ORDERS
from flows.queries.chosen_jobs import ORDERS as JOB_ORDERS
from flows.queries.counts import Count
from flows.queries.definitions import FlowInfo
from flows.queries.lists.alerts import ORDERS as ALERT_ORDERS
from flows.queries.lists.approvals import ORDERS as APPROVAL_ORDERS
from monitor.alerts import selection as alert_selection
from monitor.approvals import selection as approval_selection
from monitor.cases import selection as case_selection
from monitor.labels import VIEW, VIEWS
from monitor.lists import page as listing
from monitor.tasks import list_parameters
from monitor.tasks import lists as task_lists
from monitor.views import jobs
from pages.guard import is_timeout, page
from pages.urlparams import text

MOST_COUNTED = 1_000
COUNT_TIMEOUT_MS = 500
# For all counts of the page, and of the part of it that its script fetches then.
QUICK_SECONDS = 0.1
BUDGET_SECONDS = 3.0
SHARED = ("mine", "team", "everyone")


@dataclass(frozen=True)
class Shown:
    """A view on the page: the address of its list, and how many instances it has, None if that is unknown."""

    title: str
    query: str
    href: str
    count: Count | None = None
    saved: SavedView | None = None
    own: bool = False


Counted: TypeAlias = Callable[[AnyUser, str, FlowInfo | None, int], Callable[[], Count]]


@dataclass(frozen=True)
class Other:
    """A kind of lists besides those of instances: its title, address and orders, and who counts its rows.

    `numbers` is the title of the number of its rows. Lists that are `of_flow` have views of that flow.
    """

    title: Promise
    numbers: Promise
    address: str
    orders: Collection[str]
    counted: Counted
    views: Callable[[AnyUser, str], list[tuple[SavedView, str]]]
    of_flow: bool = False

    def href(self, flow: FlowInfo | None) -> str:
        """Return the address of the list."""
        return reverse(self.address, args=[flow.name] if self.of_flow and flow else [])


def _over_flows(counted: Callable[[AnyUser, str, int], Callable[[], Count]]) -> Counted:
    """Return the counter of a list that is over all flows."""
    return lambda user, query, _flow, cap: counted(user, query, cap)


OTHERS: dict[str, Other] = {
    "tasks": Other(
        gettext_lazy("Views of lists of tasks"), gettext_lazy("Open to me"), "monitor:tasks", BY,
        _over_flows(list_parameters.counted), lambda user, _flow: task_lists.views(user, "open"),
    ),
    "cases": Other(
        gettext_lazy("Views of lists of cases"), gettext_lazy("Open cases"), "monitor:cases", CASE_ORDERS,
        _over_flows(case_selection.counted), lambda user, flow: listing.views(user, "cases", flow),
    ),
    "jobs": Other(
        gettext_lazy("Views of lists of jobs"), gettext_lazy("Pending jobs"), "monitor:jobs", JOB_ORDERS,
        jobs.counted, lambda user, flow: listing.views(user, "jobs", flow), of_flow=True,
    ),
    "approvals": Other(
        gettext_lazy("Views of lists of approvals"), gettext_lazy("Waiting"), "monitor:approvals",
        APPROVAL_ORDERS, _over_flows(approval_selection.counted),
        lambda user, flow: listing.views(user, "approvals", flow),
    ),
    "alerts": Other(
        gettext_lazy("Views of lists of alerts"), gettext_lazy("Alerts"), "monitor:alerts", ALERT_ORDERS,
        _over_flows(alert_selection.counted), lambda user, flow: listing.views(user, "alerts", flow),
    ),
}  # fmt: skip


@require_http_methods(["GET", "HEAD", "POST"])
@page
def views(request: HttpRequest) -> HttpResponse:
    """Show the views of a flow, or over all flows, and save the list that the address describes."""
    for of in OTHERS:
        if of in (text(request, "list"), request.POST.get("list")):
            return _of_others(request, of)
    name = text(request, "flow") or request.POST.get("flow", "")
    flow = flow_or_404(request.user, name) if name else None
    error = ""
    if request.method == "POST":
        if request.POST.get("shared") == "everyone" and not may_share(request.user, flow):
            return HttpResponseForbidden(_("You may save views for yourself and your groups only."))
        try:
            return _saved(request, flow)
        except Refused as refused:
            error = refused.sentence
    counting, mine = request.GET.get("counted") == "1", teams(request.user)
    context = {
        "flow": flow,
        "views": _shown(request.user, flow, mine, BUDGET_SECONDS if counting else QUICK_SECONDS),
        "counting": counting,
        "form": request.POST or request.GET,
        "offered": "q" in request.GET or request.method == "POST",
        "error": error,
        "teams": mine,
        "everyone": may_share(request.user, flow),
    }
    return render(request, "monitor/views.html", context)


def _of_others(request: HttpRequest, of: str) -> HttpResponse:
    """Show the views of lists of another kind, and save the list that the address describes."""
    user, error, other = request.user, "", OTHERS[of]
    leave_out(user)  # what is masked: the filters know of each flow what the user may see
    name = text(request, "flow") or request.POST.get("flow", "")
    flow = shown_to(user, flow_or_404(user, name)) if other.of_flow else None
    if request.method == "POST":
        if request.POST.get("shared") == "everyone" and not may_share(user, flow):
            return HttpResponseForbidden(_("You may save views for yourself and your groups only."))
        try:
            return _saved(request, flow, of)
        except Refused as refused:
            error = refused.sentence
    counting = request.GET.get("counted") == "1"
    context = {
        "list": of,
        "other": other,
        "flow": flow,
        "views": _other_views(user, other, flow, BUDGET_SECONDS if counting else QUICK_SECONDS),
        "counting": counting,
        "form": request.POST or request.GET,
        "offered": "q" in request.GET or request.method == "POST",
        "error": error,
        "teams": teams(user),
        "everyone": may_share(user, flow),
    }
    return render(request, "monitor/views.html", context)


def _other_views(user: AnyUser, other: Other, flow: FlowInfo | None, seconds: float) -> list[Shown]:
    """Return the views of another kind of lists, with the numbers of rows that are counted in time."""
    until, found = monotonic() + seconds, []
    for view, query in other.views(user, flow.name if flow else ""):
        shown = Shown(view.name, view.query, f"{other.href(flow)}?{query}", None, view,
                      view.owner == user.get_username())  # fmt: skip
        left = int(1000 * (until - monotonic()))
        count = _limited(partial(other.counted, user, view.query, flow, MOST_COUNTED), left)
        found.append(replace(shown, count=count))
    return found


def _saved(request: HttpRequest, flow: FlowInfo | None, of: str = "instances") -> HttpResponse:
    """Save the view of the form, and lead back to the page. Raises WedError."""
    form = request.POST
    team = form.get("team", "") if form.get("shared") == "team" else ""
    if team and team not in teams(request.user):
        team = ""  # which the kernel rejects
    query = accepted(request.user, form.get("q", ""), flow, of)
    columns = [name for name in form.get("columns", "").split(",") if name]
    known = OTHERS[of].orders if of in OTHERS else ("id",)
    sorting = given if (given := form.get("sort", "")) in known else ""
    view = View(query, columns, sorting, form.get("shared", "mine"), team, of)
    saved = api.views.save(request.user.get_username(), flow.name if flow else "", form.get("name", ""), view)
    messages.success(request, _("The view “%(name)s” is saved.") % {"name": saved.name})
    return _back(saved.flow, of)


def accepted(user: AnyUser, query: str, flow: FlowInfo | None, of: str = "instances") -> str:
    """Return the canonical text of a filter. Raises BadFilter for one that the list would reject."""
    chosen = parse(query, flow)
    if of in OTHERS:
        OTHERS[of].counted(user, query, flow, MOST_COUNTED)
    elif flow is None:
        everywhere.selection(chosen, *_every(visible_flows(user)))
    return chosen.text()


@require_POST
@page
def delete(request: HttpRequest, saved_view: int) -> HttpResponse:
    """Delete a view of the user."""
    try:
        api.views.delete(request.user.get_username(), saved_view)
    except Refused as refused:
        messages.error(request, refused.sentence)
    else:
        messages.success(request, _("The view is deleted."))
    return _back(request.POST.get("flow", ""), request.POST.get("list", ""))


def _back(flow: str, of: str = "") -> HttpResponse:
    parts = {"flow": flow, "list": of if of in OTHERS else ""}
    query = urlencode({name: value for name, value in parts.items() if value})
    return HttpResponseRedirect(f"{reverse('monitor:views')}{'?' if query else ''}{query}")


def teams(user: AnyUser) -> list[str]:
    return group_names(user)


def may_share(user: AnyUser, flow: FlowInfo | None) -> bool:
    """Return whether the user may save views for everyone: who operates the flow, or sees all flows."""
    return may(user, "operate", flow.name) if flow else sees_everything(user)


def _shown(user: AnyUser, flow: FlowInfo | None, mine: list[str], seconds: float) -> list[Shown]:
    """Return the views, with their numbers as far as these can be counted in this time."""
    owner, name = user.get_username(), flow.name if flow else ""
    found = [Shown(str(VIEW[code]), query, _href(flow, query)) for code, query in VIEWS.items()]
    for each in api.views.list(owner, mine, name):
        href = _href(flow, each.query, ",".join(each.columns), each.sorting)
        found.append(Shown(each.name, each.query, href, None, each, each.owner == owner))
    until, over = monotonic() + seconds, flow or _every(visible_flows(user))
    return [_counted(each, over, int(1000 * (until - monotonic()))) for each in found]


def _every(names: Collection[str] | None) -> tuple[Collection[str] | None, list[int]]:
    """Return the flows of these names (None: all) with their numbers."""
    return names, everywhere.flow_ids(names)


def _href(flow: FlowInfo | None, query: str, columns: str = "", sorting: str = "") -> str:
    address = reverse("monitor:flow", args=[flow.name]) if flow else reverse("monitor:instances")
    parts = {"q": query, "columns": columns, "sort": sorting}
    return f"{address}?{urlencode({name: value for name, value in parts.items() if value})}"


def _counted(view: Shown, over: FlowInfo | tuple[Collection[str] | None, list[int]], left_ms: int) -> Shown:
    """Return the view with its number; without one if it takes long, or no longer suits the definition.

    `over` is the flow, or the flows, of which the instances are counted.
    """
    count = _limited(partial(_matching, view.query, over), left_ms)
    return view if count is None else replace(view, count=count)


def _matching(query: str, over: FlowInfo | tuple[Collection[str] | None, list[int]]) -> Callable[[], Count]:
    if isinstance(over, FlowInfo):
        return partial(instances.matching, parse(query, over), MOST_COUNTED)
    return partial(everywhere.matching, everywhere.selection(parse(query), *over), MOST_COUNTED)


def _limited(prepared: Callable[[], Callable[[], Count]], left_ms: int) -> Count | None:
    """Return a count; None if it takes long, or if the view no longer suits the definition.

    What is prepared checks predicates, which is not possible in the read-only snapshot of the count.
    """
    if left_ms <= 0:
        return None
    try:
        counted = prepared()
        with snapshot(min(COUNT_TIMEOUT_MS, left_ms)):
            return counted()
    except (BadFilter, DataError):
        return None
    except OperationalError as error:
        if not is_timeout(error):
            raise
        return None
