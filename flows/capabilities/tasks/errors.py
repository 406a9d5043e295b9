"""Errors of tasks. Programs import them from flows.errors."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class UnknownTask(Refused):
    """There is no such task."""

    sqlstate = "WD590"
    http = 404
    default = _("There is no such task.")


class NotPermittedTask(Refused):
    """The person may not perform the task: it is for another role or person."""

    sqlstate = "WD591"
    http = 403
    default = _("The task is for another role or person.")


class TaskTaken(Refused):
    """Another person has the task."""

    sqlstate = "WD592"
    http = 409
    default = _("Another person has the task.")


class TaskNotHeld(Refused):
    """The task has ended, is held back, or is not held by the person in the way that is needed."""

    sqlstate = "WD593"
    http = 409
    default = _("The task has ended, or is not yours.")


class TaskTransferred(Refused):
    """The task went from the person to the one responsible, because its deadline is near."""

    sqlstate = "WD598"
    http = 409
    default = _("The task went to the person responsible.")


class UnknownOutcome(Refused):
    """The task has no such outcome."""

    sqlstate = "WD594"
    default = _("The task has no such outcome.")


class FormNotTaken(Refused):
    """The form of the task does not take the values; `where["wrong"]` has why by attribute."""

    sqlstate = "WD595"
    default = _("The form of the task does not take the values.")


class TaskFileNotTaken(Refused):
    """A file is too large, empty or of a type that the field does not take, or there are too many."""

    sqlstate = "WD596"
    default = _("The field does not take the file.")


class QueryFailed(Refused):
    """The query of a field is about what there is no longer, or found nothing in the time that it has."""

    sqlstate = "WD597"
    default = _("The query of the field failed.")
