"""Entry points of `python manage.py`, `python -m wedsql_site` and the commands `wedsql` and `wedworker`."""

from __future__ import annotations

import os
import sys

from wedsql_site.environment import BadEnvironment
from wedsql_site.ondemand import start_database_for

# Actions of `manage.py wedsql`, which the command `wedsql` takes as its first argument.
ACTIONS = (
    "up", "stop", "status", "reset", "logs", "install", "roles", "psql", "backup", "restore",
)  # fmt: skip


def manage() -> None:
    """Run Django's command line; start the embedded PostgreSQL first where the command needs a database."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wedsql_site.settings")
    try:
        start_database_for(sys.argv)
        from django.core.management import execute_from_command_line

        execute_from_command_line(sys.argv)
    except BadEnvironment as error:
        sys.exit(f"wedsql: {error}")


def wedsql() -> None:
    """Run `wedsql ACTION` as `manage.py wedsql ACTION`, and `wedsql COMMAND` as `manage.py COMMAND`."""
    if sys.argv[1:2] and sys.argv[1] in ACTIONS:
        sys.argv.insert(1, "wedsql")
    manage()


def wedworker() -> None:
    """Run `wedworker` as `manage.py wedworker`."""
    sys.argv.insert(1, "wedworker")
    manage()
