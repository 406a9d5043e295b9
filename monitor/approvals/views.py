"""Proposed repairs: the list of what waits for approvals, one proposal, and the decisions about it."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from flows import api
from flows.access import masks, may_on, shown_to
from flows.capabilities.approvals import approvers
from flows.capabilities.approvals.api import RULES, Proposal
from flows.errors import Refused, UnknownProposal
from flows.queries.definitions import FlowInfo, flow_by_name
from monitor import list_filters
from monitor.approvals import rows as shown
from monitor.approvals import selection
from monitor.approvals.cells import cells
from monitor.cases import rows as case_rows
from monitor.lists.page import only_flow
from monitor.views.operate import LONGEST_REASON
from pages.guard import page

PAGE_SIZE = 50


@require_safe
@page
@masks
def approvals(request: HttpRequest) -> HttpResponse:
    """Return the proposals that wait, those that the user can approve marked; or what was decided."""
    mine = shown.waiting_for(request.user)
    wanted = selection.wanted(request, mine)
    if wanted.asked.edited and not wanted.asked.error:
        address = list_filters.without_form(request, wanted.asked, selection.KIND.kept)
        return HttpResponseRedirect(address)
    found, columns = selection.found(request.user, wanted, PAGE_SIZE), selection.columns(request, wanted)
    flow = only_flow(request.user, wanted.asked, wanted.flows)
    rows, titles = shown.rows(request.user, found.rows, columns, flow)
    context = {
        "tabs": case_rows.TABS,
        "closed": wanted.chosen.closed,
        "only_mine": wanted.chosen.only is not None,
        "rows": rows,
        "columns": titles,
        "cells": cells(titles, mine, closed=wanted.chosen.closed),
        "more": found.more,
        "too_slow": found.too_slow,
        "to_approve": len(mine),
        "one_flow_hint": flow is None,
    } | selection.form(request, wanted, found, flow, columns)
    return render(request, "monitor/approvals/list.html", context)


@require_safe
@page
@masks
def proposal(request: HttpRequest, proposal: int) -> HttpResponse:
    """Return one proposal: what it changes, why it needs approvals, the votes, and the buttons."""
    found, flow = _proposal_or_404(request, proposal)
    context = {"flow": flow, "proposed": shown.shown(found, flow, request.user), "alone": True}
    return render(request, "monitor/approvals/proposal.html", context)


@require_POST
@page
@masks
def decide(request: HttpRequest, proposal: int, verb: str) -> HttpResponse:
    """Approve, reject or withdraw a proposal, and show it."""
    found, flow = _proposal_or_404(request, proposal)
    user, note = request.user, request.POST.get("text", "").strip()[:LONGEST_REASON].replace("\x00", "")
    if verb == "withdraw":
        allowed = shown.may_withdraw(user, found)
    elif verb in ("approve", "reject"):
        allowed = approvers.may_approve(user, flow.name)
    elif verb == "override":
        allowed = approvers.may_override(user, found)
    else:
        raise Http404
    if not allowed:
        return HttpResponseForbidden(_("You may see this proposal, but not decide about it."))
    try:
        _say(request, _decided(request, found, verb, note))
    except Refused as refused:
        messages.error(request, str(refused))
    return HttpResponseRedirect(reverse("monitor:proposal", args=[proposal]))


def _decided(request: HttpRequest, found: Proposal, verb: str, note: str) -> Proposal:
    name = request.user.get_username()
    if verb == "withdraw":
        return api.approvals.withdraw(found.number, name)
    if verb == "override":
        return api.approvals.approve_as_administrator(found.number, name, note)
    groups = approvers.approver_groups(request.user, found.flow)
    if verb == "approve":
        return approvers.approve(found.number, name, groups, note)
    return api.approvals.reject(found.number, name, note, groups)


def _say(request: HttpRequest, found: Proposal) -> None:
    """Add the message for a proposal that was decided about."""
    if found.state == "applied" and found.bulk:
        messages.success(request, _("You approved it. It is in progress now."))
    elif found.state == "applied" and found.operation == RULES:
        messages.success(request, _("The rules are changed."))
    elif found.state == "applied":
        messages.success(request, _("Instance %(wid)s is repaired.") % {"wid": found.wid})
    elif found.state == "approved":
        messages.success(request, _("You approved it. Another person has to approve it, too."))
    elif found.state == "rejected":
        messages.success(request, _("You rejected it."))
    elif found.state == "withdrawn":
        messages.success(request, _("The proposal is withdrawn."))
    else:
        messages.error(request, str(found.failure))


def _proposal_or_404(request: HttpRequest, number: int) -> tuple[Proposal, FlowInfo]:
    """Return the proposal and its flow, if the user sees that or the instance. Raises Http404."""
    if number >= 2**63:
        raise Http404
    try:
        found = api.approvals.read(number)
    except UnknownProposal as error:
        raise Http404 from error
    flow = flow_by_name(found.flow) if may_on(request.user, "see", found.flow, found.wid or 0) else None
    if flow is None:
        raise Http404
    return found, shown_to(request.user, flow, found.wid)
