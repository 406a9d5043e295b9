"""Reads the migration package of one flow and writes its next migration."""

from __future__ import annotations

import importlib
import re
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from django.db.migrations import Migration
from django.db.migrations.writer import MigrationWriter

from flows import flow_apps
from flows.operations.base import FlowOperation

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
        path.write_text(MigrationWriter(migration, include_header=False).as_string())
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


def _number(name: str) -> int:
    digits = re.match(r"\d+", name)
    return int(digits[0]) if digits else 0


def _fragment(operations: list[FlowOperation]) -> str:
    """Return a name made from the operations, short enough for a file."""
    parts = [str(operation.migration_name_fragment) for operation in operations]
    name = re.sub(r"\W+", "_", "_".join(parts[:3]).lower())[:50].strip("_")
    return name + ("_and_more" if len(parts) > 3 else "")
