"""Errors of what operators define and request: views, operations on many instances, repairs."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class BadView(Refused):
    """The view cannot be saved with this name, length or sharing, or there are too many views."""

    sqlstate = "WD502"
    default = _("The view cannot be saved with these values.")


class UnknownView(Refused):
    """The user has no such view."""

    sqlstate = "WD503"
    http = 404
    default = _("There is no such view.")


class KeptChange(Refused):
    """A recorded change of a control would be changed, or changes are selected by something unknown."""

    sqlstate = "WD551"
    default = _("Recorded changes of controls are neither changed nor removed.")
