"""Errors of approvals of repairs. Programs import them from flows.errors."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


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
