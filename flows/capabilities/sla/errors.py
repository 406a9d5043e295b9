"""Errors of SLAs. Programs import them from flows.errors."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class BadSla(Refused):
    """The SLA or the calendar cannot be saved with these values, or lacks the working time asked for."""

    sqlstate = "WD512"
    default = _("The SLA or the calendar cannot be saved with these values.")


class UnknownSla(Refused):
    """There is no such SLA, or no such calendar."""

    sqlstate = "WD513"
    http = 404
    default = _("There is no such SLA or calendar.")
