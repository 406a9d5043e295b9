"""Errors of moves. Programs import them from flows.errors."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class UnknownInstallation(Refused):
    """No installation is registered so, or this one has no identity."""

    sqlstate = "WD620"
    default = _("No installation is registered so.")


class BadPackage(Refused):
    """The message of an installation is malformed, too large, for another one, or its signature is wrong."""

    sqlstate = "WD621"
    default = _("The package cannot be read.")


class NotMovable(Refused):
    """The instance cannot be handed over now."""

    sqlstate = "WD622"
    http = 409
    default = _("The instance cannot be handed over now.")


class UnknownMove(Refused):
    """There is no such move, or it is one with another installation."""

    sqlstate = "WD623"
    http = 404
    default = _("There is no such move.")


class MoveNotOpen(Refused):
    """The move, or the installation, is not in a state in which this can be done."""

    sqlstate = "WD624"
    http = 409
    default = _("The move is no longer open.")


class PackageExpired(Refused):
    """The package has expired."""

    sqlstate = "WD626"
    http = 409
    default = _("The package has expired.")


class DefinitionDiffers(Refused):
    """No version of the flow has the definition of the package."""

    sqlstate = "WD627"
    http = 409
    default = _("No version of the flow has the definition of the package.")


class MoveOutdated(Refused):
    """The package is older than what is known of the instance, or does not continue its history."""

    sqlstate = "WD628"
    http = 409
    default = _("The package is older than what is known of the instance.")


class NotReceived(Refused):
    """Instances of the flow are not received from the installation, or the key of this one is taken."""

    sqlstate = "WD629"
    http = 409
    default = _("Instances of the flow are not received from this installation.")
