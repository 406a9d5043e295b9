"""Webhooks: those of a flow, one with its messages, and its form."""

from __future__ import annotations

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from flows import api
from flows.access import flow_or_404, may_operate
from flows.capabilities.webhooks import subscriptions
from flows.capabilities.webhooks.api import EVENTS, SavedWebhook
from flows.errors import Refused, UnknownWebhook
from flows.queries.definitions import FlowInfo
from monitor.alerts.forms import STATUS
from monitor.webhooks import forms
from monitor.webhooks.forms import EVENT, state, title
from pages.guard import page
from pages.once import once
from pages.urlparams import long_number, text

ENTRIES = 100
_GREATEST = 2**63 - 1


@require_safe
@page
def webhooks(request: HttpRequest, name: str) -> HttpResponse:
    """Show the webhooks of a flow, those that are paused or fail first."""
    flow = flow_or_404(request.user, name)
    found = [
        (hook, title(hook), state(hook), [EVENT[each] for each in EVENTS if each in hook.events])
        for hook in api.webhooks.list([name])
    ]
    context = {"flow": flow, "hooks": found, "operates": may_operate(request.user, name)}
    return render(request, "monitor/webhooks/list.html", context)


@require_safe
@page
def webhook(request: HttpRequest, hook: int) -> HttpResponse:
    """Show one webhook with its messages."""
    found, flow = _hook_or_404(request, hook)
    entries = api.webhooks.deliveries(hook, long_number(request.GET.get("before")), ENTRIES + 1)
    context = {
        "hook": found,
        "flow": flow,
        "title": title(found),
        "state": state(found),
        "events": [EVENT[each] for each in EVENTS if each in found.events],
        "operates": may_operate(request.user, flow.name),
        "entries": [(each, EVENT[each.event], STATUS[each.status]) for each in entries[:ENTRIES]],
        "more": entries[ENTRIES - 1].id if len(entries) > ENTRIES else None,
    }
    return render(request, "monitor/webhooks/webhook.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@page
@once
def define(request: HttpRequest, name: str) -> HttpResponse:
    """Show the form of a new webhook of a flow, or save it."""
    return _form(request, flow_or_404(request.user, name), None)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def change(request: HttpRequest, hook: int) -> HttpResponse:
    """Show the form of a webhook, or save it."""
    found, flow = _hook_or_404(request, hook)
    return _form(request, flow, found)


def _form(request: HttpRequest, flow: FlowInfo, hook: SavedWebhook | None) -> HttpResponse:
    if not may_operate(request.user, flow.name):
        return _forbidden()
    fields = forms.of_hook(hook) if hook else forms.empty(text(request, "q"))
    error = ""
    if request.method == "POST":
        fields = forms.given(request.POST.dict())
        try:
            return _saved(request, flow, fields, hook)
        except Refused as refused:
            error = refused.sentence
    context = {
        "flow": flow,
        "hook": hook,
        "fields": fields,
        "error": error,
        "events": [(each, EVENT[each], fields.get(each)) for each in EVENTS],
        "attributes": [each.name for each in flow.attributes],
    }
    return render(request, "monitor/webhooks/form.html", context)


def _saved(
    request: HttpRequest, flow: FlowInfo, fields: dict[str, str], hook: SavedWebhook | None
) -> HttpResponse:
    """Save the webhook, show its secret if it is new, and lead to it. Raises WedError."""
    actor = request.user.get_username()
    saved, secret = subscriptions.save(flow, forms.hook_of(fields), actor, hook)
    messages.success(request, _("The webhook is saved."))
    if secret:
        said = _("The secret of the webhook, shown only now: %(secret)s")
        messages.warning(request, said % {"secret": secret})
    return _to(saved.id)


@require_POST
@page
def operate(request: HttpRequest, hook: int, verb: str) -> HttpResponse:
    """Test, resume or remove a webhook; `skip` resumes it without what happened meanwhile."""
    found, flow = _hook_or_404(request, hook)
    if not may_operate(request.user, flow.name):
        return _forbidden()
    if verb not in ("test", "resume", "skip", "remove"):
        raise Http404
    try:
        messages.success(request, _operated(request.user.get_username(), found, verb))
    except Refused as refused:
        messages.error(request, refused.sentence)
    removed = reverse("monitor:webhooks", args=[flow.name])
    return HttpResponseRedirect(removed) if verb == "remove" else _to(hook)


def _operated(actor: str, hook: SavedWebhook, verb: str) -> str:
    """Do it, and return what was done. Raises WedError."""
    if verb == "test":
        api.webhooks.send_test_message(hook.id)
        return _("A test is on its way. Load the page again to see what came of it.")
    if verb == "remove":
        api.webhooks.delete(hook.id, actor)
        return _("The webhook is removed.")
    api.webhooks.resume(hook.id, actor, skip=verb == "skip")
    return _("The webhook is resumed.")


def _hook_or_404(request: HttpRequest, hook: int) -> tuple[SavedWebhook, FlowInfo]:
    """Return a webhook and its flow if the user may see it; raise Http404 otherwise."""
    if hook > _GREATEST:
        raise Http404
    try:
        with transaction.atomic():
            found = api.webhooks.read(hook)
    except UnknownWebhook as error:
        raise Http404 from error
    return found, flow_or_404(request.user, found.flow)


def _to(hook: int) -> HttpResponse:
    return HttpResponseRedirect(reverse("monitor:webhook", args=[hook]))


def _forbidden() -> HttpResponse:
    return HttpResponseForbidden(_("You may see this flow, but not define its webhooks."))
