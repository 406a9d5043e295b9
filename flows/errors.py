"""One exception class per SQLSTATE of the kernel; its docstring is the message if the database gave none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar


class WedError(Exception):
    """The kernel refused."""

    sqlstate: ClassVar[str] = ""
    transient: ClassVar[bool] = False

    def __init__(self, message: str = "", *, hint: str = "", detail: str = "", code: str = "") -> None:
        """Store message, hint and detail; `where` parses the detail."""
        self.message = message or (type(self).__doc__ or "").strip()
        self.hint = hint
        self.detail = detail
        self.code = code or self.sqlstate
        super().__init__(self.message)

    @property
    def where(self) -> dict[str, Any]:
        """Return the JSON object of the detail: position, token, attribute ...; empty if there is none."""
        try:
            value = json.loads(self.detail)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {"list": value}

    @property
    def sentence(self) -> str:
        """Return message and hint in one line."""
        return f"{self.message} {self.hint}".strip()


class UnknownFlow(WedError):
    """There is no such flow."""

    sqlstate = "WD001"


class UnknownAttribute(WedError):
    """The flow has no such attribute."""

    sqlstate = "WD002"


class WrongType(WedError):
    """A value does not fit the type of its attribute."""

    sqlstate = "WD003"


class BadName(WedError):
    """That name cannot be used."""

    sqlstate = "WD004"


class PredicateRefused(WedError):
    """The predicate has something that a condition may not have."""

    sqlstate = "WD005"


class PredicateType(WedError):
    """The predicate does not make a true or false."""

    sqlstate = "WD006"


class AttributeInUse(WedError):
    """It is still in use elsewhere."""

    sqlstate = "WD007"


class SecondFinal(WedError):
    """The flow has a final condition already."""

    sqlstate = "WD008"


class BadDefinition(WedError):
    """The definition is not well formed."""

    sqlstate = "WD009"


class LockBusy(WedError):
    """Another transaction stands in the way; try again."""

    sqlstate = "WD010"
    transient = True


class NoMatch(WedError):
    """No condition holds for the first state."""

    sqlstate = "WD101"


class InstanceFinal(WedError):
    """The instance is final and cannot be changed."""

    sqlstate = "WD102"


class FinalPending(WedError):
    """The state would be final while other transitions are pending."""

    sqlstate = "WD103"


class UnknownInstance(WedError):
    """There is no such instance."""

    sqlstate = "WD104"


class NotRunning(WedError):
    """The instance is not running."""

    sqlstate = "WD105"


class ConditionError(WedError):
    """A predicate failed at run time."""

    sqlstate = "WD106"


class StateTooLarge(WedError):
    """The state would be larger than a state may be."""

    sqlstate = "WD107"


class NoLock(WedError):
    """The transaction holds no lock on a pending job of the instance."""

    sqlstate = "WD201"


class WrongInstance(WedError):
    """The lock belongs to a job of another instance."""

    sqlstate = "WD202"


class NotOwner(WedError):
    """Somebody else holds the job."""

    sqlstate = "WD203"


class Timeout(WedError):
    """The result came too late."""

    sqlstate = "WD204"


class StaleJob(WedError):
    """The job is no longer pending."""

    sqlstate = "WD205"


class AmbiguousLock(WedError):
    """The transaction holds several jobs of the instance."""

    sqlstate = "WD206"


class SessionLock(WedError):
    """The lock belongs to the session, not to the transaction."""

    sqlstate = "WD207"


class SharedLock(WedError):
    """The lock is shared; it must be exclusive."""

    sqlstate = "WD208"


class AlreadyWritten(WedError):
    """The transaction has written the instance already."""

    sqlstate = "WD209"


class WriteSet(WedError):
    """The transition wrote an attribute that its write-set does not declare."""

    sqlstate = "WD210"


class BadSet(WedError):
    """The SET string cannot be read."""

    sqlstate = "WD211"


class Forbidden(WedError):
    """That is not allowed."""

    sqlstate = "WD301"


class NeedsApproval(WedError):
    """The definition is published only after a second person approved it."""

    sqlstate = "WD302"


class SamePerson(WedError):
    """The person who requested the publication cannot approve it."""

    sqlstate = "WD303"


class UnknownDraft(WedError):
    """There is no such draft, or it has no such revision."""

    sqlstate = "WD401"


class StaleDraft(WedError):
    """Another revision of the draft was saved meanwhile; `where` has its number."""

    sqlstate = "WD402"


class DraftExists(WedError):
    """There is a draft of that name already."""

    sqlstate = "WD403"


class DraftLimit(WedError):
    """The draft is too large, or there are too many."""

    sqlstate = "WD404"


class NothingToUndo(WedError):
    """There is nothing to undo or to redo."""

    sqlstate = "WD405"


class StaleBase(WedError):
    """The flow was published after the draft was made; `where` has both versions."""

    sqlstate = "WD406"


class UnknownPublication(WedError):
    """There is no such publication."""

    sqlstate = "WD407"


class AlreadyDecided(WedError):
    """The publication no longer waits for this decision."""

    sqlstate = "WD408"


class UnknownVersion(WedError):
    """The flow has no such version."""

    sqlstate = "WD409"


class BadTime(WedError):
    """A publication cannot be scheduled for that time."""

    sqlstate = "WD410"


class DiskFull(WedError):
    """The disk of the database is nearly full; nothing is started, what runs goes on."""

    sqlstate = "WD905"


class NoNumbers(WedError):
    """No numbers are left for new instances; what runs goes on."""

    sqlstate = "WD906"


class DependentObjects(WedError):
    """Objects that are not the kernel's depend on what its installation replaces."""

    sqlstate = "WD907"


class TryAgain(WedError):
    """Another transaction was in the way; the same call may succeed now."""

    transient = True


class DatabaseGone(WedError):
    """The database cannot be reached."""

    transient = True


BY_STATE: dict[str, type[WedError]] = {
    cls.sqlstate: cls for cls in WedError.__subclasses__() if cls.sqlstate.startswith("WD")
}
TRANSIENT = frozenset({"40001", "40P01", "55P03"})
# SQLSTATEs and messages of calls during which a new kernel or definition replaced a function or table.
REPLACED_STATES = frozenset({"42703", "42804"})  # a column of a flow was removed or changed
REPLACED = ("could not open relation with OID", "cache lookup failed for", "tuple concurrently")
GONE_CLASSES = ("08", "57P")
# A call of a function of a flow's schema fails with this after the flow was dropped.
NO_SCHEMA = "3F000"
DATA_CLASS = "22"  # numbers out of range and the like


def is_transient(sqlstate: str, message: str) -> bool:
    """Return whether the error is transient, so that the same call may succeed when repeated."""
    return sqlstate in TRANSIENT or _replaced(sqlstate, message)


def _replaced(sqlstate: str, message: str) -> bool:
    if sqlstate in REPLACED_STATES:
        return not (sqlstate == "42703" and _kernel_column(message))
    return sqlstate == "XX000" and message.startswith(REPLACED)


def _kernel_column(message: str) -> bool:
    """Return whether the missing column belongs to a table of the kernel: then the installation is broken.

    The same rule as wedsql._kernel_column: the message names a table, or an alias, that no flow has.
    """
    other_alias = re.search(r"\b(?!(?:w|r|wed_flow)\.)[a-z_0-9]+\.[a-z_]", message)
    return bool(other_alias or (re.search(r'".+".*".+"', message) and '"wed_flow"' not in message))


def error_for(sqlstate: str, message: str = "", *, hint: str = "", detail: str = "") -> WedError:
    """Return the typed error of an SQLSTATE."""
    cls = BY_STATE.get(sqlstate)
    if cls is None:
        if sqlstate == NO_SCHEMA:
            return _no_flow(message)
        if _replaced(sqlstate, message):
            text = "The kernel or the flow's definition was replaced at this very moment; do the same again."
            return TryAgain(text, detail=message, code=sqlstate)
        if sqlstate.startswith(DATA_CLASS):
            return WrongType(f"A value cannot be used: {message}.", hint=hint, detail=detail)
        gone = sqlstate.startswith(GONE_CLASSES)
        cls = DatabaseGone if gone else TryAgain if sqlstate in TRANSIENT else WedError
    return cls(message, hint=hint, detail=detail, code=sqlstate)


def _no_flow(message: str) -> UnknownFlow:
    """Return an error that names the flow: the schema that the server's message quotes, in any language."""
    name = re.search(r"[\"«„“](.+)[\"»“”]", message)
    return UnknownFlow(f"There is no flow '{name[1]}'." if name else "", detail=message)


def from_database(error: BaseException) -> WedError | None:
    """Return the typed error behind an exception of psycopg or Django; None for any other exception."""
    import psycopg

    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, psycopg.Error):
        cause = cause.__cause__
    if cause is None:
        return None
    diag = cause.diag
    if diag.sqlstate is None:
        return _without_state(cause)
    return error_for(
        diag.sqlstate,
        diag.message_primary or "",
        hint=diag.message_hint or "",
        detail=diag.message_detail or "",
    )


def _without_state(cause: BaseException) -> WedError:
    """Return the error for an exception without SQLSTATE: no connection, or a value that cannot be sent."""
    import psycopg

    first = (str(cause).strip() or type(cause).__name__).splitlines()[0]
    if isinstance(cause, psycopg.DataError):
        return WrongType(f"A value cannot be sent to the database: {first}.")
    if isinstance(cause, (psycopg.OperationalError, psycopg.InterfaceError)):
        return DatabaseGone(f"The database cannot be reached: {first}")
    return WedError(first)


@contextmanager
def translated() -> Iterator[None]:
    """Raise errors of the database as WedError, with the original as the cause."""
    try:
        yield
    except WedError:
        raise
    except UnicodeError as error:  # the driver cannot encode it
        raise WrongType("A text has half a character (a lone surrogate) and cannot be stored.") from error
    except Exception as error:
        known = from_database(error)
        if known is None:
            raise
        raise known from error
