"""The page on which a person repairs an exception: what is missing, new values, what will happen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import instance_or_404, may_repair
from flows.api.reasons import InstanceReasons
from flows.designer import values
from flows.errors import UnknownInstance, WedError
from flows.queries.definitions import FlowInfo
from monitor import repairing
from monitor.views.operate import LONGEST_REASON
from pages.guard import page
from pages.urlparams import number

State = Mapping[str, Any]


@require_http_methods(["GET", "HEAD", "POST"])
@page
def repair(request: HttpRequest, wid: int) -> HttpResponse:
    """Show what is missing and the form; preview what was typed, or apply what was previewed."""
    instance, flow = instance_or_404(request.user, wid)
    if not may_repair(request.user, flow.name):
        return HttpResponseForbidden(_("You may see this instance, but not repair it."))
    found = api.explain_instance(wid)
    attributes = [one for one in api.definition(flow.name)["attributes"] if one.get("repairable", True)]
    missing = repairing.missing(found, flow, attributes)
    context: dict[str, Any] = {"flow": flow, "instance": instance, "found": found, "missing": missing}
    context["repairable"] = found.status == "E"
    context["reason"] = request.POST.get("reason", "").strip()[:LONGEST_REASON].replace("\x00", "")
    changes: dict[str, Any] = {}
    if request.method == "POST":
        before = _seen(wid, found, number(request.POST.get("seq")))
        typed = values.named_fields(attributes, before.state, request.POST.dict())
        try:
            changes = values.changed(typed, before.state)
            changes |= repairing.filled(missing, request.POST.get("fill", ""))
            if request.POST.get("do") == "apply" and _is_previewed(request, found, changes):
                return _applied(request, found, changes, context["reason"])
            context |= _what_follows(request, found, before, flow, changes)
        except values.BadValue as bad:
            context |= {"error": str(bad), "fields": typed}
        except WedError as refused:
            context["error"] = str(refused)
    context.setdefault("fields", _fields(attributes, found.state, changes))
    return render(request, "monitor/repair.html", context)


def _seen(wid: int, found: InstanceReasons, seq: int | None) -> InstanceReasons:
    """Return the instance as the person saw it when the form was made, or as it is if that is not known."""
    if seq is None or seq >= found.seq:
        return found
    try:
        return api.explain_instance(wid, seq)
    except UnknownInstance:
        return found


def _fields(attributes: Sequence[Mapping[str, Any]], state: State, changes: State) -> list[values.Field]:
    """Return the fields of the form: the present state with the changes that the person made."""
    typed = {f"value-{name}": values.as_text(value) for name, value in changes.items()}
    return values.named_fields(attributes, state, typed)


def _digest(found: InstanceReasons, changes: State) -> str:
    """Return a text by which a request recognizes what was previewed, and on which state."""
    text = json.dumps([found.seq, found.version, changes], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _is_previewed(request: HttpRequest, found: InstanceReasons, changes: State) -> bool:
    return request.POST.get("previewed") == _digest(found, changes)


def _applied(request: HttpRequest, found: InstanceReasons, changes: State, reason: str) -> HttpResponse:
    actor = request.user.get_username()
    api.repair(found.wid, "patch", {"changes": changes}, reason, actor=actor, expected_seq=found.seq)
    messages.success(request, _("Instance %(wid)s is repaired.") % {"wid": found.wid})
    return HttpResponseRedirect(reverse("monitor:instance", args=[found.wid]))


def _what_follows(
    request: HttpRequest, found: InstanceReasons, before: InstanceReasons, flow: FlowInfo, changes: State
) -> dict[str, Any]:
    """Return the preview, and what other people changed since the form was made."""
    if "fill" in request.POST:
        return {"seq": found.seq}
    actor = request.user.get_username()
    preview = api.preview_repair(found.wid, "patch", {"changes": changes}, actor=actor)
    return {
        "preview": repairing.shown(preview, flow),
        "previewed": _digest(found, changes),
        "late": request.POST.get("do") == "apply",
        "moved": repairing.moved(before.state, found.state, changes, flow) if before.seq < found.seq else [],
    }
