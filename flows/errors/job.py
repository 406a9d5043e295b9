"""Errors of jobs: taking them, and their results."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class NoLock(Refused):
    """The transaction holds no lock on a pending job of the instance."""

    sqlstate = "WD201"
    default = _("The transaction holds no lock on a pending job of the instance.")


class WrongInstance(Refused):
    """The lock belongs to a job of another instance."""

    sqlstate = "WD202"
    default = _("The lock belongs to a job of another instance.")


class NotOwner(Refused):
    """Another worker holds the job."""

    sqlstate = "WD203"
    http = 409
    default = _("Another worker holds this job.")


class Timeout(Refused):
    """The result came too late."""

    sqlstate = "WD204"
    default = _("The result came too late.")


class StaleJob(Refused):
    """The job is no longer pending."""

    sqlstate = "WD205"
    http = 409
    default = _("The job is no longer pending.")


class AmbiguousLock(Refused):
    """The transaction holds several jobs of the instance."""

    sqlstate = "WD206"
    default = _("The transaction holds several jobs of the instance.")


class SessionLock(Refused):
    """The lock belongs to the session, not to the transaction."""

    sqlstate = "WD207"
    default = _("The lock belongs to the session, not to the transaction.")


class SharedLock(Refused):
    """The lock is shared."""

    sqlstate = "WD208"
    default = _("The lock is shared; it must be exclusive.")


class AlreadyWritten(Refused):
    """The transaction has written the instance already."""

    sqlstate = "WD209"
    http = 409
    default = _("The transaction has written the instance already.")


class WriteSet(Refused):
    """The transition wrote an attribute that its write-set does not declare."""

    sqlstate = "WD210"
    default = _("The transition wrote an attribute that its write-set does not declare.")


class BadSet(Refused):
    """A SET string is not valid, or fails on the state."""

    sqlstate = "WD211"
    default = _("The SET string is not valid.")


class WrongJobState(Refused):
    """The job is not in a state that allows the operation."""

    sqlstate = "WD212"
    http = 409
    default = _("The job is not in a state that allows this operation.")


class LockHeld(Refused):
    """The job needs a lock that another worker holds."""

    sqlstate = "WD213"
    default = _("The job needs a lock that another worker holds.")


class ConditionGone(Refused):
    """The condition of the job no longer holds, so it cannot be retried."""

    sqlstate = "WD533"
    http = 409
    default = _("The condition of the job no longer holds.")
