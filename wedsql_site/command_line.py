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
        if sys.argv[1:3] == ["wedsql", "up"]:
            supervise(sys.argv)
            return
        start_database_for(sys.argv)
        from django.core.management import execute_from_command_line

        execute_from_command_line(sys.argv)
    except BadEnvironment as error:
        sys.exit(f"wedsql: {error}")


def supervise(arguments: list[str]) -> None:
    """Run `wedsql up` without settings and models of Django, which each of its forks has for itself."""
    from logging.config import dictConfig

    from django.core.management.base import CommandError, handle_default_options

    from wedsql_site import logs
    from wedsql_site.supervisor import preload

    dictConfig(logs.configuration("admin", "WARNING", in_full=False))
    preload.import_all()
    from wedsql_site.management.commands.wedsql import Command

    command = Command()
    command._called_from_command_line = True  # type: ignore[attr-defined]  # ends wrong options with the usage
    options = command.create_parser(*arguments[:2]).parse_args(arguments[2:])
    handle_default_options(options)
    try:
        # `run_from_argv` closes the connections, for which it reads the settings.
        command.execute(**vars(options))
    except CommandError as error:
        sys.exit(f"CommandError: {error}")


def wedsql() -> None:
    """Run `wedsql ACTION` as `manage.py wedsql ACTION`, and `wedsql COMMAND` as `manage.py COMMAND`."""
    if sys.argv[1:2] and sys.argv[1] in ACTIONS:
        sys.argv.insert(1, "wedsql")
    manage()


def wedworker() -> None:
    """Run `wedworker` as `manage.py wedworker`."""
    sys.argv.insert(1, "wedworker")
    manage()
