"""Errors of signals. Programs import them from flows.errors."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class UnknownSignal(Refused):
    """The flow takes no signal of this name."""

    sqlstate = "WD560"
    default = _("The flow takes no signal of this name.")


class OtherSignal(Refused):
    """Another signal was sent with the same token."""

    sqlstate = "WD561"
    http = 409
    default = _("Another signal was sent with this token before.")


class AmbiguousKey(Refused):
    """More than one living instance has the key."""

    sqlstate = "WD562"
    http = 409
    default = _("More than one instance has this key.")


class SignalLimit(Refused):
    """Too many signals of this name are kept for the instance."""

    sqlstate = "WD563"
    http = 409
    default = _("Too many signals of this name are kept for the instance.")
