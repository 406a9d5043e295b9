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


class IntegrityViolated(Refused):
    """The state that a commit would write violates an integrity condition."""

    sqlstate = "WD530"
    default = _("The state violates an integrity condition.")


class NotFinal(Refused):
    """The state violates an integrity condition, so it is not final."""

    sqlstate = "WD531"
    default = _("The state violates an integrity condition, so it cannot be final.")
