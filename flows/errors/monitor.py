"""Errors of what operators define and request: views, operations on many instances, repairs."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class BadView(Refused):
    """The view cannot be saved so: its name, its length or with whom it is shared, or there are too many."""

    sqlstate = "WD502"
    default = _("The view cannot be saved so.")


class UnknownView(Refused):
    """The user has no such view."""

    sqlstate = "WD503"
    http = 404
    default = _("There is no such view.")


class KeptChange(Refused):
    """A recorded change of a control would be changed, or changes are selected by something unknown."""

    sqlstate = "WD551"
    default = _("Recorded changes of controls are neither changed nor removed.")


class NeedsApprovals(Refused):
    """The repair needs approvals by other persons: it is proposed, and the last approval applies it."""

    sqlstate = "WD520"
    http = 409
    default = _("The repair needs approvals by other persons.")


class BadProposal(Refused):
    """The proposal cannot be made or decided, or a rule or a delegation of approvals cannot be saved."""

    sqlstate = "WD521"
    http = 409
    default = _("This cannot be done with the proposal.")


class UnknownProposal(Refused):
    """There is no such proposal."""

    sqlstate = "WD522"
    http = 404
    default = _("There is no such proposal.")


class WrongPerson(Refused):
    """The person made the proposal, or has approved it already, or another person would have to do this."""

    sqlstate = "WD523"
    http = 403
    default = _("Another person must do this.")


class NotApprover(Refused):
    """The person is not a member of the group that decides."""

    sqlstate = "WD524"
    http = 403
    default = _("Only members of a group decide about this.")
