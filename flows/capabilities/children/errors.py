"""Errors of child instances."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class ChildrenNotStarted(Refused):
    """The children of a job cannot be started: too many, too deep, or a key is taken."""

    sqlstate = "WD580"
    default = _("The children of the job cannot be started.")


class NotWaitingForChildren(Refused):
    """The job does not wait for children."""

    sqlstate = "WD581"
    http = 409
    default = _("The job does not wait for children.")
