"""Who needs the embedded server starts it; DATABASE_URL switches that off."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from wedsql_site import environment, postgres

# These work without a database, or decide themselves whether to start one.
_WITHOUT = {"wedsql", "help", "version", "check", "compilemessages", "makemessages", "collectstatic"}


def start_database_for(arguments: Sequence[str]) -> None:
    """Starts the embedded PostgreSQL for a management command, or ends the process with a message."""
    command = arguments[1] if len(arguments) > 1 else "help"
    if command in _WITHOUT or command.startswith("-") or "--help" in arguments:
        return
    try:
        start_database()
    except (postgres.PostgresError, environment.BadEnvironment) as error:
        sys.exit(f"wedsql: {error}")


def start_database() -> None:
    """Starts the embedded PostgreSQL unless the environment names another server; raises PostgresError."""
    if uses_embedded():
        postgres.ensure_running()


def uses_embedded() -> bool:
    """Return whether the database is the embedded one; raises BadEnvironment as `database_url` does."""
    return not environment.database_url(environment.process())
