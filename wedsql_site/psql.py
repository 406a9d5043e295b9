"""psql on the installation's database, without the connection parameters to type."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from wedsql_site import database
from wedsql_site.postgres import binaries
from wedsql_site.postgres.errors import PostgresError


def command(arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return the command line and the environment; raises PostgresError if psql is missing."""
    parameters = {**conninfo_to_dict(database.url("admin"))}
    parameters.setdefault("dbname", database.SCHEMA)
    # All users of the machine can read a process's arguments, but not its environment.
    password = str(parameters.pop("password", None) or "")
    environ = os.environ | ({"PGPASSWORD": password} if password else {})
    address = make_conninfo("", **{key: str(value) for key, value in parameters.items()})
    return [str(_program()), "--dbname", address, *arguments], environ


def _program() -> Path:
    beside = binaries.find() / "psql"
    found = beside if beside.exists() else shutil.which("psql")
    if found is None:
        raise PostgresError(
            "No psql was found: install PostgreSQL's client programs, or name their directory in WED_PG_BIN."
        )
    return Path(found)
