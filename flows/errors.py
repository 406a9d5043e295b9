"""One exception class per SQLSTATE of the kernel; flows.database_errors creates them from database errors."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from flows.messages import put_facts, translate


class WedError(Exception):
    """An error of the kernel. Its texts are in the language that is active when they are read."""

    sqlstate: ClassVar[str] = ""
    transient: ClassVar[bool] = False
    default: ClassVar[str | Promise] = _("The database rejected the operation.")
    """The message if the database gave none."""

    def __init__(self, message: str = "", *, hint: str = "", detail: str = "", code: str = "") -> None:
        """Store message and hint, which are English if they come from the kernel, and the detail."""
        self._message = message
        self._hint = hint
        self.detail = detail
        self.code = code or self.sqlstate
        super().__init__(message)

    @property
    def message(self) -> str:
        """Return what happened, and to what."""
        return self._translated("message_template", self._message) or str(self.default)

    @property
    def hint(self) -> str:
        """Return what to do about it; may be empty."""
        return self._translated("hint_template", self._hint)

    @property
    def where(self) -> dict[str, Any]:
        """Return the facts of the detail: position, token, attribute ...; empty if there are none."""
        return {key: value for key, value in self._facts.items() if not key.endswith("_template")}

    @property
    def sentence(self) -> str:
        """Return message and hint in one line."""
        return f"{self.message} {self.hint}".strip()

    def __str__(self) -> str:
        return self.message

    @property
    def _facts(self) -> dict[str, Any]:
        try:
            value = json.loads(self.detail)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    def _translated(self, template: str, english: str) -> str:
        facts = self._facts
        return put_facts(translate(facts[template]), facts) if template in facts else translate(english)


class UnknownFlow(WedError):
    """The flow does not exist."""

    sqlstate = "WD001"
    default = _("There is no such flow.")


class UnknownAttribute(WedError):
    """The flow does not have the attribute."""

    sqlstate = "WD002"
    default = _("The flow has no such attribute.")


class WrongType(WedError):
    """A value does not fit its attribute."""

    sqlstate = "WD003"
    default = _("A value does not fit the type of its attribute.")


class BadName(WedError):
    """A name is reserved, exists already, or has characters that are not allowed."""

    sqlstate = "WD004"
    default = _("This name cannot be used.")


class PredicateRefused(WedError):
    """A predicate is not in the language of conditions; `where` has the position."""

    sqlstate = "WD005"
    default = _("The predicate contains something that is not allowed in a condition.")


class PredicateType(WedError):
    """A predicate does not give true or false; `where` has the position."""

    sqlstate = "WD006"
    default = _("The predicate does not give true or false.")


class AttributeInUse(WedError):
    """A definition cannot change because something refers to what would change."""

    sqlstate = "WD007"
    default = _("It is still referenced by a trigger, a job or an instance.")


class SecondFinal(WedError):
    """A flow cannot have two final conditions."""

    sqlstate = "WD008"
    default = _("The flow has a final condition already.")


class BadDefinition(WedError):
    """A definition, or an argument of a call, is not valid."""

    sqlstate = "WD009"
    default = _("The definition is not valid.")


class LockBusy(WedError):
    """Another transaction has locked the flow."""

    sqlstate = "WD010"
    transient = True
    default = _("Another transaction has locked the flow; try again.")


class NoMatch(WedError):
    """No condition holds for the first state."""

    sqlstate = "WD101"
    default = _("No condition holds for the first state.")


class InstanceFinal(WedError):
    """A final instance cannot be changed."""

    sqlstate = "WD102"
    default = _("The instance is final and cannot be changed.")


class FinalPending(WedError):
    """The state would be final while other transitions are pending."""

    sqlstate = "WD103"
    default = _("The state would be final while other transitions are pending.")


class UnknownInstance(WedError):
    """The instance does not exist, or belongs to another flow."""

    sqlstate = "WD104"
    default = _("There is no such instance.")


class NotRunning(WedError):
    """The instance has ended or is suspended."""

    sqlstate = "WD105"
    default = _("The instance is not running.")


class ConditionError(WedError):
    """A predicate failed at run time."""

    sqlstate = "WD106"
    default = _("A predicate failed at run time.")


class StateTooLarge(WedError):
    """The state would exceed the limit of its size."""

    sqlstate = "WD107"
    default = _("The state would be larger than the limit.")


class NoLock(WedError):
    """The transaction holds no lock on a pending job of the instance."""

    sqlstate = "WD201"
    default = _("The transaction holds no lock on a pending job of the instance.")


class WrongInstance(WedError):
    """The lock belongs to a job of another instance."""

    sqlstate = "WD202"
    default = _("The lock belongs to a job of another instance.")


class NotOwner(WedError):
    """Another worker holds the job."""

    sqlstate = "WD203"
    default = _("Another worker holds this job.")


class Timeout(WedError):
    """The result came too late."""

    sqlstate = "WD204"
    default = _("The result came too late.")


class StaleJob(WedError):
    """The job is no longer pending."""

    sqlstate = "WD205"
    default = _("The job is no longer pending.")


class AmbiguousLock(WedError):
    """The transaction holds several jobs of the instance."""

    sqlstate = "WD206"
    default = _("The transaction holds several jobs of the instance.")


class SessionLock(WedError):
    """The lock belongs to the session, not to the transaction."""

    sqlstate = "WD207"
    default = _("The lock belongs to the session, not to the transaction.")


class SharedLock(WedError):
    """The lock is shared."""

    sqlstate = "WD208"
    default = _("The lock is shared; it must be exclusive.")


class AlreadyWritten(WedError):
    """The transaction has written the instance already."""

    sqlstate = "WD209"
    default = _("The transaction has written the instance already.")


class WriteSet(WedError):
    """The transition wrote an attribute that its write-set does not declare."""

    sqlstate = "WD210"
    default = _("The transition wrote an attribute that its write-set does not declare.")


class BadSet(WedError):
    """A SET string is not valid, or fails on the state."""

    sqlstate = "WD211"
    default = _("The SET string is not valid.")


class Forbidden(WedError):
    """The operation is not allowed."""

    sqlstate = "WD301"
    default = _("This operation is not allowed.")


class NeedsApproval(WedError):
    """The definition is published only after a second person approved it."""

    sqlstate = "WD302"
    default = _("The definition is published only after a second person has approved it.")


class SamePerson(WedError):
    """The person who requested the publication cannot approve it."""

    sqlstate = "WD303"
    default = _("The person who requested the publication cannot approve it.")


class UnknownDraft(WedError):
    """There is no such draft, or it has no such revision."""

    sqlstate = "WD401"
    default = _("There is no such draft, or it has no such revision.")


class StaleDraft(WedError):
    """Another revision of the draft was saved meanwhile; `where` has its number."""

    sqlstate = "WD402"
    default = _("Another revision of the draft was saved in the meantime.")


class DraftExists(WedError):
    """There is a draft of that name already."""

    sqlstate = "WD403"
    default = _("There is a draft of that name already.")


class DraftLimit(WedError):
    """The draft is too large, or there are too many."""

    sqlstate = "WD404"
    default = _("The draft is too large, or there are too many.")


class NothingToUndo(WedError):
    """There is nothing to undo or to redo."""

    sqlstate = "WD405"
    default = _("There is nothing to undo or to redo.")


class StaleBase(WedError):
    """The flow was published after the draft was made; `where` has both versions."""

    sqlstate = "WD406"
    default = _("The flow was published after the draft was made.")


class UnknownPublication(WedError):
    """There is no such publication."""

    sqlstate = "WD407"
    default = _("There is no such publication.")


class AlreadyDecided(WedError):
    """The publication no longer waits for this decision."""

    sqlstate = "WD408"
    default = _("The publication no longer waits for this decision.")


class UnknownVersion(WedError):
    """The flow has no such version."""

    sqlstate = "WD409"
    default = _("The flow has no such version.")


class BadTime(WedError):
    """A publication cannot be scheduled for that time."""

    sqlstate = "WD410"
    default = _("A publication cannot be scheduled for that time.")


class DiskFull(WedError):
    """The disk of the database is nearly full: no instance is started."""

    sqlstate = "WD905"
    default = _("The disk of the database is nearly full; no instance is started.")


class NoNumbers(WedError):
    """No numbers are left for new instances."""

    sqlstate = "WD906"
    default = _("No numbers are left for new instances.")


class DependentObjects(WedError):
    """Objects of the site depend on what the kernel's installation replaces."""

    sqlstate = "WD907"
    default = _("Objects of the site depend on what the kernel's installation replaces.")


class TryAgain(WedError):
    """The same call may succeed when repeated."""

    transient = True
    default = _("Another transaction was in conflict with this one; try again.")


class DatabaseGone(WedError):
    """The connection to the database failed."""

    transient = True
    default = _("The database is not available.")


BY_STATE: dict[str, type[WedError]] = {
    cls.sqlstate: cls for cls in WedError.__subclasses__() if cls.sqlstate.startswith("WD")
}
