"""Whether an error is a trouble of the database or of its server, in whichever family of errors it comes."""

from __future__ import annotations

from django.db import Error, InterfaceError, OperationalError

from pages.sqlstates import CANCELLED, http_status


def sqlstate(error: BaseException) -> str:
    """Return the SQLSTATE of an error of Django or of another package (its `code`); '' without one."""
    cause = error.__cause__ if isinstance(error, Error) else error
    return str(getattr(cause, "sqlstate", "") or getattr(cause, "code", "") or "")


def is_timeout(error: BaseException) -> bool:
    """Return whether PostgreSQL cancelled the query because it took too long."""
    return sqlstate(error) == CANCELLED


def is_trouble(error: BaseException) -> bool:
    """Return whether the database could not answer: an error of Django, or one whose `status` is 503."""
    if not isinstance(error, Error):
        return getattr(error, "status", None) == 503
    code = sqlstate(error)
    return http_status(code) == 503 if code else isinstance(error, OperationalError | InterfaceError)
