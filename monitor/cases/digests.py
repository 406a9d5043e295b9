"""Mails about open cases: a person chooses of which flow and queue, and how often, and ends them."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import masks, visible_flows
from flows.errors import Refused
from flows.queries import definitions
from monitor.cases.rows import Names, names
from monitor.cases.views import tab_facts
from pages.guard import page
from pages.urlparams import long_number

EVERY = {"day": lazy("Every day"), "week": lazy("Every week")}


class DigestForm(forms.Form):
    """Of which flow and queue a person gets mails, and how often; "none" ends them."""

    flow = forms.ChoiceField(label=lazy("Flow"), required=False)
    queue = forms.ChoiceField(label=lazy("Queue"), required=False)
    every = forms.ChoiceField(label=lazy("How often"), choices=[*EVERY.items(), ("none", lazy("No mails"))])


@require_http_methods(["GET", "HEAD", "POST"])
@page
@masks
def digests(request: HttpRequest) -> HttpResponse:
    """Show the mails that the user has chosen; save or end one."""
    user, posted = request.user, request.method == "POST"
    visible = visible_flows(user)
    titles = names(definitions.names() if visible is None else visible)
    ends = posted and "end" in request.POST
    form = _form(request.POST if posted and not ends else None, titles)
    if posted and (ends or form.is_valid()):
        try:
            return _ended(request) if ends else _saved(request, form.cleaned_data)
        except Refused as refused:
            messages.error(request, str(refused))
    context = {
        **tab_facts(user),
        "form": form if titles.flows else None,
        "rows": [
            (
                one,
                titles.flows.get(one.flow) if one.flow else _("All flows"),
                EVERY[one.every],
                titles.queues.of(one.queue, one.flow) if one.queue else "",
            )
            for one in api.cases.list_digests(_key(request))
        ],
        "hour": f"{settings.WEDSQL_DIGEST_HOUR:02}:00",
        "configured": bool(settings.EMAIL_HOST),
        "address": getattr(user, "email", ""),
    }
    return render(request, "monitor/cases/digests.html", context)


def _form(given: Any, titles: Names) -> DigestForm:
    """Return the form with the flows that the user sees, and with their queues."""
    form = DigestForm(given)
    flows = titles.flows
    queues = api.cases.queues(sorted(flows))
    form.fields["flow"].choices = [  # type: ignore[attr-defined]
        ("", _("All flows")), *sorted(flows.items(), key=lambda each: each[1])
    ]  # fmt: skip
    form.fields["queue"].choices = [("", _("All queues")), *((one, titles.queues.of(one)) for one in queues)]  # type: ignore[attr-defined]
    return form


def _key(request: HttpRequest) -> int:
    return int(request.user.pk or 0)


def _saved(request: HttpRequest, given: dict[str, Any]) -> HttpResponse:
    every = "" if given["every"] == "none" else given["every"]
    _save(request, given["flow"] or None, given["queue"], every)
    if every:
        messages.success(request, _("You get these mails from now on."))
    return HttpResponseRedirect(reverse("monitor:digests"))


def _ended(request: HttpRequest) -> HttpResponse:
    """End one of the user's own mails, also of a flow that the user does not see any longer."""
    chosen = long_number(request.POST.get("end"))
    for one in api.cases.list_digests(_key(request)):
        if one.id == chosen:
            _save(request, one.flow, one.queue, "")
    return HttpResponseRedirect(reverse("monitor:digests"))


def _save(request: HttpRequest, flow: str | None, queue: str, every: str) -> None:
    language = get_language() or settings.LANGUAGE_CODE
    api.cases.save_digest(_key(request), flow, queue, every, language, settings.WEDSQL_DIGEST_HOUR)
    if not every:
        messages.success(request, _("You get no such mails any longer."))
