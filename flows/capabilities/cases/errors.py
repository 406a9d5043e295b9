"""Errors of cases and their files. Programs import them from flows.errors."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class BadCase(Refused):
    """What is asked of the case cannot be done, or a rule for cases cannot be saved with these values."""

    sqlstate = "WD514"
    default = _("This cannot be done with the case.")


class UnknownCase(Refused):
    """There is no such case."""

    sqlstate = "WD515"
    http = 404
    default = _("There is no such case.")


class CaseClaimed(Refused):
    """Another user has claimed the case."""

    sqlstate = "WD516"
    http = 409
    default = _("Another user has claimed the case.")


class CaseClosed(Refused):
    """The case is closed, or is not claimed, so that this cannot be done with it any more."""

    sqlstate = "WD517"
    http = 409
    default = _("The case is no longer as this needs it.")


class UnknownFile(Refused):
    """There is no such file of a case."""

    sqlstate = "WD539"
    http = 404
    default = _("There is no such file.")


class FileLimit(Refused):
    """The file is too large, or the case or the flow has as many files as it may have."""

    sqlstate = "WD540"
    default = _("The file is too large, or there are too many.")


class BadFile(Refused):
    """The file is empty, or another user attached it."""

    sqlstate = "WD541"
    default = _("This cannot be done with the file.")
