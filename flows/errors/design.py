"""Errors of drafts, publications, versions, scenarios and acknowledgements."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class UnknownDraft(Refused):
    """There is no such draft, or it has no such revision."""

    sqlstate = "WD401"
    default = _("There is no such draft, or it has no such revision.")


class StaleDraft(Refused):
    """Another revision of the draft was saved meanwhile; `where` has its number."""

    sqlstate = "WD402"
    default = _("Another revision of the draft was saved in the meantime.")


class DraftExists(Refused):
    """There is a draft of that name already."""

    sqlstate = "WD403"
    default = _("There is a draft of that name already.")


class DraftLimit(Refused):
    """The draft is too large, or there are too many."""

    sqlstate = "WD404"
    default = _("The draft is too large, or there are too many.")


class NothingToUndo(Refused):
    """There is nothing to undo or to redo."""

    sqlstate = "WD405"
    default = _("There is nothing to undo or to redo.")


class StaleBase(Refused):
    """The flow was published after the draft was made; `where` has both versions."""

    sqlstate = "WD406"
    default = _("The flow was published after the draft was made.")


class UnknownPublication(Refused):
    """There is no such publication."""

    sqlstate = "WD407"
    default = _("There is no such publication.")


class AlreadyDecided(Refused):
    """The publication no longer waits for this decision."""

    sqlstate = "WD408"
    default = _("The publication no longer waits for this decision.")


class UnknownVersion(Refused):
    """The flow has no such version."""

    sqlstate = "WD409"
    http = 404
    default = _("The flow has no such version.")


class BadTime(Refused):
    """A publication cannot be scheduled for that time."""

    sqlstate = "WD410"
    default = _("A publication cannot be scheduled for that time.")


class UnknownScenario(Refused):
    """The flow has no such scenario."""

    sqlstate = "WD411"
    default = _("The flow has no such scenario.")


class StaleScenario(Refused):
    """Another revision of the scenario was saved meanwhile, or there is one of that name already."""

    sqlstate = "WD412"
    default = _("Another scenario of that name was saved in the meantime.")


class ScenarioLimit(Refused):
    """The scenario is too large, or there are too many."""

    sqlstate = "WD413"
    default = _("The scenario is too large, or there are too many.")


class BadScenario(Refused):
    """The scenario cannot be read."""

    sqlstate = "WD414"
    default = _("The scenario cannot be read.")


class UnknownAcknowledgement(Refused):
    """The finding is not acknowledged."""

    sqlstate = "WD415"
    default = _("The finding is not acknowledged.")


class BadAcknowledgement(Refused):
    """The finding cannot be acknowledged so: without a reason, with too long a one, or too many are."""

    sqlstate = "WD416"
    default = _("The finding cannot be acknowledged so.")
