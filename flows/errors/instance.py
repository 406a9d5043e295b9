"""Errors of instances and their states."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class NoMatch(Refused):
    """No condition holds for the first state."""

    sqlstate = "WD101"
    default = _("No condition holds for the first state.")


class InstanceFinal(Refused):
    """A final instance cannot be changed."""

    sqlstate = "WD102"
    http = 409
    default = _("The instance is final and cannot be changed.")


class FinalPending(Refused):
    """The state would be final while other transitions are pending."""

    sqlstate = "WD103"
    http = 409
    default = _("The state would be final while other transitions are pending.")


class UnknownInstance(Refused):
    """The instance does not exist, or belongs to another flow."""

    sqlstate = "WD104"
    http = 404
    default = _("There is no such instance.")


class NotRunning(Refused):
    """The instance has ended or is suspended."""

    sqlstate = "WD105"
    http = 409
    default = _("The instance is not running.")


class ConditionError(Refused):
    """A condition failed at run time."""

    sqlstate = "WD106"
    default = _("A condition failed at run time.")


class StateTooLarge(Refused):
    """The state would exceed the limit of its size."""

    sqlstate = "WD107"
    default = _("The state would be larger than the limit.")


class InstanceMoved(Refused):
    """The instance is at another step than the one at which the caller saw it."""

    sqlstate = "WD108"
    http = 409
    default = _("The instance moved meanwhile.")


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


class IntegrityViolated(Refused):
    """The state that a commit would write violates an integrity condition."""

    sqlstate = "WD530"
    default = _("The state violates an integrity condition.")


class NotFinal(Refused):
    """The state violates an integrity condition, so it is not final."""

    sqlstate = "WD531"
    default = _("The state violates an integrity condition, so it cannot be final.")


class CannotMigrate(Refused):
    """The instance cannot be moved to this version, because another one is published."""

    sqlstate = "WD535"
    default = _("The instance cannot be moved to this version.")
