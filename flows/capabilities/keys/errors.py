"""Errors of the keys of workers."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class WorkerKeyNeeded(Refused):
    """Workers of the flow need a key, and the session is not logged in."""

    sqlstate = "WD570"
    default = _("Workers of this flow need a key.")


class WorkerKeyRejected(Refused):
    """The key does not exist, was revoked or replaced, or has expired."""

    sqlstate = "WD571"
    default = _("The worker key is not accepted.")


class OutOfScope(Refused):
    """The key is not for this flow or transition."""

    sqlstate = "WD572"
    default = _("The worker key is not for this flow or transition.")


class OtherWorker(Refused):
    """The worker's name or the lease belongs to another key."""

    sqlstate = "WD573"
    default = _("This belongs to a worker with another key.")


class UnknownWorkerKey(Refused):
    """There is no key of this name."""

    sqlstate = "WD574"
    default = _("There is no worker key of this name.")


class BadWorkerKey(Refused):
    """The key cannot be created or changed in this way."""

    sqlstate = "WD575"
    default = _("The worker key cannot be created or changed in this way.")
