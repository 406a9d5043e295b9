"""Errors of rights and approvals."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class Forbidden(Refused):
    """The operation is not allowed."""

    sqlstate = "WD301"
    http = 403
    default = _("This operation is not allowed.")


class NeedsApproval(Refused):
    """The definition is published only after a second person approved it."""

    sqlstate = "WD302"
    default = _("The definition is published only after a second person has approved it.")


class RightLost(Refused):
    """The person who asked for it may not do it now; it ends undone, and another person asks for it."""

    sqlstate = "WD304"
    http = 403
    default = _("The person who asked for this may not do it now.")


class SamePerson(Refused):
    """The person who requested the publication cannot approve it."""

    sqlstate = "WD303"
    default = _("The person who requested the publication cannot approve it.")
