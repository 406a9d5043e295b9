"""Errors of webhooks. Programs import them from flows.errors."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class BadWebhook(Refused):
    """The webhook cannot be saved with these values, or what is asked of it cannot be done."""

    sqlstate = "WD510"
    default = _("The webhook cannot be saved with these values.")


class UnknownWebhook(Refused):
    """There is no such webhook."""

    sqlstate = "WD511"
    default = _("There is no such webhook.")
