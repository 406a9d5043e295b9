"""Errors of psycopg and Django as the typed errors of flows.errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from flows.errors import (
    BY_STATE,
    DatabaseGone,
    Refused,
    ServerTrouble,
    TooSlow,
    TryAgain,
    UnknownFlow,
    WedError,
    WrongType,
)
from flows.messages import put_facts
from flows.messages import translate as _
from pages.sqlstates import CANCELLED, http_status, passes

# SQLSTATEs and messages of calls during which a new kernel or definition replaced a function or table.
REPLACED_STATES = frozenset({"42703", "42804"})  # a column of a flow was removed or changed
REPLACED = ("could not open relation with OID", "cache lookup failed for", "tuple concurrently")
GONE_CLASSES = ("08", "57P", "25P03", "25P04")
CONFLICTS = ("40", "55P03", "55006")  # with other transactions
# A call of a function of a flow's schema fails with this after the flow was dropped.
NO_SCHEMA = "3F000"
NO_TABLE = "42P01"
DATA_CLASS = "22"  # numbers out of range and the like


def is_transient(sqlstate: str, message: str) -> bool:
    """Return whether the error is transient, so that the same call may succeed when repeated."""
    return passes(sqlstate) or _replaced(sqlstate, message)


def _replaced(sqlstate: str, message: str) -> bool:
    if sqlstate == NO_TABLE:
        return "wed_flow" in message  # of a flow that was dropped
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
            text = _("The kernel or the definition of the flow was replaced during this call; try again.")
            return TryAgain(text, detail=message, code=sqlstate)
        if sqlstate.startswith(DATA_CLASS):
            text = put_facts(_("A value cannot be used: {problem}."), {"problem": message})
            return WrongType(text, hint=hint, detail=detail)
        cls = _passing(sqlstate)
    if cls is TryAgain and "message_template" not in detail:  # the server's words about a conflict
        return TryAgain(detail=message, code=sqlstate)
    return cls(message, hint=hint, detail=detail, code=sqlstate)


def _passing(sqlstate: str) -> type[WedError]:
    """Return the class of an error that passes; Refused for what the input can cause, else WedError."""
    if sqlstate.startswith(GONE_CLASSES):
        return DatabaseGone
    if sqlstate.startswith(CONFLICTS):
        return TryAgain
    if sqlstate == CANCELLED:
        return TooSlow
    if passes(sqlstate):
        return ServerTrouble
    return Refused if http_status(sqlstate) in (409, 422) else WedError


def _no_flow(message: str) -> UnknownFlow:
    """Return an error that names the flow: the schema that the server's message quotes, in any language."""
    name = re.search(r"[\"«„“](.+)[\"»“”]", message)
    text = put_facts(_('There is no flow "{flow}".'), {"flow": name[1]}) if name else ""
    return UnknownFlow(text, detail=message)


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
        text = _("A value cannot be sent to the database: {problem}.")
        return WrongType(put_facts(text, {"problem": first}))
    if isinstance(cause, (psycopg.OperationalError, psycopg.InterfaceError)):
        return DatabaseGone(put_facts(_("The database is not available: {problem}"), {"problem": first}))
    return WedError(first)


@contextmanager
def translated() -> Iterator[None]:
    """Raise errors of the database as WedError, with the original as the cause."""
    try:
        yield
    except WedError:
        raise
    except UnicodeError as error:  # the driver cannot encode it
        text = _("A text contains a lone surrogate (half of a character) and cannot be stored.")
        raise WrongType(text) from error
    except Exception as error:
        known = from_database(error)
        if known is None:
            raise
        raise known from error
