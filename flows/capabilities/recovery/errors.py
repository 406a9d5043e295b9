"""Errors of repairs, recovery policies and late results. Programs import them from flows.errors."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class BadRepair(Refused):
    """There is no such operation of the repair desk, or it takes other arguments."""

    sqlstate = "WD109"
    default = _("The operation takes other arguments.")


class UnknownStep(Refused):
    """The history of the instance has no such step, or none that can be compensated."""

    sqlstate = "WD110"
    default = _("The instance has no such step.")


class CannotUndo(Refused):
    """A step that would be undone is a pivot, or has no compensation."""

    sqlstate = "WD111"
    default = _("The step cannot be undone.")


class CannotUndoRepair(Refused):
    """The last repair is none that can be undone, or something followed from it."""

    sqlstate = "WD528"
    default = _("The repair can no longer be undone.")


class BadPolicy(Refused):
    """A recovery policy cannot be saved with these values."""

    sqlstate = "WD534"
    default = _("The policy cannot be saved with these values.")


class CannotMigrate(Refused):
    """The instance cannot be moved to this version, because another one is published."""

    sqlstate = "WD535"
    default = _("The instance cannot be moved to this version.")


class UnknownLateResult(Refused):
    """There is no such late result, or it has been decided on."""

    sqlstate = "WD543"
    default = _("No such late result waits for a decision.")
