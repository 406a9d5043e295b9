"""Repair many instances at once: the form, a preview of each, and the request."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

from django.db import DataError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import flow_or_404, may, right_for, rights
from flows.capabilities.bulk.api import BulkRequest
from flows.capabilities.bulk.queries import Chosen
from flows.designer.trial import values
from flows.errors import Refused
from flows.filters import BadFilter
from flows.queries.definitions import FlowInfo
from flows.queries.instances import business_keys
from monitor import holders
from monitor.approvals import rows as proposals
from monitor.bulk.choices import (
    REPAIRS,
    ManyOperation,
    PreviewRow,
    preview_row,
    repair_address,
    retry_address,
)
from monitor.bulk.form import Form, attributes_of, form
from monitor.bulk.sources import Source, source, text_of
from monitor.recovery import suggestions
from monitor.recovery.choices import CHOICES
from monitor.views.operate import LONGEST_REASON
from pages.guard import is_timeout, page
from pages.once import again, claimed
from pages.urlparams import number

ROWS = 25


@require_http_methods(["GET", "HEAD", "POST"])
@page
def repair_many(request: HttpRequest) -> HttpResponse:
    """Show the form and a page of the instances, preview the repair of these, or request that of all."""
    given = request.POST if request.method == "POST" else request.GET
    flow = flow_or_404(request.user, text_of(given, "flow"))
    operation = given.get("operation", "")
    operation = operation if operation in REPAIRS else "patch"
    if not may(request.user, right_for(operation), flow.name):
        return HttpResponseForbidden(_("You may see these instances, but not repair them."))
    context: dict[str, Any] = {"flow": flow}
    try:
        chosen = source(request.user, flow, given)
        context |= _suggested(request, flow, operation, chosen)
        filled = suggestions.filled(context.get("suggested", ()), given.get("fill", ""))
        typed = form(operation, flow, chosen.found, given, filled)
        context |= _context(request, flow, operation, chosen, typed)
        chooses = request.method != "POST" or request.POST.get("do") == "choose" or "fill" in request.POST
        if not chooses and (done := _answer(request, chosen, context)):
            return done
    except OperationalError as error:
        if not is_timeout(error):
            raise
        context["too_slow"] = True
    except DataError as error:
        context["error"] = BadFilter("wrong_value", problem=str(error).partition("\n")[0]).sentence
    except (values.BadValue, Refused) as refused:
        context["error"] = str(refused)
    return render(request, "monitor/bulk/repair.html", context)


def _answer(request: HttpRequest, chosen: Source, context: dict[str, Any]) -> HttpResponse | None:
    """Request what was previewed and return the page that follows; else add a preview. Raises WedError."""
    asked = _asked(request, chosen, context)
    if _is_confirmed(request, asked, chosen.found, context):
        return _requested(request, asked, chosen.found.without(context["excluded"]))
    context |= _preview(request, asked, chosen.found, context)
    return None


def _suggested(request: HttpRequest, flow: FlowInfo, operation: str, chosen: Source) -> dict[str, Any]:
    """Return the repair that helped in such cases, if the instances are those of a group of similar cases."""
    if not chosen.group.get("signature"):
        return {}
    alike = api.cases.list([flow.name], chosen.group, limit=1)
    if not alike:
        return {}
    attributes = attributes_of(operation, flow)
    offered = {name: CHOICES[name] for name in _choices(request, flow)}
    plain = not rights(request.user, flow.name) & {"repair", "design"}
    return suggestions.facts(alike[0], flow, operation, attributes, offered, plain=plain)


def _choices(request: HttpRequest, flow: FlowInfo) -> dict[str, ManyOperation]:
    return {name: one for name, one in REPAIRS.items() if may(request.user, right_for(name), flow.name)}


def _context(
    request: HttpRequest, flow: FlowInfo, operation: str, chosen: Source, typed: Form
) -> dict[str, Any]:
    """Return the form as it was typed, and the numbers of a page of the instances."""
    given, found = request.POST if request.method == "POST" else request.GET, chosen.found
    after = number(given.get("after")) or 0
    wids = [wid for wid in found.wids if wid > after][: ROWS + 1]
    choice = REPAIRS[operation]
    fits = choice.to.among(found, typed.transition)
    out, keys = _excluded(request.POST) & set(found.wids), business_keys(flow, wids[:ROWS])
    return {
        "source": chosen,
        "operation": operation,
        "choice": choice,
        "fits": fits,
        "applies": len(fits),
        "only": _only(flow, operation, chosen) if 0 < len(fits) < len(found.wids) else "",
        "choices": _choices(request, flow),
        "retry": retry_address(request.user, flow.name, chosen.group or chosen.given, found),
        "form": typed,
        "fields": typed.fields,
        "reason": request.POST.get("reason", "").strip()[:LONGEST_REASON].replace("\x00", ""),
        "longest": LONGEST_REASON,
        "atomic": request.POST.get("mode") == "all",
        "excluded": out,
        "elsewhere": sorted(out - set(wids[:ROWS])),
        "rows": [PreviewRow(wid, key=keys.get(wid, "")) for wid in wids[:ROWS]],
        "after": after,
        "next": wids[ROWS - 1] if len(wids) > ROWS else None,
        "total": len(found.wids),
        "digest": found.digest_at,
    }


def _only(flow: FlowInfo, operation: str, chosen: Source) -> str:
    """Return the query string of those to which an operation applies; "" where no filter selects them."""
    query, choice = chosen.given.get("q", ""), REPAIRS[operation]
    return repair_address(flow.name, operation, choice, query, chosen.found) if query else ""


def _excluded(given: QueryDict) -> set[int]:
    return {int(text) for text in given.getlist("out") if text.isdecimal() and len(text) < 10}


def _asked(request: HttpRequest, chosen: Source, context: dict[str, Any]) -> BulkRequest:
    """Return the request of the form. Raises BadValue."""
    return BulkRequest(
        context["operation"],
        context["reason"],
        query=chosen.query,
        transition=context["form"].transition,
        arguments=context["form"].arguments(),
        atomic=context["atomic"],
        propose=request.POST.get("propose") == "yes",
    )


def _fingerprint(asked: BulkRequest) -> str:
    """Return a text by which the request recognizes what was previewed."""
    parts = json.dumps([asked.operation, asked.transition, asked.arguments], sort_keys=True, default=str)
    return hashlib.sha256(parts.encode()).hexdigest()[:16]


def _is_confirmed(request: HttpRequest, asked: BulkRequest, found: Chosen, context: dict[str, Any]) -> bool:
    """Return whether the request is to repair what was previewed; say so if the instances have changed."""
    if request.POST.get("do") != "apply":
        return False
    if request.POST.get("digest") != found.digest_at:
        context["error"] = _("These instances have changed meanwhile. This is what would happen now.")
        return False
    others = holders.of_many(request, found.without(context["excluded"]).wids)
    if request.POST.get("claims", "") != others["claims"]:
        context["error"] = _("Others have tasks or cases of these instances. Send it again to go on.")
        return False
    return request.POST.get("previewed") == _fingerprint(asked)


def _requested(request: HttpRequest, asked: BulkRequest, chosen: Chosen) -> HttpResponse:
    """Request or propose the repair. Raises WedError."""
    with claimed(request) as is_new:
        if not is_new:
            return again(request, reverse("monitor:bulks"))
        made = api.bulk.request(
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
    chosen, actor = found.without(context["excluded"]), request.user.get_username()
    total, needed = len(chosen.wids), api.approvals.of_bulk(asked, chosen.wids)
    left = len(context["fits"].intersection(chosen.wids))
    wids = [row.wid for row in context["rows"]]
    titles = context["flow"].transition_titles
    found_rows = api.bulk.preview(asked, wids, actor=actor, total=total)
    shown = {row.wid: preview_row(row, titles) for row in found_rows}
    rows = [replace(shown.get(row.wid, row), key=row.key) for row in context["rows"]]
    approvals = proposals.why(needed.needed, needed.title)
    made = {"rows": rows, "previewed": _fingerprint(asked), "left": left, "approvals": approvals}
    return made | holders.of_many(request, chosen.wids)
