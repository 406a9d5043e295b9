"""Finding and calling pg_dump and pg_restore."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from wedsql_site import database
from wedsql_site.backup.errors import BackupError
from wedsql_site.postgres import binaries


def run(name: str, *arguments: str | Path, server: int) -> str:
    """Run pg_dump or pg_restore on the admin's database; return its output.

    The program has at least the server's major version. Raises BackupError with the program's message.
    """
    parameters = {**conninfo_to_dict(database.url("admin"))}
    parameters.setdefault("dbname", database.SCHEMA)
    # All users of the machine can read a process's arguments, but not its environment.
    password = str(parameters.pop("password", None) or "")
    environ = os.environ | ({"PGPASSWORD": password} if password else {}) | {"LC_ALL": "C.UTF-8"}
    command = [
        str(_find(name, server)),
        "--dbname",
        make_conninfo("", **{k: str(v) for k, v in parameters.items()}),
        *map(str, arguments),
    ]
    answer = subprocess.run(
        command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if answer.returncode != 0:
        raise BackupError(f"{name} failed: {answer.stderr.strip()}")
    return answer.stdout


def contents(archive: Path, server: int) -> str:
    """Return the table of contents of an archive; raises BackupError if it cannot be read."""
    answer = subprocess.run(
        [_find("pg_restore", server), "--list", archive], capture_output=True, text=True, check=False
    )
    if answer.returncode != 0:
        raise BackupError(f"{archive} cannot be read: {answer.stderr.strip()}")
    return answer.stdout


def _find(name: str, server: int) -> Path:
    found = {program: _major(program) for program in _candidates(name)}
    fitting = [program for program, major in found.items() if major >= server]
    if not fitting:
        raise BackupError(
            f"no {name} of PostgreSQL {server} or newer was found:"
            " name the directory of the server's programs in WED_PG_BIN"
        )
    return min(fitting, key=found.__getitem__)


def _candidates(name: str) -> Iterator[Path]:
    directories = [binaries.find(), *Path("/usr/lib/postgresql").glob("*/bin")]
    on_path = shutil.which(name)
    programs = [*(directory / name for directory in directories), *([Path(on_path)] if on_path else [])]
    yield from (program for program in programs if program.exists())


def _major(program: Path) -> int:
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"\(PostgreSQL\) (\d+)", answer.stdout)
    return int(match[1]) if match else 0
