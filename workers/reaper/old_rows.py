"""Deletes rows that the site no longer needs: expired sessions, old records of log-ins."""

from __future__ import annotations

import logging
from typing import Any

import psycopg

from workers.logs import summarize
from workers.reaper.report import WORKER

log = logging.getLogger("workers.reaper")

_AT_ONCE = 10_000
_OLD = (
    ("django_session", "session_key", "expire_date < now()"),
    ("axes_accesslog", "id", "attempt_time < now() - interval '1 year'"),
    ("axes_accessfailurelog", "id", "attempt_time < now() - interval '1 year'"),
    ("axes_accessattempt", "id", "attempt_time < now() - interval '1 day'"),
)


def delete_old_rows(connection: psycopg.Connection[Any]) -> None:
    """Delete at most _AT_ONCE old rows of each table; log a table where that fails."""
    for table, key, old in _OLD:
        statement = (
            f"delete from wedsql.{table} where {key} in"  # noqa: S608 - constants of this module
            f" (select {key} from wedsql.{table} where {old} limit {_AT_ONCE})"
        )
        try:
            connection.execute(statement)
        except psycopg.Error as error:
            log.warning("%s was not tidied: %s", table, summarize(error), extra={"worker": WORKER})
