"""SLAs of a flow and the calendars of their working time: the list and the forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import flow_or_404, may_operate
from flows.capabilities.sla.api import SavedCalendar, SavedSla
from flows.errors import Refused
from flows.queries.definitions import FlowInfo
from monitor.sla import forms
from monitor.sla.forms import WEEK
from monitor.sla.rows import SlaRow
from pages.guard import page
from pages.urlparams import long_number

_Saved = TypeVar("_Saved", SavedSla, SavedCalendar)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def slas(request: HttpRequest, name: str) -> HttpResponse:
    """Show the SLAs and the calendars of a flow; a POST removes one."""
    flow = flow_or_404(request.user, name)
    operates = may_operate(request.user, flow.name)
    if request.method == "POST":
        return _removed(request, flow) if operates else _forbidden()
    context = {
        "flow": flow,
        "operates": operates,
        "rows": [SlaRow(each) for each in api.sla.list([flow.name])],
        "calendars": api.sla.list_calendars([flow.name]),
    }
    return render(request, "monitor/sla/list.html", context)


def _removed(request: HttpRequest, flow: FlowInfo) -> HttpResponse:
    sla, calendar = long_number(request.POST.get("sla")), long_number(request.POST.get("calendar"))
    try:
        if sla is not None:
            api.sla.delete(flow.name, sla, request.user.get_username())
            messages.success(request, _("The SLA is removed."))
        elif calendar is not None:
            api.sla.delete_calendar(flow.name, calendar, request.user.get_username())
            messages.success(request, _("The calendar is removed."))
    except Refused as refused:
        messages.error(request, refused.sentence)
    return _to(flow)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def sla(request: HttpRequest, name: str) -> HttpResponse:
    """Show the form of an SLA, of `id` or a new one, or save it."""
    flow = flow_or_404(request.user, name)
    if not may_operate(request.user, flow.name):
        return _forbidden()
    old = _chosen(request, api.sla.list([flow.name]))

    def save(fields: dict[str, str]) -> str:
        actor, given = request.user.get_username(), forms.sla_of(fields)
        saved = api.sla.save(flow.name, given, actor, old.id if old else None)
        return _("The SLA “%(name)s” is saved.") % {"name": saved.name}

    fields, error = _sent(request, forms.of_sla(old), save)
    if error is None:
        return _to(flow)
    calendars = api.sla.list_calendars([flow.name])
    context = {"flow": flow, "old": old, "fields": fields, "error": error, "calendars": calendars}
    return render(request, "monitor/sla/form.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def calendar(request: HttpRequest, name: str) -> HttpResponse:
    """Show the form of a calendar, of `id` or a new one, or save it."""
    flow = flow_or_404(request.user, name)
    if not may_operate(request.user, flow.name):
        return _forbidden()
    old = _chosen(request, api.sla.list_calendars([flow.name]))

    def save(fields: dict[str, str]) -> str:
        actor, given = request.user.get_username(), forms.calendar_of(fields)
        saved = api.sla.save_calendar(flow.name, given, actor, old.id if old else None)
        return _("The calendar “%(name)s” is saved.") % {"name": saved.name}

    fields, error = _sent(request, forms.of_calendar(old), save)
    if error is None:
        return _to(flow)
    days = [(field, title, fields.get(field, "")) for field, title in WEEK]
    context = {"flow": flow, "old": old, "fields": fields, "error": error, "days": days}
    return render(request, "monitor/sla/calendar_form.html", context)


def _sent(
    request: HttpRequest, fields: dict[str, str], save: Callable[[dict[str, str]], str]
) -> tuple[dict[str, str], str | None]:
    """Save the form that a POST sends; return its fields and why it is refused, None if it is saved."""
    if request.method != "POST":
        return fields, ""
    fields = forms.given(request.POST.dict())
    try:
        messages.success(request, save(fields))
    except Refused as refused:
        return fields, refused.sentence
    return fields, None


def _chosen(request: HttpRequest, saved: Sequence[_Saved]) -> _Saved | None:
    """Return the one of `id`, None without it; raise Http404 if there is none."""
    given = request.GET.get("id")
    if given is None:
        return None
    for each in saved:
        if each.id == long_number(given):
            return each
    raise Http404


def _to(flow: FlowInfo) -> HttpResponse:
    return HttpResponseRedirect(reverse("monitor:slas", args=[flow.name]))


def _forbidden() -> HttpResponse:
    return HttpResponseForbidden(_("You may see this flow, but not define its SLAs."))
