"""What an operator does in the browser: start an instance, cancel one, match one again."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from flows import api
from flows import starts as starting
from flows.access import flow_or_404, instance_or_404, masks, may_operate, may_perform
from flows.capabilities.approvals.api import Proposal
from flows.designer.trial import values
from flows.engine.connection import to_json
from flows.errors import NeedsApprovals, Refused
from flows.queries.definitions import FlowInfo
from monitor import holders
from monitor.tasks import selection
from pages.guard import page

LONGEST_KEY = 200
LONGEST_REASON = 1000
_TOKEN = re.compile("[0-9a-f]{32}")


@require_http_methods(["GET", "HEAD", "POST"])
@page
def start(request: HttpRequest, name: str) -> HttpResponse:
    """Show the form of a new instance, or start it. A key that was used before leads to its instance."""
    flow = flow_or_404(request.user, name)
    if not may_operate(request.user, name):
        return HttpResponseForbidden(_("You may see this flow, but not start its instances."))
    definition = _without_internal(api.flows.definition(name), flow)
    first = {str(one["name"]): one.get("default") for one in definition["attributes"]}
    tasks = selection.of_flow(definition, request.user)
    if tasks is not None and request.method == "POST":
        tasks = selection.posted(request, tasks)
    typed, error = values.posted(request.POST), ""
    if request.method == "POST":
        try:
            settings = None if tasks is None else selection.settings_of(tasks)
            fields = values.named_fields(definition["attributes"], first, typed)
            values.check_asked(fields, typed)
            return _started(request, flow, values.changed(fields, first), settings)
        except values.BadValue as bad:
            error = str(bad)
        except Refused as refused:
            error = str(refused)
    fields = values.named_fields(definition["attributes"], first, typed)
    key = request.POST.get("key", "")[:LONGEST_KEY]
    context = {"flow": flow, "fields": fields, "error": error, "key": key, "token": form_token(request)}
    context |= {"task_chosen": tasks, "policies": selection.POLICIES}
    return render(request, "monitor/start.html", context)


def _without_internal(definition: Mapping[str, Any], flow: FlowInfo) -> dict[str, Any]:
    """Return a definition with the attributes that people write."""
    shown = [one for one in definition["attributes"] if one["name"] not in flow.internal]
    return {**definition, "attributes": shown}


def form_token(request: HttpRequest) -> str:
    """Return the token of a form that makes something, a new one for a new form."""
    given = request.POST.get("token", "")
    return given if _TOKEN.fullmatch(given) else uuid.uuid4().hex


def _started(
    request: HttpRequest, flow: FlowInfo, state: dict[str, Any], settings: dict[str, Any] | None
) -> HttpResponse:
    key = request.POST.get("key", "").strip()[:LONGEST_KEY] or _key_of_form(request, state)
    known = starting.known(flow.name, [key]) if key else {}
    actor = request.user.get_username()
    if settings is None:
        wid = api.instances.start(flow.name, state, actor=actor, key=key)
    else:
        wid = api.persons.start_with_settings(flow.name, state, settings, actor=actor, key=key)
    if known:
        text = _("Instance %(wid)s was started before; nothing is started now.")
        messages.warning(request, text % {"wid": wid})
    else:
        messages.success(request, _("Instance %(wid)s is started.") % {"wid": wid})
    return HttpResponseRedirect(reverse("monitor:instance", args=[wid]))


def _key_of_form(request: HttpRequest, state: Mapping[str, Any]) -> str | None:
    """Return the start key of a form and what was typed: sent twice, it starts one instance."""
    if not _TOKEN.fullmatch(token := request.POST.get("token", "")):
        return None
    parts = "\n".join([request.user.get_username(), token, to_json(dict(sorted(state.items())))])
    return f"form {hashlib.sha256(parts.encode()).hexdigest()[:24]}"


@require_http_methods(["GET", "HEAD", "POST"])
@page
@masks
def cancel(request: HttpRequest, wid: int) -> HttpResponse:
    """Ask for the reason, or cancel the instance, or propose that."""
    instance, flow = instance_or_404(request.user, wid)
    if not may_perform(request.user, flow.name, "cancel", wid):
        return _forbidden()
    reason, actor = request.POST.get("reason", "").strip()[:LONGEST_REASON], request.user.get_username()
    context: dict[str, Any] = {"flow": flow, "instance": instance, "reason": reason}
    context |= holders.facts(request, flow, wid)
    if request.method == "POST" and not context["unseen"]:
        try:
            if request.POST.get("do") == "propose":
                return to_proposal(request, api.approvals.propose(wid, "cancel", {}, reason, actor=actor))
            api.instances.cancel(wid, reason, actor=actor)
        except Refused as refused:
            context |= {"error": str(refused), "proposable": isinstance(refused, NeedsApprovals)}
        else:
            messages.success(request, _("Instance %(wid)s is cancelled.") % {"wid": wid})
            return HttpResponseRedirect(reverse("monitor:instance", args=[wid]))
    return render(request, "monitor/cancel.html", context)


def to_proposal(request: HttpRequest, made: Proposal) -> HttpResponse:
    """Show a proposal that was made."""
    messages.success(request, _("The repair is proposed."))
    return HttpResponseRedirect(reverse("monitor:proposal", args=[made.number]))


@require_POST
@page
@masks
def rematch(request: HttpRequest, wid: int) -> HttpResponse:
    """Evaluate the conditions of the flow on the instance again."""
    _instance, flow = instance_or_404(request.user, wid)
    if not may_perform(request.user, flow.name, "rematch", wid):
        return _forbidden()
    try:
        done = api.instances.rematch(flow.name, [wid], actor=request.user.get_username())
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _result(done))
    return HttpResponseRedirect(reverse("monitor:instance", args=[wid]))


def _result(done: dict[str, Any]) -> str:
    if done["fired"]:
        return _("Matched again; fired: %(names)s.") % {"names": ", ".join(sorted(done["fired"]))}
    return _("Matched again; nothing changed.") if not done["changed"] else _("Matched again.")


def _forbidden() -> HttpResponse:
    return HttpResponseForbidden(_("You may see this instance, but not operate it."))
