"""The page Security of one's own account: whether a second factor is on, and how to change that."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from pages.guard import page
from wedsql_site.second_factor import devices, forms, policy
from wedsql_site.second_factor.setup import KEY, SetUp, keep_session, record, show_codes


@sensitive_post_parameters()
@page
def security(request: HttpRequest) -> HttpResponse:
    """Show the page, or perform the action of one of its buttons."""
    if not policy.is_offered():
        raise Http404
    device = devices.factor_of(request.user)
    shape = forms.PasswordForm if device is None else forms.PasswordAndCodeForm
    form = shape(request, request.user, request.POST or None, auto_id="id_%s")
    if request.method == "POST" and form.is_valid():
        return _begin(request) if device is None else _change(request)
    shown = {"form": form, "device": device, "codes_left": devices.codes_left(request.user)}
    return render(request, "registration/security.html", shown)


@page
def setup(request: HttpRequest) -> Any:
    """Show the new key of the logged-in user."""
    if not policy.is_offered():
        raise Http404
    return SetUp.as_view()(request)


def _begin(request: HttpRequest) -> HttpResponse:
    request.session[KEY] = devices.begin(request.user).pk
    return redirect("security_setup")


def _change(request: HttpRequest) -> HttpResponse:
    if request.POST.get("action") == "codes":
        record(request.user, request.user, "New backup codes.")
        return show_codes(request, devices.new_codes(request.user), "/")
    if request.POST.get("action") == "remove":
        devices.remove(request.user)
        record(request.user, request.user, "Second factor removed.")
        keep_session(request, request.user)
        messages.success(request, _("The second factor is removed."))
    return redirect("security")
