"""Signals of a flow: what was sent, and a form that sends one."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import flow_or_404, masks, may_operate
from flows.capabilities.signals.api import SentSignal
from flows.definition.option_labels import value_label
from flows.designer.trial import values
from flows.errors import Refused
from flows.queries.definitions import FlowInfo
from monitor.labels import SIGNAL
from pages.guard import page
from pages.urlparams import long_number, number

LISTED = 50
LONGEST_KEY = 200


@require_http_methods(["GET", "HEAD", "POST"])
@page
@masks
def signals(request: HttpRequest, name: str) -> HttpResponse:
    """Show the signals of a flow, the newest first; send one."""
    flow, operates, error = flow_or_404(request.user, name), may_operate(request.user, name), ""
    given = request.POST if request.method == "POST" else request.GET
    if request.method == "POST":
        if not operates:
            return HttpResponseForbidden(_("You may see this flow, but not send signals to it."))
        try:
            return _told(request, flow, _send(request, flow))
        except (values.BadValue, Refused) as refused:
            error = str(refused)
    signal = given.get("signal") if given.get("signal") in flow.signals else next(iter(flow.signals), None)
    found = api.signals.list(name, before=long_number(request.GET.get("before")), limit=LISTED + 1)
    context: dict[str, Any] = {
        "flow": flow,
        "operates": operates and signal is not None,
        "signal": signal,
        "starts": signal in flow.start_by,
        "fields": _fields(flow, signal, values.posted(request.POST)),
        "error": error,
        "instance": (given.get("instance") or "")[:20],
        "key": (given.get("key") or "")[:LONGEST_KEY],
        "token": given.get("token") or uuid.uuid4().hex,
        "rows": [
            (each, flow.signals.get(each.name, each.name), SIGNAL[each.outcome], _shown(flow, each.data))
            for each in found[:LISTED]
        ],
        "more": found[LISTED - 1].id if len(found) > LISTED else None,
    }
    return render(request, "monitor/signals/list.html", context)


def _fields(flow: FlowInfo, signal: str | None, typed: Mapping[str, str]) -> list[values.Field]:
    """Return an empty field for each attribute that the data of the signal may have and the user may see."""
    waiting = [t.writes for t in flow.triggers if t.signal and t.transition == signal]
    every = signal in flow.start_by or not waiting or None in waiting
    named = None if every else {name for writes in waiting for name in writes or ()}
    wanted = [
        {
            "name": a.name,
            "type": a.type,
            "options": a.options,
            "option_labels": a.option_labels,
            "label": a.label,
        }
        for a in flow.data
        if named is None or a.name in named
    ]
    return values.named_fields(wanted, {}, typed)


def _send(request: HttpRequest, flow: FlowInfo) -> SentSignal:
    """Send what the form says. Raises BadValue, WedError."""
    signal, key = request.POST.get("signal", ""), request.POST.get("key", "").strip()[:LONGEST_KEY]
    typed = request.POST.get("instance", "").strip()
    instance = number(typed)
    if typed and (instance is None or key):
        raise values.BadValue(_("A signal names one instance, by its number or by a key."))
    texts = values.posted(request.POST)
    fields = _fields(flow, signal, texts)
    values.check_asked(fields, texts)
    data = values.changed(fields, {})
    actor, token = request.user.get_username(), request.POST.get("token", "")[:64] or None
    return api.signals.send(flow.name, signal, data, to=instance or key or None, token=token, actor=actor)


def _told(request: HttpRequest, flow: FlowInfo, sent: SentSignal) -> HttpResponse:
    """Say what became of a signal; show the instance that got it, else the signals."""
    if sent.outcome == "ignored":
        messages.warning(
            request, _("The signal has no effect: instance %(wid)s does not wait for it.") % {"wid": sent.wid}
        )
    elif sent.outcome == "kept":
        messages.success(request, _("The signal is kept until an instance waits for it."))
    elif sent.outcome == "started":
        messages.success(request, _("Instance %(wid)s is started.") % {"wid": sent.wid})
    else:
        messages.success(request, _("The signal is delivered."))
    if sent.outcome in ("delivered", "started"):
        return HttpResponseRedirect(reverse("monitor:instance", args=[sent.wid]))
    return HttpResponseRedirect(reverse("monitor:signals", args=[flow.name]))


def _shown(flow: FlowInfo, data: Mapping[str, Any]) -> str:
    """Return the data of a signal as text, without the values that the user may not see."""
    return ", ".join(f"{key} = {_said(flow, key, value)}" for key, value in data.items() if flow.shows(key))


def _said(flow: FlowInfo, name: str, value: Any) -> str:
    attribute = flow.attribute(name)
    return value_label(attribute.type if attribute else "", values.as_text(value))
