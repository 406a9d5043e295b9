"""Errors of alerts. Programs import them from flows.errors."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class BadAlert(Refused):
    """The alert rule cannot be saved with these values, or what is asked of it cannot be done."""

    sqlstate = "WD508"
    default = _("The alert rule cannot be saved with these values.")


class UnknownAlert(Refused):
    """There is no such alert rule."""

    sqlstate = "WD509"
    default = _("There is no such alert rule.")
