"""Delegations: who approves repairs for another person, from which day until which."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import AnyUser, flows_of, masks, may_see, visible_flows
from flows.errors import Refused
from flows.queries import definitions
from monitor.approvals.rows import waiting_for
from monitor.cases.rows import TABS, names
from pages.guard import page
from pages.once import once
from pages.urlparams import long_number


class DelegationForm(forms.Form):
    """Who approves repairs of a flow for the user, and on which days."""

    flow = forms.ChoiceField(label=lazy("Flow"))
    to = forms.CharField(label=lazy("Who approves for you"), max_length=150, strip=True)
    begin = forms.DateField(label=lazy("First day"), widget=forms.DateInput({"type": "date"}))
    end = forms.DateField(label=lazy("Last day"), widget=forms.DateInput({"type": "date"}))

    def clean(self) -> dict[str, Any]:
        """Check that the other person exists and sees the flow, without which delegating has no effect."""
        given: dict[str, Any] = self.cleaned_data
        name = given.get("to")
        if name and "flow" in given:
            user = get_user_model().objects.filter(username__iexact=name, is_active=True).first()
            if user is None or not may_see(user, given["flow"]):
                self.add_error("to", _("There is no user of this name who sees the flow."))
        return given


@require_http_methods(["GET", "HEAD", "POST"])
@page
@masks
@once
def delegations(request: HttpRequest) -> HttpResponse:
    """Show the delegations of the flows that the user sees; save or end one of the user's own."""
    user, posted = request.user, request.method == "POST"
    approved = _approved(user)
    if posted and not approved:
        return HttpResponseForbidden(_("You may not approve repairs."))
    seen = visible_flows(user)
    found = api.approvals.list_delegations(None if seen is None else sorted(seen))
    titles = names(approved | {one.flow for one in found})
    saves = posted and "end_now" not in request.POST
    form = DelegationForm(request.POST if saves else None, initial=_today())
    choices = sorted((name, title) for name, title in titles.flows.items() if name in approved)
    form.fields["flow"].choices = choices  # type: ignore[attr-defined]
    if posted and (not saves or form.is_valid()):
        try:
            return _saved(request, form.cleaned_data) if saves else _ended(request)
        except Refused as refused:
            messages.error(request, str(refused))
    context = {
        "tabs": TABS,
        "to_approve": len(waiting_for(user)),
        "form": form if approved else None,
        "rows": [
            (one, titles.flow(one.flow), one.ends_at - timedelta(seconds=1), _is_of(user, one.from_person))
            for one in found
        ],
    }
    return render(request, "monitor/approvals/delegations.html", context)


def _approved(user: AnyUser) -> set[str]:
    """Return the flows of which the user may approve repairs."""
    flows = flows_of(user, "approve_repair")
    return set(definitions.names() if flows is None else flows)


def _is_of(user: AnyUser, name: str) -> bool:
    return name.strip().lower() == user.get_username().strip().lower()


def _today() -> dict[str, Any]:
    today = datetime.now(UTC).date()
    return {"begin": today, "end": today + timedelta(days=7)}


def _saved(request: HttpRequest, given: dict[str, Any]) -> HttpResponse:
    """Delegate from the begin of the first day, now if that is over, to the end of the last one, in UTC."""
    begin = datetime.combine(given["begin"], datetime.min.time(), UTC)
    last = min(given["end"], date.max - timedelta(days=1))
    until = datetime.combine(last + timedelta(days=1), datetime.min.time(), UTC)
    name = request.user.get_username()
    api.approvals.delegate(
        given["flow"], name, given["to"], until, begin=max(begin, datetime.now(UTC)), actor=name
    )
    messages.success(request, _("%(person)s approves for you on these days.") % {"person": given["to"]})
    messages.warning(
        request,
        _(
            "Until it ends, %(person)s cannot approve what you propose or have approved: both count as one"
            " person. If all who may approve also approve for you, what you propose is never applied."
        )
        % {"person": given["to"]},
    )
    return HttpResponseRedirect(reverse("monitor:delegations"))


def _ended(request: HttpRequest) -> HttpResponse:
    api.approvals.end_delegation(long_number(request.POST.get("end_now")) or 0, request.user.get_username())
    messages.success(request, _("The delegation is ended."))
    return HttpResponseRedirect(reverse("monitor:delegations"))
