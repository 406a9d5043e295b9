"""The comments of the numbered changes, by the tables and columns above which they stand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from flows import tables

Comments = Mapping[str, list[str]]  # by `table` and `table.column`
_CREATE = re.compile(r"create (?:unlogged )?table (?:if not exists )?wedsql\.(\w+)")
_ALTER = re.compile(r"alter table (?:if exists )?wedsql\.(\w+)")
_RENAME = re.compile(r"alter table (?:if exists )?wedsql\.(\w+) rename to (\w+)")
_ADD = re.compile(r"\badd column (?:if not exists )?(\w+)")
_COLUMN = re.compile(r"  (\w+) ")
_NO_COLUMN = {"primary", "foreign", "unique", "check", "constraint", "references", "default", "exclude"}


@cache
def read(directory: Path) -> Comments:
    """Return the comments of all changes, the later one where there are two."""
    found: dict[str, list[str]] = {}
    for name in tables.names(directory):
        _Reader(found).read((directory / f"{name}.sql").read_text(encoding="utf-8"))
    found["table_change"] = ["-- The numbered changes that this database has (flows/tables.py)."]
    return found


class _Reader:
    """Reads one file line by line: the table that a statement is about, and the comment above the line."""

    def __init__(self, found: dict[str, list[str]]) -> None:
        self.found = found
        self.table = ""
        self.pending: list[str] = []

    def read(self, text: str) -> None:
        for line in text.splitlines():
            if line.lstrip().startswith("--"):
                self.pending.append(line.strip())
            else:
                self._statement(line)
                self.pending = []

    def _statement(self, line: str) -> None:
        statement = line.lstrip()
        if created := _CREATE.match(statement):
            self.table = created[1]
            self._keep(self.table)
        elif renamed := _RENAME.match(statement):
            self._rename(renamed[1], renamed[2])
        elif altered := _ALTER.match(statement):
            self.table = altered[1]
        if added := _ADD.search(line):
            self._keep(f"{self.table}.{added[1]}", line)
        elif (column := _COLUMN.match(line)) and column[1] not in _NO_COLUMN:
            self._keep(f"{self.table}.{column[1]}", line)

    def _keep(self, name: str, line: str = "") -> None:
        comment = [*self.pending, *re.findall(r"(?<=[,; ])-- .*$", line)]
        if comment:
            self.found[name] = comment

    def _rename(self, old: str, new: str) -> None:
        for name in [name for name in self.found if name.split(".")[0] == old]:
            self.found[new + name.removeprefix(old)] = self.found.pop(name)
