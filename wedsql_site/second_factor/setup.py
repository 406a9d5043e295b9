"""The page that shows a new key and asks for its first code; then the backup codes, once."""

from __future__ import annotations

import textwrap
from base64 import b32encode
from typing import Any

import segno
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import FormView
from django_otp.plugins.otp_totp.models import TOTPDevice

from wedsql_site.second_factor import devices, forms
from wedsql_site.web.middleware import uncompressed

KEY = "second_factor_setup"


def record(actor: Any, user: Any, message: str) -> None:
    """Record a change of a user's second factor in the admin's log."""
    LogEntry.objects.log_actions(actor.pk, [user], CHANGE, message, single_object=True)


def keep_session(request: HttpRequest, user: Any) -> None:
    """Keep this session; all others of the user end, because they were made with another factor."""
    update_session_auth_hash(request, User.objects.get(pk=user.pk))


def qr(device: TOTPDevice) -> SafeString:
    """Return the key as a QR code; black on white in every theme."""
    drawing = segno.make(device.config_url, micro=False, error="m")
    return mark_safe(drawing.svg_inline(scale=4, dark="#000", light="#fff"))  # noqa: S308 - squares only


@method_decorator(sensitive_post_parameters(), name="dispatch")
class SetUp(FormView):
    """Shows the key until its first code is entered."""

    template_name = "registration/security_setup.html"
    form_class = forms.ConfirmForm
    person: Any
    device: TOTPDevice

    def owner(self) -> tuple[Any, Any]:
        """Return the user and the unconfirmed key; None for what does not exist."""
        user = self.request.user
        person = user if user.is_authenticated else None
        return person, person and devices.begun(person, self.request.session.get(KEY))

    def elsewhere(self) -> HttpResponse:
        """Return the response if there is no unconfirmed key."""
        return redirect("security")

    def done(self) -> str:
        """Complete the set-up; return the URL of the next page."""
        self.request.session.pop(KEY, None)
        keep_session(self.request, self.person)
        return "/"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        person, device = self.owner()
        if person is None or device is None:
            return self.elsewhere()
        self.person, self.device = person, device
        return super().dispatch(request, *args, **kwargs)

    def get_form_kwargs(self) -> dict[str, Any]:
        own = {"request": self.request, "user": self.person, "device": self.device}
        return super().get_form_kwargs() | own

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        text = " ".join(textwrap.wrap(b32encode(self.device.bin_key).decode(), 4))
        shown = {"qr": qr(self.device), "key": text, "address": self.device.config_url}
        return super().get_context_data(**kwargs) | shown

    def render_to_response(self, context: dict[str, Any], **more: Any) -> HttpResponse:
        return uncompressed(super().render_to_response(context, **more))

    def form_valid(self, form: Any) -> HttpResponse:
        record(self.person, self.person, "Second factor set up.")
        return show_codes(self.request, form.codes, self.done())


def show_codes(request: HttpRequest, codes: list[str], target: str) -> HttpResponse:
    """Return the page with the backup codes; no other page shows them."""
    shown = [f"{code[:5]} {code[5:]}" for code in codes]
    page = render(request, "registration/security_codes.html", {"codes": shown, "target": target})
    return uncompressed(page)
