"""Alerts: the rules of the flows that a user sees, one rule with its history, and its form."""

from __future__ import annotations

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from flows import api
from flows.access import flow_or_404, group_names, may_operate, somewhere
from flows.capabilities.alerts import rules
from flows.capabilities.alerts.api import SavedAlertRule
from flows.capabilities.filters.api import SavedView
from flows.errors import Refused, UnknownAlert
from flows.queries.definitions import FlowInfo
from monitor import list_filters
from monitor.alerts import forms, present, selection, week
from monitor.alerts.cells import cells, state
from monitor.alerts.forms import EVENT, STATUS
from monitor.alerts.rows import STATE, RuleRow, measured
from monitor.cases.rows import names
from monitor.labels import ALERT_KIND
from pages.clock import Clock
from pages.guard import page
from pages.urlparams import long_number, text

PAGE_SIZE = 50
# The states whose numbers are over the list.
COUNTED = ("active", "pending", "failing", "normal")
ENTRIES = 100
# How long an alert can be silenced, in minutes.
SILENCES = {
    60: gettext_lazy("one hour"),
    240: gettext_lazy("four hours"),
    1_440: gettext_lazy("one day"),
    10_080: gettext_lazy("one week"),
}
LONGEST_NOTE = 500
_GREATEST = 2**63 - 1


@require_safe
@page
def alerts(request: HttpRequest) -> HttpResponse:
    """Show the rules of the flows that the user sees, by default those with an active alert first."""
    wanted = selection.wanted(request)
    if wanted.asked.edited and not wanted.asked.error:
        address = list_filters.without_form(request, wanted.asked, selection.KIND.kept)
        return HttpResponseRedirect(address)
    found, columns = selection.found(request.user, wanted, PAGE_SIZE), selection.columns(request)
    titles = names({rule.flow for rule in found.rows})
    counts = api.alerts.count_states(None if wanted.flows is None else sorted(wanted.flows))
    context = {
        "rows": [RuleRow(rule, titles.flow(rule.flow)) for rule in found.rows],
        "columns": (titled := {name: selection.KIND.columns[name] for name in columns}),
        "cells": cells(titled),
        "numbers": selection.NUMBERS,
        "more": found.more,
        "too_slow": found.too_slow,
        "counts": [(name, STATE[name][0], counts.get(name, 0), f"alert.state:{name}") for name in COUNTED],
        "known": bool(counts),
        "operates": somewhere(request.user, "operate"),
    } | selection.form(request, wanted, found, columns)
    return render(request, "monitor/alerts/list.html", context)


@require_safe
@page
def alert(request: HttpRequest, rule: int) -> HttpResponse:
    """Show one rule with its history."""
    found, flow = _rule_or_404(request, rule)
    before = long_number(request.GET.get("before"))
    entries = api.alerts.history(rule, before, ENTRIES + 1)
    shown = [
        (
            each,
            EVENT.get(each["event"], each["event"]),
            measured(found.kind, each["value"]),
            [(d, STATUS[d["status"]]) for d in each["deliveries"]],
        )
        for each in entries[:ENTRIES]
    ]
    context = {
        "rule": found,
        "row": (row := RuleRow(found)),
        "state": state(row, Clock()),
        "flow": flow,
        "silences": SILENCES.items(),
        "operates": may_operate(request.user, flow.name),
        "entries": shown,
        "more": entries[ENTRIES - 1]["id"] if len(entries) > ENTRIES else None,
    }
    return render(request, "monitor/alerts/alert.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def define(request: HttpRequest, name: str) -> HttpResponse:
    """Show the form of a new rule of a flow, or save it."""
    flow = flow_or_404(request.user, name)
    return _form(request, flow, None)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def change(request: HttpRequest, rule: int) -> HttpResponse:
    """Show the form of a rule, or save it."""
    found, flow = _rule_or_404(request, rule)
    return _form(request, flow, found)


def _form(request: HttpRequest, flow: FlowInfo, rule: SavedAlertRule | None) -> HttpResponse:
    if not may_operate(request.user, flow.name):
        return _forbidden()
    fields = forms.of_rule(rule) if rule else forms.empty(text(request, "q"))
    error, measured, foreseen = "", None, ""
    if request.method == "POST":
        fields = forms.given(request.POST.dict())
        try:
            if request.POST.get("do") != "measure":
                return _saved(request, flow, fields, rule)
            asked = forms.rule_of(fields)
            measured = present.measured(asked, flow)
            foreseen = week.foreseen(asked, flow)
        except Refused as refused:
            error = refused.sentence
    fired = {each.transition for each in flow.triggers if each.fires and each.transition}
    transitions = [(name, flow.transition_titles.get(name) or name) for name in sorted(fired)]
    context = {
        "flow": flow,
        "rule": rule,
        "fields": fields,
        "error": error,
        "measured": measured,
        "foreseen": foreseen,
        "examples": forms.EXAMPLES,
        "kinds": ALERT_KIND.items(),
        "transitions": transitions,
        "views": [view.query for view in _views(request, flow)],
    }
    return render(request, "monitor/alerts/form.html", context)


def _views(request: HttpRequest, flow: FlowInfo) -> list[SavedView]:
    groups = group_names(request.user)
    return api.views.list(request.user.get_username(), groups, flow.name)


def _saved(
    request: HttpRequest, flow: FlowInfo, fields: dict[str, str], rule: SavedAlertRule | None
) -> HttpResponse:
    """Save the rule, say the secret of a new webhook, and lead to it. Raises WedError."""
    actor = request.user.get_username()
    saved, secret = rules.save(flow, forms.rule_of(fields), actor, rule)
    messages.success(request, _("The alert “%(name)s” is saved.") % {"name": saved.name})
    if secret:
        said = _("The secret of its webhook, shown only now: %(secret)s")
        messages.warning(request, said % {"secret": secret})
    return _to(saved.id)


@require_POST
@page
def operate(request: HttpRequest, rule: int, verb: str) -> HttpResponse:
    """Acknowledge, silence, test or remove a rule."""
    found, flow = _rule_or_404(request, rule)
    if not may_operate(request.user, flow.name):
        return _forbidden()
    if verb not in ("acknowledge", "silence", "test", "remove"):
        raise Http404
    try:
        messages.success(request, _operated(request, found, verb))
    except Refused as refused:
        messages.error(request, refused.sentence)
    return HttpResponseRedirect(reverse("monitor:alerts")) if verb == "remove" else _to(rule)


def _operated(request: HttpRequest, rule: SavedAlertRule, verb: str) -> str:
    """Do it, and return what was done. Raises WedError."""
    actor = request.user.get_username()
    note = request.POST.get("note", "").replace("\x00", "").strip()[:LONGEST_NOTE]
    if verb == "acknowledge":
        api.alerts.acknowledge(rule.id, actor, note)
        return _("The alert is acknowledged.")
    if verb == "silence":
        until = forms.until(request.POST.get("minutes", ""))
        api.alerts.silence(rule.id, until, actor, note)
        return _("The alert is silenced.") if until else _("The alert is no longer silenced.")
    if verb == "test":
        count = api.alerts.send_test(rule.id, actor)
        return _("A test is on its way to %(count)d receivers.") % {"count": count}
    api.alerts.delete_rule(rule.id, actor)
    return _("The alert “%(name)s” is removed.") % {"name": rule.name}


def _rule_or_404(request: HttpRequest, rule: int) -> tuple[SavedAlertRule, FlowInfo]:
    """Return a rule and its flow if the user may see it; raise Http404 otherwise."""
    if rule > _GREATEST:
        raise Http404
    try:
        with transaction.atomic():
            found = api.alerts.read_rule(rule)
    except UnknownAlert as error:
        raise Http404 from error
    return found, flow_or_404(request.user, found.flow)


def _to(rule: int) -> HttpResponse:
    return HttpResponseRedirect(reverse("monitor:alert", args=[rule]))


def _forbidden() -> HttpResponse:
    return HttpResponseForbidden(_("You may see this flow, but not define its alerts."))
