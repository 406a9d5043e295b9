"""Operate on the instances of a list: the preview with its request, the progress, and all that there were."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast
from urllib.parse import urlencode

from django.contrib import messages
from django.db import DataError, OperationalError, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from flows import api
from flows.access import flow_or_404, listed_flows, may, may_see, right_for
from flows.capabilities.bulk import queries as bulk_queries
from flows.capabilities.bulk.api import Bulk, BulkRequest, BulkResult
from flows.capabilities.bulk.queries import Chosen
from flows.errors import BadBulk, BulkChanged, NeedsApprovals, Refused, UnknownBulk
from flows.filters import BadFilter, Filter, parse
from flows.queries.definitions import FlowInfo
from monitor import holders
from monitor.bulk.choices import ALL, MANY, RESULT, again, choices, difference, may_all, repair_links
from monitor.bulk.sources import group_of, of_flow
from monitor.cases.rows import cause
from monitor.list_filters import operable
from monitor.views.operate import LONGEST_REASON
from pages.guard import is_timeout, page
from pages.once import once
from pages.urlparams import long_number, number, text

ROWS = 100
LISTED = 50
# The form of a preview has the numbers of as many instances, so that the page can say which have changed.
NAMED = 1000
SHOWN = 20
ACTIONS = {"pause": api.bulk.pause, "resume": api.bulk.resume, "withdraw": api.bulk.withdraw}


@require_http_methods(["GET", "HEAD", "POST"])
@page
@once
def new(request: HttpRequest) -> HttpResponse:
    """Show which instances the filter selects and what can be done to them, or request it."""
    posted = request.method == "POST"
    name = request.POST.get("flow", "") if posted else text(request, "flow")
    flow = flow_or_404(request.user, name) if name else None
    if not operable(request.user, flow):
        return HttpResponseForbidden(_("You may see these instances, but not operate them."))
    query = request.POST.get("q", "") if posted else text(request, "q")
    context: dict[str, Any] = {"flow": flow, "query": query, "given": _given(request)}
    context["longest"] = LONGEST_REASON
    try:
        chosen = parse(query, flow, timezone.get_current_timezone())
        context |= _group(request, flow)
        found = _found(request, chosen, context.get("group", {}))
        context |= _preview(request, chosen, found)
        if posted and request.POST.get("claims", "") != context["claims"]:
            raise BadBulk(_("Others have tasks or cases of these instances. Send it again to go on."))
        if posted:
            return _requested(request, chosen, found, context.get("group", {}))
    except OperationalError as error:
        if not is_timeout(error):
            raise
        context["too_slow"] = True
    except DataError as error:
        context["error"] = BadFilter("wrong_value", problem=str(error).partition("\n")[0]).sentence
    except Refused as refused:
        context["error"] = refused.sentence
        context["approvals"] = isinstance(refused, NeedsApprovals)
        if isinstance(refused, BulkChanged):
            context["changes"] = _changes(request, found)
    return render(request, "monitor/bulk/new.html", context)


def _group(request: HttpRequest, flow: FlowInfo | None) -> dict[str, Any]:
    """Return the group of cases whose instances are meant, if the request names one, and its list."""
    group = group_of(request.POST if request.method == "POST" else request.GET) if flow else {}
    if flow is None or not group:
        return {}
    back = f"{reverse('monitor:cases')}?{urlencode({'flow': flow.name, **group})}"
    return {"group": group, "group_title": cause(group["cause"]) if "cause" in group else "", "back": back}


def _found(request: HttpRequest, chosen: Filter, group: Mapping[str, str]) -> Chosen:
    """Return the instances of the filter, and with a group of cases those that have one of these, too."""
    among = bulk_queries.of_group(chosen.flow.name, **group).wids if group and chosen.flow else None
    return bulk_queries.selected(bulk_queries.over(chosen, listed_flows(request.user)), among)


def _preview(request: HttpRequest, chosen: Filter, found: Chosen) -> dict[str, Any]:
    """Return the context about the instances, and the values by which the form confirms them."""
    return {
        "query": chosen.text(),
        "found": found,
        "total": len(found.wids),
        "choices": choices(request.user, chosen.text(), found),
        "repairs": repair_links(request.user, chosen.text(), found),
        "confirmed": _joined(found.wids) if len(found.wids) <= NAMED else "",
        "transitions": bulk_queries.transitions(found),
        "ended": found.applies("FAC"),
    } | holders.of_many(request, found.wids)


def _joined(wids: Collection[int]) -> str:
    return ",".join(map(str, wids))


def _changes(request: HttpRequest, found: Chosen) -> list[tuple[str, list[int], int]]:
    """Return how the instances differ from those of the form, if it names them: some, and how many more."""
    read = [number(one) for one in request.POST.get("confirmed", "").split(",", NAMED)[:NAMED]]
    confirmed = [wid for wid in read if wid is not None]
    if not confirmed:
        return []
    changed = difference(confirmed, found)
    both = (_("Selected now:"), changed.entered), (_("No longer selected:"), changed.left)
    return [(title, wids[:SHOWN], max(len(wids) - SHOWN, 0)) for title, wids in both if wids]


def _given(request: HttpRequest) -> dict[str, str]:
    """Return the values of the form, so that it is shown again."""
    return {
        "operation": request.POST.get("operation", "") or text(request, "operation"),
        "reason": request.POST.get("reason", "").strip()[:LONGEST_REASON].replace("\x00", ""),
        "priority": request.POST.get("priority", "0")[:7],
        "to": request.POST.get("to", "").strip()[:200].replace("\x00", ""),
        "transition": request.POST.get("transition", "").strip()[:63].replace("\x00", ""),
    }


def _requested(request: HttpRequest, chosen: Filter, found: Chosen, group: Mapping[str, str]) -> HttpResponse:
    """Request the operation for the number that the form confirms. Raises WedError."""
    given, user = _given(request), request.user
    operation = given["operation"]
    if operation not in MANY:
        raise BadBulk(_("Choose what to do with the instances."))
    prefix = f"{of_flow(chosen.flow.name, group)} " if chosen.flow else ""
    what = BulkRequest(
        operation,
        given["reason"],
        number(given["priority"]) if operation == "priority" else None,
        given["transition"] if api.operations.table()[operation].of_job else "",
        (prefix + chosen.text()).strip(),
        given["to"] if operation == "reassign" else None,
        propose=request.POST.get("propose") == "yes",
    )
    made = api.bulk.request(
        what,
        found.wids,
        expected=number(request.POST.get("expected")) or 0,
        digest=request.POST.get("digest", "")[:64].replace("\x00", ""),
        flows=[name for name in found.flows if may(user, right_for(operation), name)],
        actor=user.get_username(),
    )
    if made.proposal:
        return HttpResponseRedirect(reverse("monitor:proposal", args=[made.proposal]))
    return HttpResponseRedirect(reverse("monitor:bulk", args=[made.id]))


@require_http_methods(["GET", "HEAD", "POST"])
@page
def bulk(request: HttpRequest, bulk: int) -> HttpResponse:
    """Show the progress of a bulk operation with a result for each instance, or pause or withdraw it."""
    found = _bulk_or_404(request, bulk)
    controls = may_all(request.user, found.operation, found.flows)
    if request.method == "POST":
        if not controls:
            return HttpResponseForbidden(_("You may see these instances, but not operate them."))
        return _changed(request, found)
    wanted = text(request, "result")
    result = cast("BulkResult", wanted if wanted in RESULT else "")
    after = number(request.GET.get("after")) or 0
    rows = api.bulk.rows(bulk, result, after=max(after, 0), limit=ROWS + 1)
    counts = {"": found.total, "done": found.done, "refused": found.refused, "gone": found.gone}
    context = {
        "bulk": found,
        "operation": ALL[found.operation],
        "controls": controls and found.state in ("running", "paused"),
        "again": again(request.user, found, result),
        "rows": rows[:ROWS],
        "next": rows[ROWS - 1].wid if len(rows) > ROWS else None,
        "after": after,
        "result": result,
        "results": [(code, title, (counts | {"left": found.left})[code]) for code, title in RESULT.items()],
    }
    return render(request, "monitor/bulk/operation.html", context)


def _bulk_or_404(request: HttpRequest, bulk: int) -> Bulk:
    """Return the operation if the user sees every flow of it; raise Http404 otherwise."""
    try:
        with transaction.atomic():
            found = api.bulk.read(min(bulk, 2**63 - 1))
    except UnknownBulk as error:
        raise Http404 from error
    if not all(may_see(request.user, name) for name in found.flows):
        raise Http404
    return found


def _changed(request: HttpRequest, found: Bulk) -> HttpResponse:
    change = ACTIONS.get(request.POST.get("action", ""))
    if change:
        try:
            change(found.id, actor=request.user.get_username())
        except Refused as refused:
            messages.error(request, refused.sentence)
    return HttpResponseRedirect(reverse("monitor:bulk", args=[found.id]))


@require_safe
@page
def bulks(request: HttpRequest) -> HttpResponse:
    """List the bulk operations whose flows the user sees, newest first."""
    visible = listed_flows(request.user)
    before = long_number(request.GET.get("before"))
    flows = None if visible is None else sorted(visible)
    found = api.bulk.list(flows, before=before, limit=LISTED + 1)
    context = {"bulks": found[:LISTED], "older": found[LISTED - 1].id if len(found) > LISTED else None}
    return render(request, "monitor/bulk/list.html", context | {"before": before})
