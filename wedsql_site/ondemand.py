"""Starts the embedded server on demand, unless DATABASE_URL is set."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from wedsql_site import environment, postgres

# These need no database, or decide themselves whether to start one.
_WITHOUT = {"wedsql", "help", "version", "check", "compilemessages", "makemessages", "collectstatic"}


def start_database_for(arguments: Sequence[str]) -> None:
    """Start the embedded PostgreSQL for a management command, or exit with a message."""
    command = arguments[1] if len(arguments) > 1 else "help"
    if command in _WITHOUT or command.startswith("-") or "--help" in arguments:
        return
    try:
        start_database()
    except (postgres.PostgresError, environment.BadEnvironment) as error:
        sys.exit(f"wedsql: {error}")


def start_database() -> None:
    """Start the embedded PostgreSQL unless the environment sets another server; raises PostgresError."""
    if uses_embedded():
        postgres.ensure_running()


def uses_embedded() -> bool:
    """Return whether the database is the embedded one; raises BadEnvironment as `database_url` does."""
    return not environment.database_url(environment.process())
