"""The page Tokens of one's own account: tokens for the HTTP API are made, listed and revoked."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from flows.access import visible_flows
from monitor.api import tokens
from pages.guard import page
from pages.once import again, claimed
from wedsql_site.second_factor.forms import PasswordForm
from wedsql_site.web.middleware import uncompressed

RIGHTS = {
    "operate": gettext_lazy("Operate"),
    "handle": gettext_lazy("Handle cases"),
    "repair": gettext_lazy("Repair"),
    "look": gettext_lazy("Look at masked values"),
    "perform": gettext_lazy("Perform tasks"),
    "move": gettext_lazy("Move instances"),
}


class TokenForm(PasswordForm):
    """Asks for what the token may do, and for the password, because a token outlives the session."""

    name = forms.CharField(label=gettext_lazy("What it is for"), max_length=100)
    days = forms.IntegerField(
        label=gettext_lazy("Valid for days"), min_value=1, max_value=tokens.MOST_DAYS, initial=90
    )
    flows = forms.CharField(
        label=gettext_lazy("Flows, separated by commas; empty: all that you see"),
        max_length=6000,
        required=False,
    )
    rights = forms.MultipleChoiceField(
        label=gettext_lazy("More than reading"),
        choices=list(RIGHTS.items()),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    field_order = ("name", "days", "flows", "rights", "password")

    def clean_flows(self) -> list[str]:
        named = {each.strip() for each in self.cleaned_data["flows"].split(",") if each.strip()}
        visible = visible_flows(self.user)
        if visible is not None and named - visible:
            raise ValidationError(_("You see no flow %(name)s."), params={"name": sorted(named - visible)[0]})
        return sorted(named)


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@page
def account_tokens(request: HttpRequest) -> HttpResponse:
    """Show the tokens of the user; make one, which is shown once, or revoke one."""
    if request.POST.get("revoke"):
        if tokens.revoke(request.user, request.POST["revoke"][:12].replace("\x00", "")):
            messages.success(request, _("The token is revoked."))
        return redirect("tokens")
    form = TokenForm(request, request.user, request.POST or None, auto_id="id_%s")
    secret = ""
    if request.method == "POST" and form.is_valid():
        try:
            with claimed(request) as is_new:
                if not is_new:
                    return again(request)
                secret = _made(request.user, form)
        except tokens.BadToken as error:
            form.add_error(None, str(error))
    context = {"form": form, "secret": secret, "tokens": _listed(request.user)}
    return uncompressed(render(request, "registration/tokens.html", context))


def _listed(user: Any) -> list[dict[str, Any]]:
    """Return the tokens of a user with the names of what they may do."""
    return [
        {"token": token, "rights": [RIGHTS.get(right, right) for right in token.rights]}
        for token in tokens.usable(user)
    ]


def _made(user: Any, form: TokenForm) -> str:
    given = form.cleaned_data
    return tokens.create(user, given["name"], given["days"], given["flows"], given["rights"])[1]
