"""Keeps and discards drafts of repairs."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from flows import api
from flows.access import instance_or_404, masks, may_on
from flows.capabilities.cases.api import CLOSED_STATES
from flows.designer.trial.values import BadValue
from flows.errors import UnknownCase
from flows.queries.definitions import FlowInfo
from monitor.recovery import drafts
from monitor.recovery.choices import Subject
from monitor.recovery.views import given_reason, typed
from pages.guard import page


@require_POST
@page
@masks
def draft(request: HttpRequest, case: int) -> HttpResponse:
    """Keep what was typed as a draft, or discard the draft; a script gets no page."""
    wid, flow = _subject(request, case)
    if not may_on(request.user, "handle", flow.name, wid):
        return HttpResponseForbidden(_("You may see this instance, but not repair it."))
    about, texts = typed(request, wid, flow)
    try:
        text = _kept(request, case, about, texts)
    except BadValue as bad:
        text = str(bad)
    if request.POST.get("quiet") == "1":
        return HttpResponse(status=204)
    messages.info(request, text)
    query = "" if about.name == "patch" else f"?{about.address}"
    return HttpResponseRedirect(reverse("monitor:repair", args=[wid]) + query)


def _kept(request: HttpRequest, case: int, about: Subject, texts: Mapping[str, str]) -> str:
    """Keep or discard, and return what was done. Raises BadValue."""
    if request.POST.get("do") == "discard":
        drafts.discard(request.user, case, about.address)
        return _("The draft is discarded.")
    if drafts.keep(request.user, case, about.address, texts, given_reason(request)):
        return _("The draft is kept.")
    return _("There is nothing to keep.")


def _subject(request: HttpRequest, case: int) -> tuple[int, FlowInfo]:
    """Return the instance of an open case that the user sees, and its flow. Raises Http404."""
    try:
        found = api.cases.read(case) if case < 2**63 else None
    except UnknownCase:
        found = None
    if found is None or found.state in CLOSED_STATES:
        raise Http404
    instance, flow = instance_or_404(request.user, found.wid)
    return instance.wid, flow
