"""Repair the instances of a group of cases with one cause: the form, a preview of each, and the request."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import flow_or_404, may, right_for
from flows.api.bulk import BulkRequest
from flows.designer import values
from flows.errors import WedError
from flows.queries import bulk as bulk_queries
from flows.queries.bulk import Chosen
from flows.queries.definitions import FlowInfo
from monitor import proposals
from monitor.bulk import REPAIRS, PreviewRow, preview_row
from monitor.case_rows import cause
from monitor.repair_choices import writable
from monitor.views.operate import LONGEST_REASON
from pages.guard import page
from pages.urlparams import number

# The repairs that the page offers; what is about a job or a step is for manage.py repair --where.
OFFERED = ("patch", "accept", "abort")
ROWS = 25


@require_http_methods(["GET", "HEAD", "POST"])
@page
def repair_many(request: HttpRequest) -> HttpResponse:
    """Show the form and a page of the instances, preview the repair of these, or request that of all."""
    given = request.POST if request.method == "POST" else request.GET
    flow = flow_or_404(request.user, _text(given, "flow"))
    operation = given.get("operation", "")
    operation = operation if operation in OFFERED else "patch"
    if not may(request.user, right_for(operation), flow.name):
        return HttpResponseForbidden(_("You may see these instances, but not repair them."))
    found = bulk_queries.of_group(flow.name, _text(given, "cause"), _text(given, "signature"))
    context = _context(request, given, flow, operation, found)
    if request.method == "POST":
        try:
            asked = _asked(request, context, operation)
            if _is_confirmed(request, asked, found, context):
                return _requested(request, asked, found.without(context["excluded"]))
            context |= _preview(request, asked, found, context)
        except values.BadValue as bad:
            context["error"] = str(bad)
        except WedError as refused:
            context["error"] = str(refused)
    return render(request, "monitor/repair_many.html", context)


def _text(given: Mapping[str, str], name: str) -> str:
    return given.get(name, "")[:200].replace("\x00", "")


def _context(
    request: HttpRequest, given: Mapping[str, str], flow: FlowInfo, operation: str, found: Chosen
) -> dict[str, Any]:
    """Return the form as it was typed, and the numbers of a page of the instances."""
    attributes = (
        writable(operation, api.definition(flow.name)["attributes"], None) if operation == "patch" else []
    )
    after = number(given.get("after")) or 0
    wids = [wid for wid in found.wids if wid > after][: ROWS + 1]
    out = {int(text) for text in request.POST.getlist("out") if text.isdecimal() and len(text) < 10}
    return {
        "flow": flow,
        "cause": _text(given, "cause"),
        "cause_title": cause(_text(given, "cause")),
        "signature": _text(given, "signature"),
        "operation": operation,
        "choice": REPAIRS[operation],
        "choices": {name: REPAIRS[name] for name in OFFERED if may(request.user, right_for(name), flow.name)},
        "fields": values.named_fields(attributes, {}, request.POST.dict()),
        "reason": _text({"reason": request.POST.get("reason", "").strip()}, "reason")[:LONGEST_REASON],
        "atomic": request.POST.get("mode") == "all",
        "excluded": out & set(found.wids),
        "elsewhere": sorted(out - set(wids[:ROWS])),
        "rows": [PreviewRow(wid) for wid in wids[:ROWS]],
        "after": after,
        "next": wids[ROWS - 1] if len(wids) > ROWS else None,
        "total": len(found.wids),
        "digest": found.digest_at,
    }


def _asked(request: HttpRequest, context: dict[str, Any], operation: str) -> BulkRequest:
    """Return what the form asks for. Raises BadValue."""
    changes = values.changed(context["fields"], {})
    arguments = {"changes": changes} if operation == "patch" else {}
    query = f"flow:{context['flow'].name} cause:{context['cause']} signature:{context['signature']}"
    return BulkRequest(
        operation,
        context["reason"],
        query=query,
        arguments=arguments,
        atomic=context["atomic"],
        propose=request.POST.get("propose") == "yes",
    )


def _fingerprint(asked: BulkRequest) -> str:
    """Return a text by which the request recognizes what was previewed."""
    parts = json.dumps([asked.operation, asked.arguments], sort_keys=True, default=str)
    return hashlib.sha256(parts.encode()).hexdigest()[:16]


def _is_confirmed(request: HttpRequest, asked: BulkRequest, found: Chosen, context: dict[str, Any]) -> bool:
    """Return whether the request is to repair what was previewed; say so if the group has changed."""
    if request.POST.get("do") != "apply":
        return False
    if request.POST.get("digest") != found.digest_at:
        context["error"] = _(
            "Instances of this group have changed meanwhile. This is the group as it is now."
        )
        return False
    return request.POST.get("previewed") == _fingerprint(asked)


def _requested(request: HttpRequest, asked: BulkRequest, chosen: Chosen) -> HttpResponse:
    """Request or propose the repair. Raises WedError."""
    made = api.request_bulk(
        asked,
        chosen.wids,
        expected=len(chosen.wids),
        digest=chosen.digest_at,
        actor=request.user.get_username(),
    )
    if made.proposal:
        return HttpResponseRedirect(reverse("monitor:proposal", args=[made.proposal]))
    return HttpResponseRedirect(reverse("monitor:bulk", args=[made.id]))


def _preview(
    request: HttpRequest, asked: BulkRequest, found: Chosen, context: dict[str, Any]
) -> dict[str, Any]:
    """Return the instances of the page with what would become of each. Raises WedError."""
    if asked.operation == "patch" and not asked.arguments["changes"]:
        return {"error": _("Enter a value.")}
    chosen, actor = found.without(context["excluded"]), request.user.get_username()
    total, needed = len(chosen.wids), api.bulk_approvals(asked, chosen.wids)
    wids = [row.wid for row in context["rows"]]
    titles = context["flow"].transition_titles
    found_rows = api.preview_bulk(asked, wids, actor=actor, total=total)
    shown = {row.wid: preview_row(row, titles) for row in found_rows}
    rows = [shown.get(row.wid, row) for row in context["rows"]]
    approvals = proposals.why(needed.needed, needed.title)
    return {"rows": rows, "previewed": _fingerprint(asked), "left": total, "approvals": approvals}
