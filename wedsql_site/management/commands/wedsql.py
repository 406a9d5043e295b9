"""`manage.py wedsql ACTION`: manage an installation as a whole."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from wedsql_site import backup, environment, logs, ondemand, postgres, psql, setting_names
from wedsql_site.supervisor import actions, forks, report

log = logging.getLogger("wedsql.supervisor")
NOT_RUNNING = 3


class Command(BaseCommand):
    help = "Starts, stops and shows an installation: database, web, workers, reaper."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        commands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        up = self._add(commands, "up", "start everything and watch over it; Ctrl-C stops it")
        up.add_argument("--no-demo", action="store_true", help="no demo flows, no simulation (WEDSQL_DEMO=0)")
        self._add(commands, "stop", "stop what 'up' started, and the embedded database")
        status = self._add(
            commands, "status", "what is installed, running, outdated (exit code 3: not running)"
        )
        status.add_argument("--json", action="store_true", help="print JSON")
        reset = self._add(commands, "reset", "stop everything; delete the embedded database and the secrets")
        reset.add_argument("--yes", action="store_true", help="do not ask for confirmation")
        logs = self._add(commands, "logs", "follow the logs of all processes")
        logs.add_argument("--no-follow", action="store_true", help="show the last lines and end")
        self._add(commands, "install", "bring tables, kernel and roles up to date")
        self._add(commands, "roles", "create the runtime roles and give them their rights")
        shell = self._add(commands, "psql", "open psql on the database; what follows -- is passed on to it")
        shell.add_argument("arguments", nargs="*")
        taken = self._add(commands, "backup", "write database and roles into a new directory; work may go on")
        taken.add_argument("directory", type=Path)
        read = self._add(commands, "restore", "read a backup into an empty database")
        read.add_argument("directory", type=Path)

    def _add(self, commands: Any, name: str, help_text: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=help_text, description=help_text)

    def handle(self, *_args: Any, action: str, **options: Any) -> None:
        for sentence in setting_names.unread():
            self.stderr.write(f"Warning: {sentence}")
        try:
            code = getattr(self, f"_{action}")(options)
        except (
            actions.ActionRefused,
            forks.ForkFailed,
            backup.BackupError,
            postgres.PostgresError,
            environment.BadEnvironment,
        ) as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            raise CommandError(f"the database refused: {error}") from error
        if code:
            sys.exit(code)

    def _echo(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()

    def _up(self, options: dict[str, Any]) -> int:
        demo = environment.flag("WEDSQL_DEMO", default=True) and not options["no_demo"]
        return actions.up(demo, log.info if logs.chosen_format() == "json" else self._echo)

    def _stop(self, _options: dict[str, Any]) -> int:
        self._echo("stopped" if actions.stop() else "nothing was running")
        return 0

    def _status(self, options: dict[str, Any]) -> int:
        facts = report.status()
        self._echo(json.dumps(facts, indent=1, default=str) if options["json"] else report.as_text(facts))
        return 0 if facts["running"] else NOT_RUNNING

    def _reset(self, options: dict[str, Any]) -> int:
        question = f"Delete the database and the secrets in {environment.state_dir()}? [y/N] "
        if not (options["yes"] or _confirm(question)):
            self._echo("nothing was deleted; without a terminal say: wedsql reset --yes")
            return 1
        actions.reset()
        self._echo("deleted")
        return 0

    def _logs(self, options: dict[str, Any]) -> int:
        return actions.logs(follow=not options["no_follow"])

    def _install(self, _options: dict[str, Any]) -> int:
        actions.install(self._echo)
        self._echo("installed")
        return 0

    def _roles(self, _options: dict[str, Any]) -> int:
        actions.roles(self._echo)
        self._echo("roles are up to date")
        return 0

    def _psql(self, options: dict[str, Any]) -> int:
        line, environ = psql.command(options["arguments"])
        ondemand.start_database()
        os.execve(line[0], line, environ)  # noqa: S606 - psql replaces this process

    def _backup(self, options: dict[str, Any]) -> int:
        actions.take_backup(options["directory"].absolute(), self._echo)
        return 0

    def _restore(self, options: dict[str, Any]) -> int:
        actions.restore_backup(options["directory"].absolute(), self._echo)
        self._echo("restored")
        return 0


def _confirm(question: str) -> bool:
    try:
        return input(question).strip().lower() in {"y", "yes"}
    except EOFError:
        return False
