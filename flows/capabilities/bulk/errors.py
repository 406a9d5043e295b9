"""Errors of operations on many instances. Programs import them from flows.errors."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class BadBulk(Refused):
    """An operation on many instances cannot be requested so: what it is, its size, or its details."""

    sqlstate = "WD504"
    default = _("The operation on many instances cannot be requested so.")


class BulkChanged(Refused):
    """The filter selects other instances than were confirmed, or one of them has another status."""

    sqlstate = "WD505"
    http = 409
    default = _("The instances are not those that were confirmed.")


class UnknownBulk(Refused):
    """There is no such operation on many instances."""

    sqlstate = "WD506"
    http = 404
    default = _("There is no such bulk operation.")


class BulkEnded(Refused):
    """The bulk operation has ended, or is in this state already."""

    sqlstate = "WD507"
    http = 409
    default = _("The bulk operation has ended, or is in this state already.")
