"""manage.py flow makemigrations [FLOW]: writes migrations for the definitions of this database."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from django.core.management.base import CommandParser
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from flows import flow_apps
from flows.management.base import FlowCommand, Rejected, Usage, get_flow
from flows.models import Flow
from flows.operations import stubs
from flows.operations.base import FlowOperation
from flows.operations.package import FlowPackage
from flows.operations.replay import attribute_changes, dropped, missing

# A flow whose migrations this writes is a package of Python.
NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")


class Command(FlowCommand):
    help = (
        "Compares each flow with what its migrations amount to and writes the migration that is missing;"
        " a flow without a transitions.py gets one with a function for each transition."
    )

    tries: ClassVar[Mapping[str, str]] = {"check": "rename no_rename dropped"}

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("flow", nargs="?", help="only this flow (default: all of this database)")
        parser.add_argument(
            "--check", action="store_true", help="write nothing; exit code 1 when one is missing"
        )
        parser.add_argument(
            "--rename",
            action="append",
            default=[],
            metavar="OLD:NEW",
            help="this attribute was renamed (rather than removed, and another one added)",
        )
        parser.add_argument("--no-rename", action="store_true", help="no attribute was renamed")
        parser.add_argument(
            "--dropped", action="store_true", help="the flow was dropped here; drop it elsewhere too"
        )

    def run(self, **options: Any) -> None:
        renames = dict(_pair(text) for text in options["rename"])
        if (renames or options["dropped"]) and not options["flow"]:
            raise Usage("Say which flow you mean.")
        names = [options["flow"]] if options["flow"] else list(Flow.objects.values_list("name", flat=True))
        found = {name: self._missing(name, renames, options) for name in names}
        report = [self._run_one(name, operations, options) for name, operations in found.items()]
        if options["json"]:
            self.write_json(report)
        if options["check"] and any(found.values()):
            raise Rejected("A migration is missing. Write it with: manage.py flow makemigrations")

    def _missing(self, name: str, renames: dict[str, str], options: dict[str, Any]) -> list[FlowOperation]:
        if not NAME.fullmatch(name):
            raise Usage(f"“{name}” is no name of a flow.")
        done = FlowPackage(name).operations()
        if options["dropped"]:
            if Flow.objects.filter(name=name).exists():
                raise Usage(f"Flow {name} is still here; drop it first.")
            return dropped(name, done)
        get_flow(name)
        if not renames and not options["no_rename"]:
            _ask_for_renames(name, done)
        return missing(name, done, renames)

    def _run_one(self, name: str, operations: list[FlowOperation], options: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._written(name, operations, options)
        except OSError as error:  # a full disk: each file is whole or not there
            place = error.filename or flow_apps.directory()
            raise Usage(f"{place} cannot be written: {error.strerror}.") from error

    def _written(self, name: str, operations: list[FlowOperation], options: dict[str, Any]) -> dict[str, Any]:
        steps = [operation.describe() for operation in operations]
        path = None if options["check"] or not operations else self._write(name, operations)
        if not options["json"]:
            where = f" Written to {path}." if path else ""
            self.stdout.write(
                f"{name}: {len(steps)} changes.{where}" if steps else f"{name}: nothing is missing."
            )
            for step in steps:
                self.stdout.write(f"    {step}")
        return {"flow": name, "operations": steps, "file": path, **self._stubs(name, options)}

    def _stubs(self, name: str, options: dict[str, Any]) -> dict[str, Any]:
        """Write the flow's `transitions.py` if it is missing; an existing file is not changed."""
        if options["check"] or options["dropped"]:
            return {}
        path = stubs.write(name)
        without = [] if path else stubs.unmentioned(name)
        if not options["json"] and path:
            self.stdout.write(f"    A function for each transition, to be filled in: {path}")
        if not options["json"] and without:
            self.stdout.write(f"    {stubs.FILE} does not mention: {', '.join(without)}")
        return {"transitions": str(path) if path else None, "without_function": without}

    def _write(self, name: str, operations: list[FlowOperation]) -> str:
        """Write the migration and record it as applied, because this database already has the change."""
        package = FlowPackage(name)
        migration = package.next(operations)
        path = package.write(migration)
        recorder = MigrationRecorder(connection)
        recorder.ensure_schema()
        recorder.record_applied(package.label, migration.name)
        return str(path)


def _pair(text: str) -> tuple[str, str]:
    old, colon, new = text.partition(":")
    if not colon or not old or not new:
        raise Usage(f"“{text}” is not OLD:NEW.")
    return old, new


def _ask_for_renames(name: str, done: list[FlowOperation]) -> None:
    """Raise Rejected if attributes were both removed and added: one may have been renamed."""
    lost, found = attribute_changes(name, done)
    if lost and found:
        raise Rejected(
            f"In flow {name} {', '.join(lost)} went and {', '.join(found)} came. If one was renamed, say so:"
            f" --rename {lost[0]}:{found[0]}. If not, say --no-rename."
        )
