"""Writes flows/schema.sql: the kernel's current tables in one place.

The structure is read from the catalog of a database, the comments are those of the numbered changes
(flows/sql/tables), and the order is that of the capabilities (tests/sql_layers.toml).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import psycopg

from flows import tables
from flows.tests.table_schema import catalog, comments
from flows.tests.table_schema.catalog import Table

FILE = Path(__file__).parents[2] / "schema.sql"
LAYERS = Path(__file__).parents[3] / "tests" / "sql_layers.toml"
HEAD = """\
-- The current tables of the kernel, those of the engine first, then those of each capability after those on
-- which it builds. This file is for readers: installations apply the numbered changes in sql/tables.
-- `make schema` writes it; a test compares it with what these changes make.
"""


def schema(connection: psycopg.Connection[Any]) -> str:
    """Return the statements that create the tables, sequences and indexes of the database."""
    connection.execute("set search_path = pg_catalog; set intervalstyle = postgres; set timezone = 'UTC'")
    connection.execute("set quote_all_identifiers = off; set standard_conforming_strings = on")
    layers = tomllib.loads(LAYERS.read_text(encoding="utf-8"))
    folders = [*layers["engine"], *layers["above"]]
    place = {name: folder for folder, names in layers["tables"].items() for name in names}
    made: dict[str, Table] = {}
    sequences, found = catalog.sequences(connection), catalog.tables(connection)
    parts = [HEAD]
    for folder in folders:
        free = [line for name, line in sequences if place.get(name, folders[0]) == folder]
        own = [table for table in found if place.get(table.name, folders[0]) == folder]
        if own:
            parts += [f"-- {folder} ".ljust(catalog.WIDTH, "-"), "\n".join(free)]
        for table in _ordered(own, made):
            made[table.name] = table
            parts.append(table.text(made, comments.read(tables.DIRECTORY)))
    parts += ["\n".join(line for table in made.values() for line in table.later())]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _ordered(tables: Iterable[Table], made: dict[str, Table]) -> Iterator[Table]:
    """Yield the tables of a folder, those first to which others of it refer."""
    left = list(tables)
    while left:
        missing = {table.name for table in left}
        free = (table for table in left if not (table.refers_to - {table.name}) & missing)
        yield (chosen := next(free, left[0]))
        left.remove(chosen)
