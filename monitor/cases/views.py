"""Cases: the work of people on exceptions. The list with its groups, and what a person does with a case."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from flows import api
from flows.access import (
    AnyUser,
    concealed,
    flows_of,
    is_responsible,
    masks,
    may,
    right_for,
    rights,
    shown_to,
    visible_flows,
)
from flows.capabilities.approvals.approvers import to_approve
from flows.capabilities.cases.api import Case
from flows.designer.trial.values import BadValue
from flows.errors import Refused, UnknownCase
from flows.moments import later
from flows.queries.definitions import flow_by_name
from flows.users.people import may_be_given
from monitor.cases import following_case, selection, waits
from monitor.cases.cells import cells
from monitor.cases.rows import TABS, GroupRow, group_rows, names, rows
from monitor.durations import seconds
from monitor.flow_names import named_flow
from monitor.lists.page import only_flow
from pages.guard import page
from pages.once import claimed, say_again
from pages.urlparams import text

PAGE_SIZE = 50
GROUPS = 15
EXAMINED = 100
LONGEST = 2000


@require_safe
@page
@masks
def cases(request: HttpRequest) -> HttpResponse:
    """Return the cases that the user sees, the most urgent first, with their groups on the first page."""
    tab = text(request, "show")
    tab = tab if tab in TABS else "open"
    where = {name: given for name in ("queue", "cause", "signature") if (given := text(request, name))}
    where |= TABS[tab].where(request.user.get_username())
    wanted = selection.wanted(request, tab, where, seen_flows(request))
    if wanted.asked.edited and not wanted.asked.error:
        return HttpResponseRedirect(selection.address(request, wanted))
    listed = selection.found(request.user, wanted, PAGE_SIZE)
    found = listed.rows
    grouped = tab == "open" and not where and wanted.usual and wanted.after is None and not listed.error
    groups = api.cases.groups(_listed(wanted.flows), EXAMINED) if grouped else []
    hidden, shown = concealed(request.user), {one.flow for one in found} | {one.flow for one in groups}
    named, whole = names(shown), not wanted.asked.text
    only = only_flow(request.user, wanted.asked, wanted.flows)
    columns = selection.columns(request, wanted, many_flows=len(shown) > 1)
    shown_rows, titles = rows(found, named, request.user, columns, only)
    context = {
        "tab": tab,
        **tab_facts(request.user),
        "many_flows": len(shown) > 1,
        "rows": shown_rows,
        "columns": titles,
        "cells": cells(titles),
        "too_slow": listed.too_slow,
        "one_flow_hint": only is None,
        "more": listed.more,
        "groups": [
            _with_offers(request.user, row, hidden) for row in group_rows(groups, named, hidden, GROUPS)
        ],
        "narrowed": {name: where[name] for name in ("queue", "cause", "signature") if name in where},
        "narrowed_queue": named.queues.of(where["queue"], text(request, "flow") or None)
        if "queue" in where
        else "",
        "flow": text(request, "flow"),
        "flow_title": named.flow(text(request, "flow")),
        "offers": _group_offers(request.user, found, where, hidden) if whole else {},
        "rule_of": _rule_of(request.user, found, where, hidden),
        "repair_all": _repair_all(request, found, where, hidden) if whole and tab == "open" else "",
        "repairs": flows_of(request.user, "handle") != frozenset(),
    } | selection.form(request, wanted, listed, only, columns)
    return render(request, "monitor/cases/list.html", context)


def tab_facts(user: AnyUser) -> dict[str, Any]:
    """Return the context of the tabs over the pages of cases."""
    return {"tabs": TABS, "to_approve": len(to_approve(user))}


def _offers(user: AnyUser, flow: str, cause: str, hidden: Collection[str]) -> dict[str, bool]:
    """Return the actions of the user for all cases of a group. Late results are decided on one at a time."""
    shown = flow not in hidden and cause not in ("LATE_RESULT", "COMPENSATION_FAILED")
    return {
        "repairs": shown and may(user, right_for("patch"), flow),
        "retries": shown and cause == "ATTEMPTS" and may(user, right_for("retry"), flow),
    }


def _with_offers(user: AnyUser, row: GroupRow, hidden: Collection[str]) -> GroupRow:
    """Return a group with what the user may do with all of its cases."""
    offers = _offers(user, row.group.flow, row.group.cause, hidden)
    return replace(row, repairs=offers["repairs"], retries=offers["retries"])


def _group_offers(
    user: AnyUser, found: Sequence[Case], where: Mapping[str, str], hidden: Collection[str]
) -> dict[str, bool]:
    """Return the same where the cases that are listed are those of a group."""
    if len(found) < 2 or "cause" not in where or "signature" not in where:
        return {}
    return _offers(user, found[0].flow, where["cause"], hidden)


def _rule_of(
    user: AnyUser, found: Sequence[Case], where: Mapping[str, str], hidden: Collection[str]
) -> int | None:
    """Return the number of a case of a listed group that no rule applies to, if the user may see rules."""
    if not found or where.get("cause") != "STUCK" or "signature" not in where or found[0].flow in hidden:
        return None
    return found[0].number if rights(user, found[0].flow) & {"repair", "design"} else None


def _repair_all(
    request: HttpRequest, found: Sequence[Case], where: Mapping[str, str], hidden: Collection[str]
) -> str:
    """Return the query string of the repair of all listed cases of a flow that are not of one group."""
    flow, grouped = text(request, "flow"), "cause" in where and "signature" in where
    offered = _offers(request.user, flow, where.get("cause", ""), hidden)
    if len(found) < 2 or not flow or grouped or not offered["repairs"]:
        return ""
    return urlencode({"flow": flow, **where})


def seen_flows(request: HttpRequest) -> list[str] | None:
    """Return the flows whose cases are shown; None for all."""
    visible, chosen = visible_flows(request.user), named_flow(request)
    if chosen:
        return [chosen] if visible is None or chosen in visible else []
    return _listed(visible)


def _listed(flows: Collection[str] | None) -> list[str] | None:
    return None if flows is None else sorted(flows)


@require_POST
@page
@masks
def next_case(request: HttpRequest) -> HttpResponse:
    """Claim the most urgent case for the user and show its repair; the list if there is none."""
    flows = flows_of(request.user, "handle")
    if flows == frozenset():
        return HttpResponseForbidden(_("You may not repair instances."))
    queue = request.POST.get("queue", "")[:80].replace("\x00", "") or None
    return following_case.claim_next(request, queue, flows)


@require_POST
@page
@masks
def change(request: HttpRequest, case: int, verb: str) -> HttpResponse:
    """Do one thing with a case, and show the repair of its instance."""
    if verb not in VERBS or case >= 2**63:
        raise Http404
    takes_over = verb == "claim" and _given(request)
    flows = _listed(flows_of(request.user, "repair" if takes_over else "handle"))
    if not takes_over and (own := _decided(request.user, case)):
        flows = [own]
    if flows == []:
        return HttpResponseForbidden(_denied(request.user))
    try:
        wid = api.cases.read(case, flows).wid
        VERBS[verb](request, request.user, case, flows)
    except UnknownCase as error:
        raise Http404 from error
    except (Refused, BadValue) as refused:
        messages.error(request, str(refused))
    return HttpResponseRedirect(reverse("monitor:repair", args=[wid]) + "#case")


def _decided(user: AnyUser, case: int) -> str:
    """Return the flow of a case of an instance for which the user is responsible; "" for another case."""
    try:
        found = api.cases.read(case)
    except UnknownCase:
        return ""
    return found.flow if is_responsible(user, found.wid) else ""


def _denied(user: AnyUser) -> str:
    if flows_of(user, "handle"):
        return _("You may handle cases, but not take over those of others.")
    return _("You may not repair instances.")


def _given(request: HttpRequest) -> str:
    return request.POST.get("text", "").strip()[:LONGEST].replace("\x00", "")


def _claim(request: HttpRequest, user: AnyUser, case: int, flows: Any) -> None:
    api.cases.claim(case, user.get_username(), take_over=_given(request), flows=flows)


def _release(request: HttpRequest, user: AnyUser, case: int, flows: Any) -> None:
    api.cases.release(case, user.get_username(), flows=flows)


def _give(request: HttpRequest, user: AnyUser, case: int, flows: Any) -> None:
    """Give a case to a colleague who may handle it. Raises Refused."""
    to = request.POST.get("to", "").strip()[:150].replace("\x00", "")
    if not may_be_given(to, api.cases.read(case, flows).flow):
        raise Refused(_("“%(name)s” may not handle cases of this flow.") % {"name": to[:40]})
    api.cases.give(case, to, user.get_username(), _given(request), flows=flows)
    messages.success(request, _("The case is given to %(name)s.") % {"name": to})


def _comment(request: HttpRequest, user: AnyUser, case: int, flows: Any) -> None:
    with claimed(request) as is_new:
        if is_new:
            api.cases.comment(case, user.get_username(), _given(request), flows=flows)
        else:
            say_again(request)


def _wait(request: HttpRequest, user: AnyUser, case: int, flows: Any) -> None:
    until = later(seconds(request.POST.get("time", "").strip()))
    awaited = _awaited(request, user, case, flows) if request.POST.get("awaited") else ""
    api.cases.wait(case, until, user.get_username(), _given(request), condition=awaited, flows=flows)


def _awaited(request: HttpRequest, user: AnyUser, case: int, flows: Any) -> str:
    """Return the condition for which a case is to wait. Raises BadValue."""
    name = api.cases.read(case, flows).flow
    flow = flow_by_name(name)
    if flow is None:
        raise UnknownCase
    flow = shown_to(user, flow)
    technical = bool(rights(user, name) & {"repair", "design"}) and not flow.concealed
    return waits.condition(request.POST, flow, technical=technical)


VERBS: dict[str, Callable[[HttpRequest, AnyUser, int, Any], None]] = {
    "claim": _claim,
    "release": _release,
    "give": _give,
    "comment": _comment,
    "wait": _wait,
}
