"""Errors of definitions: flows, attributes, conditions."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class UnknownFlow(Refused):
    """The flow does not exist."""

    sqlstate = "WD001"
    http = 404
    default = _("There is no such flow.")


class UnknownAttribute(Refused):
    """The flow does not have the attribute."""

    sqlstate = "WD002"
    default = _("The flow has no such attribute.")


class WrongType(Refused):
    """A value does not fit its attribute."""

    sqlstate = "WD003"
    default = _("A value does not fit the type of its attribute.")


class BadName(Refused):
    """A name is reserved, exists already, or has characters that are not allowed."""

    sqlstate = "WD004"
    default = _("This name cannot be used.")


class PredicateRefused(Refused):
    """A condition is not in the language of conditions; `where` has the position."""

    sqlstate = "WD005"
    default = _("The condition contains something that is not allowed in one.")


class PredicateType(Refused):
    """A condition does not give true or false; `where` has the position."""

    sqlstate = "WD006"
    default = _("The condition does not give true or false.")


class AttributeInUse(Refused):
    """A definition cannot change because something refers to what would change."""

    sqlstate = "WD007"
    http = 409
    default = _("It is still referenced by a trigger, a job or an instance.")


class SecondFinal(Refused):
    """A flow cannot have two final conditions."""

    sqlstate = "WD008"
    default = _("The flow has a final condition already.")


class BadDefinition(Refused):
    """A definition, or an argument of a call, is not valid."""

    sqlstate = "WD009"
    default = _("The definition is not valid.")


class HeldByOthers(Refused):
    """Other persons hold another number of tasks and cases that it takes; `where` has who they are."""

    sqlstate = "WD011"
    http = 409
    default = _("Other persons hold tasks or cases that this takes from them.")

    @property
    def count(self) -> int:
        """Return how many they hold."""
        return int(self.where.get("count", 0))


class LockBusy(Refused):
    """Another transaction has locked the flow."""

    sqlstate = "WD010"
    transient = True
    default = _("Another transaction has locked the flow; try again.")
