"""Errors of the server and of connections."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused, WedError


class DiskFull(Refused):
    """The disk of the database is nearly full: no instance is started."""

    sqlstate = "WD905"
    http = 503
    default = _("The disk of the database is nearly full; no instance is started.")


class NoNumbers(Refused):
    """No numbers are left for new instances."""

    sqlstate = "WD906"
    http = 503
    default = _("No numbers are left for new instances.")


class DependentObjects(Refused):
    """Objects of the site depend on what the kernel's installation replaces."""

    sqlstate = "WD907"
    default = _("Objects of the site depend on what the kernel's installation replaces.")


class TryAgain(Refused):
    """Another transaction changed the same at the same time; the same call may succeed when repeated."""

    transient = True
    default = _("Another transaction was in conflict with this one; try again.")


class DatabaseGone(WedError):
    """The connection to the database failed."""

    transient = True
    default = _("The database is not available.")


class TooSlow(WedError):
    """The statement took too long and was cancelled; nothing was changed."""

    default = _("The database needed too long; nothing was changed.")


class ServerTrouble(WedError):
    """The server lacks disk, memory or connections, or accepts no changes; nothing was changed."""

    transient = True
    default = _("The database cannot do this now; nothing was changed. Try again.")
