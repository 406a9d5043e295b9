"""A rule for cases like one case: what it would match, and a draft with it for the designer."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import flow_or_404, may, rights
from flows.capabilities.cases.api import Case
from flows.capabilities.recovery.proposed_rules import ProposedRule
from flows.designer.draft.sentences import reader
from flows.designer.trial.path import limited
from flows.errors import Refused, UnknownCase
from flows.queries.definitions import FlowInfo
from monitor.cases import rows as case_rows
from monitor.cases.report_rows import written
from pages.guard import page

# The page examines no more instances than these, and no longer.
LIMIT, SECONDS = 200_000, 4.0


@require_http_methods(["GET", "HEAD", "POST"])
@page
def proposed_rule(request: HttpRequest, case: int) -> HttpResponse:
    """Return the rule for cases like this one, with what it would match; POST adds it to the draft."""
    found, flow = _case(request, case)
    if request.method == "POST":
        return _drafted(request, found, flow)
    rule = api.repairs.proposed_rule(case, [flow.name])
    context = {
        "flow": flow,
        "case": case_rows.row(found, case_rows.names([flow.name])),
        "rule": rule,
        "may_design": may(request.user, "design", flow.name),
        "technical": bool(rights(request.user, flow.name) & {"repair", "design"}),
    }
    context |= _shown(rule, flow) if rule else {}
    return render(request, "monitor/recovery/proposed_rule.html", context)


def _case(request: HttpRequest, number: int) -> tuple[Case, FlowInfo]:
    """Return a case and its flow, of which the user sees all values. Raises Http404, PermissionDenied."""
    if number >= 2**63:
        raise Http404
    try:
        found = api.cases.read(number)
    except UnknownCase as error:
        raise Http404 from error
    return found, flow_or_404(request.user, found.flow)


def _shown(rule: ProposedRule, flow: FlowInfo) -> dict[str, Any]:
    sentence = reader(api.drafts.running_definition(flow.name)[1])(rule.condition)
    context = {
        "sentence": sentence if sentence != rule.condition else "",
        "writes": written(rule.attributes, rule.values, flow),
    }
    try:
        with limited():
            matched = api.trials.what_if(
                flow.name, rule.condition, history=True, limit=LIMIT, seconds=SECONDS
            )
    except Refused as error:
        return context | {"error": error.sentence}
    past = matched["history"]
    whole = matched["examined"] >= matched["living"] and past["examined"] >= past["instances"]
    return context | {"matched": matched, "past": past, "whole": whole}


def _drafted(request: HttpRequest, case: Case, flow: FlowInfo) -> HttpResponse:
    """Add the rule to the draft, and show the draft."""
    if not may(request.user, "design", flow.name):
        return HttpResponseForbidden(_("You may see this flow, but not design it."))
    here = HttpResponseRedirect(reverse("monitor:proposed_rule", args=[case.number]))
    try:
        draft = api.repairs.draft_proposed_rule(case.number, [flow.name], actor=request.user.get_username())
    except Refused as refused:
        messages.error(request, str(refused))
        return here
    if draft is None:
        messages.error(request, _("No rule can be derived from this case any more."))
        return here
    messages.success(
        request, _("The rule is in the draft. Look at it, try it, and publish it if it is right.")
    )
    return HttpResponseRedirect(reverse("admin:flows_flow_rules", args=[flow.id]))
