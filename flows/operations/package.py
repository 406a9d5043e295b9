"""Reads the migration package of one flow and writes its next migration."""

from __future__ import annotations

import importlib
import io
import re
import zipfile
from collections.abc import Mapping
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from django.db.migrations import Migration
from django.db.migrations.writer import MigrationWriter

from flows import flow_apps
from flows.definition import Definition
from flows.management.whole_file import write_whole_text
from flows.operations import stubs
from flows.operations.base import FlowOperation
from flows.operations.difference import operations_between, settings
from flows.operations.flows import CreateFlow

BASE = ("flows", "0001_initial")


class FlowPackage:
    """The migrations of one flow, read from its package even if INSTALLED_APPS does not contain it."""

    def __init__(self, flow: str) -> None:
        self.flow = flow
        self.label = flow_apps.label(flow)
        self.migrations = self._read()

    def operations(self) -> list[FlowOperation]:
        """Return all operations on the flow, in the order in which they run."""
        found = (operation for migration in self.migrations.values() for operation in migration.operations)
        return [operation for operation in found if isinstance(operation, FlowOperation)]

    def next(self, operations: list[FlowOperation]) -> Migration:
        """Return a migration with these operations and the next number."""
        last = next(reversed(self.migrations), None)
        number = 1 + max((_number(name) for name in self.migrations), default=0)
        name = "initial" if last is None else _fragment(operations)
        content = {
            "operations": list(operations),
            "dependencies": [(self.label, last)] if last else [BASE],
            "initial": last is None,
        }
        return type("Migration", (Migration,), content)(f"{number:04d}_{name}", self.label)

    def write(self, migration: Migration) -> Path:
        """Write the migration into the package, which is created if it is missing; return its path."""
        path = flow_apps.create(self.flow) / f"{migration.name}.py"
        write_whole_text(path, MigrationWriter(migration, include_header=False).as_string())
        self.migrations[migration.name] = migration
        return path

    def _read(self) -> dict[str, Migration]:
        flow_apps.installed()
        importlib.invalidate_caches()
        home = flow_apps.directory() / self.flow / "migrations"
        names = sorted(path.stem for path in home.glob("*.py") if path.stem[0] not in "_~")
        found = {name: self._load(name) for name in names}
        before: dict[str, set[str]] = {
            name: {other for label, other in migration.dependencies if label == self.label}
            for name, migration in found.items()
        }
        return {name: found[name] for name in TopologicalSorter(before).static_order() if name in found}

    def _load(self, name: str) -> Migration:
        module: Any = importlib.import_module(f"{flow_apps.directory().name}.{self.flow}.migrations.{name}")
        return module.Migration(name, self.label)


def archive(flow: str, definition: Definition, more: Mapping[str, str]) -> bytes:
    """Return a zip archive with the package of a flow whose first migration makes this definition.

    It has the files that flow makemigrations writes for a flow without a package, and `more` beside them.
    """
    operations = [
        CreateFlow(flow, settings(definition)),
        *operations_between(flow, {"attributes": [], "triggers": []}, definition),
    ]
    content = {"operations": operations, "dependencies": [BASE], "initial": True}
    migration = type("Migration", (Migration,), content)("0001_initial", flow_apps.label(flow))
    written = MigrationWriter(migration, include_header=False).as_string()
    home = flow_apps.directory().name
    files = {f"{home}/{name}": text for name, text in flow_apps.files(flow).items()}
    files[f"{home}/{flow}/migrations/0001_initial.py"] = written
    files[f"{home}/{flow}/{stubs.FILE}"] = stubs.text(flow, stubs.transitions_of(definition))
    files |= {f"{home}/{flow}/{name}": text for name, text in more.items()}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in files.items():
            package.writestr(name, text)
    return made.getvalue()


def _number(name: str) -> int:
    digits = re.match(r"\d+", name)
    return int(digits[0]) if digits else 0


def _fragment(operations: list[FlowOperation]) -> str:
    """Return a name made from the operations, short enough for a file."""
    parts = [str(operation.migration_name_fragment) for operation in operations]
    name = re.sub(r"\W+", "_", "_".join(parts[:3]).lower())[:50].strip("_")
    return name + ("_and_more" if len(parts) > 3 else "")
