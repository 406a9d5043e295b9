"""Forms for a code, for the password, or for both; errors count against the limits of the log-in."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django_otp.plugins.otp_totp.models import TOTPDevice

from wedsql_site.second_factor import devices
from wedsql_site.web.attempts import counted

WRONG_CODE = _("The code is wrong, was used already or is too old. Enter the one that is shown now.")


class PersonForm(forms.Form):
    """A form with the request and the user."""

    def __init__(self, request: HttpRequest, user: Any, *args: Any, **kwargs: Any) -> None:
        self.request, self.user = request, user
        super().__init__(*args, **kwargs)


class CodeForm(PersonForm):
    """Asks for a code of the app or a backup code."""

    code = forms.CharField(
        label=_("Code"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )

    def clean_code(self) -> str:
        if "password" in self.fields and "password" not in self.cleaned_data:
            return ""  # a wrong password must not use up a code
        code = devices.plain(self.cleaned_data["code"])
        try:
            with counted(self.request, self.user):
                if not self.accepts(code):
                    raise ValidationError(WRONG_CODE)
        except devices.MustWait as error:
            raise ValidationError(_wait(error.seconds)) from None
        return code

    def accepts(self, code: str) -> bool:
        """Return whether the code is right, and use it up."""
        return bool(code) and devices.verify(self.user, code)


class PasswordForm(PersonForm):
    """Asks for the password once more."""

    password = forms.CharField(
        label=_("Password"),
        max_length=4096,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def clean_password(self) -> str:
        password = str(self.cleaned_data["password"])
        with counted(self.request, self.user):
            if not self.user.check_password(password):
                raise ValidationError(_("The password is wrong."))
        return password


class PasswordAndCodeForm(CodeForm, PasswordForm):
    """Asks for both."""

    field_order = ("password", "code")


class ConfirmForm(CodeForm):
    """Asks for the first code of a new key; `codes` are the backup codes when it was right."""

    codes: list[str] | None = None

    def __init__(self, device: TOTPDevice, *args: Any, **kwargs: Any) -> None:
        self.device = device
        super().__init__(*args, **kwargs)

    def accepts(self, code: str) -> bool:
        self.codes = devices.confirm(self.device, code) if code else None
        return self.codes is not None


def _wait(seconds: int) -> str:
    text = ngettext(
        "Too many wrong codes. Wait %(n)s second and enter a new one.",
        "Too many wrong codes. Wait %(n)s seconds and enter a new one.",
        seconds,
    )
    return text % {"n": seconds}
