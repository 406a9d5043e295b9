"""Errors of work without a connection. Programs import them from flows.errors."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class UnknownDevice(Refused):
    """The person has no such device."""

    sqlstate = "WD610"
    http = 404
    default = _("There is no such device.")


class DeviceEnded(Refused):
    """The device was reported lost, or was withdrawn and gets no more tasks."""

    sqlstate = "WD611"
    http = 403
    default = _("The device was withdrawn, or reported lost.")


class DeviceLimit(Refused):
    """The person has as many devices as a person may have."""

    sqlstate = "WD612"
    default = _("The person has too many devices.")


class OtherResult(Refused):
    """The device has sent another result with the same number."""

    sqlstate = "WD613"
    http = 409
    default = _("The device has sent another result with this number.")


class ResultOutdated(Refused):
    """Another step has changed what the result of a device writes since its task was transferred."""

    sqlstate = "WD614"
    http = 409
    default = _("Another step has changed what the result writes.")


class FileMissing(Refused):
    """A file that the result of a device names has not arrived."""

    sqlstate = "WD615"
    http = 409
    default = _("A file of the result has not arrived.")


class TaskNotReady(Refused):
    """The task did not become ready by the result before it, or is for others."""

    sqlstate = "WD616"
    http = 409
    default = _("The task did not become ready by the result before it.")


class GivenToDesk(Refused):
    """The site refused the result, and the person gave it to the desk: it is a late result with a case."""

    sqlstate = "WD618"
    http = 409
    default = _("The result was refused, and given to the desk.")


class DeviceWeak(Refused):
    """The device has too little energy or free space for a task to be locked on it."""

    sqlstate = "WD617"
    http = 409
    default = _("The device has too little energy or free space.")
