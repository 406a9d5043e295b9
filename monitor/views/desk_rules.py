"""The rules for the cases of a flow: queues, approvals, policies and links, for those who may design it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import flow_or_404, may
from flows.capabilities.approvals.approvers import too_few
from flows.designer.editor.lists import readable
from flows.errors import NeedsApprovals, Refused, UnknownCase
from flows.queries.definitions import FlowInfo
from monitor.desk_rules import KINDS, Edit, Kind, change, digest, propose
from pages.guard import page
from pages.urlparams import long_number, number, text

MOVES = {"up": -1, "down": 1}
# Of the kinds for which the kernel says what decides: the name in its answer.
DECIDING = {"queues": "queue", "policies": "policy"}


@require_http_methods(["GET", "HEAD", "POST"])
@page
def desk_rules(request: HttpRequest, name: str) -> HttpResponse:
    """Show the rules of one kind in their order, and which decides about a case; move or remove one."""
    flow = flow_or_404(request.user, name)
    if not may(request.user, "design", flow.name):
        return _forbidden()
    chosen, kind = _kind(request)
    refused = None
    if request.method == "POST":
        try:
            return _changed(request, flow, chosen, kind)
        except NeedsApprovals as error:
            refused = error
    items = kind.read(flow)
    context = {
        "refused": refused and refused.sentence,
        "row": request.POST.get("row", ""),
        "flow": flow,
        "kinds": KINDS,
        "shown": chosen,
        "kind": kind,
        "rows": [_row(flow, kind, each) for each in items],
        "seen": digest(items),
        "explains": chosen in DECIDING,
        "case": text(request, "case"),
    }
    return render(request, "monitor/desk_rules.html", context | _deciding(request, flow, chosen))


def _row(flow: FlowInfo, kind: Kind, item: Any) -> dict[str, Any]:
    """Return a rule for the page."""
    title, does = kind.summary(item)
    found = {"title": title, "does": does, "condition": item.get("condition", "")}
    if "approvals" in item:
        found["warning"] = too_few(flow.name, item["approvals"], item["approvers"])
    return found | {"missing": ", ".join(item.get("missing", ())), "by": item.get("changed_by", "")}


def _deciding(request: HttpRequest, flow: FlowInfo, chosen: str) -> dict[str, Any]:
    """Return which rule decides about the case that the user asks about, from 1; 0 for none."""
    case = long_number(request.GET.get("case"))
    if case is None or chosen not in DECIDING:
        return {"unknown": bool(request.GET.get("case")) and chosen in DECIDING}
    try:
        found = api.repairs.deciding_rules(case, [flow.name])
    except UnknownCase:
        return {"unknown": True}
    return {"decides": found[DECIDING[chosen]] or 0, "asked": case}


def _changed(request: HttpRequest, flow: FlowInfo, chosen: str, kind: Kind) -> HttpResponse:
    """Move or remove a rule, or propose it. Raises NeedsApprovals where it has to be proposed."""
    row, do = number(request.POST.get("row")), request.POST.get("do", "")

    def edit(items: list[dict[str, Any]]) -> None:
        if row is None or row >= len(items) or do not in {*MOVES, "remove"}:
            raise Http404
        one = items.pop(row)
        if do != "remove":
            items.insert(max(row + MOVES[do], 0), one)

    seen, user = request.POST.get("seen", ""), request.user.get_username()
    try:
        if "propose" in request.POST:
            return _proposed(flow, seen, edit, request)
        change(kind, flow, seen, edit, user)
        messages.success(request, _("The rule is removed.") if do == "remove" else _("The order is changed."))
    except NeedsApprovals:
        raise
    except Refused as refused:
        messages.error(request, refused.sentence)
    return _to(flow, chosen)


def _proposed(flow: FlowInfo, seen: str, edit: Edit, request: HttpRequest) -> HttpResponse:
    """Propose a change of the rules for approvals, and show the proposal. Raises WedError."""
    reason = request.POST.get("reason", "").replace("\x00", "")
    made = propose(flow, seen, edit, reason, request.user.get_username())
    return HttpResponseRedirect(reverse("monitor:proposal", args=[made.number]))


@require_http_methods(["GET", "HEAD", "POST"])
@page
def desk_rule(request: HttpRequest, name: str) -> HttpResponse:
    """Show the form of a rule, of `row` or a new one, or save it."""
    flow = flow_or_404(request.user, name)
    if not may(request.user, "design", flow.name):
        return _forbidden()
    chosen, kind = _kind(request)
    row, items = number(request.GET.get("row")), kind.read(flow)
    if row is not None and row >= len(items):
        raise Http404
    old = dict(items[row]) if row is not None else None
    form = kind.form(flow, request.POST if request.method == "POST" else None, initial=old or {})
    error = None
    if request.method == "POST" and form.is_valid():
        try:
            return _saved(request, flow, chosen, row, form.cleaned_data)
        except Refused as refused:
            error = refused
    seen = request.POST.get("seen", "") if request.method == "POST" else digest(items)
    context = {
        "flow": flow,
        "shown": chosen,
        "kind": kind,
        "form": form,
        "old": old,
        "error": error and error.sentence,
        "proposable": isinstance(error, NeedsApprovals) or "propose" in request.POST,
        "seen": seen,
    }
    return render(
        request, "monitor/desk_rule.html", context | {"attributes": readable(api.flows.definition(flow.name))}
    )


def _saved(
    request: HttpRequest, flow: FlowInfo, chosen: str, row: int | None, given: dict[str, Any]
) -> HttpResponse:
    """Save a rule, behind the others if it is new, or propose it. Raises WedError."""

    def edit(items: list[dict[str, Any]]) -> None:
        if row is None:
            items.append(given)
        else:
            items[row] = given

    seen = request.POST.get("seen", "")
    if "propose" in request.POST:
        return _proposed(flow, seen, edit, request)
    change(KINDS[chosen], flow, seen, edit, request.user.get_username())
    messages.success(request, _("The rule is saved."))
    if warning := "approvals" in given and too_few(flow.name, given["approvals"], given["approvers"]):
        messages.warning(request, warning)
    return _to(flow, chosen)


def _kind(request: HttpRequest) -> tuple[str, Kind]:
    """Return the kind of rules of the address. Raises Http404."""
    chosen = request.GET.get("kind", "queues")
    if chosen not in KINDS:
        raise Http404
    return chosen, KINDS[chosen]


def _to(flow: FlowInfo, chosen: str) -> HttpResponse:
    return HttpResponseRedirect(f"{reverse('monitor:desk_rules', args=[flow.name])}?kind={chosen}")


def _forbidden() -> HttpResponse:
    return HttpResponseForbidden(_("You may see this flow, but not design it."))
