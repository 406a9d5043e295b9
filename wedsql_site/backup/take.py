"""Writes a backup: one directory with the database, its roles, and a manifest."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from django.db import connection

from flows import kernel
from wedsql_site.backup import programs, roles
from wedsql_site.backup.errors import BackupError

ARCHIVE = "database.dump"
MANIFEST = "backup.json"
FORMAT = 1


def backup(directory: Path) -> dict[str, Any]:
    """Write a consistent backup of the running database into a new directory; return its manifest.

    The database stays in use. The directory gets its name when it is complete and its archive was read back;
    it holds states and password hashes, so only its owner may enter it. Raises BackupError.
    """
    if directory.exists():
        raise BackupError(f"{directory} exists already; name a new directory")
    new = directory.with_name(f".{directory.name}.unfinished-{os.getpid()}")
    try:
        new.mkdir(mode=0o700, parents=True)
        manifest = _write(new)
        new.rename(directory)
    except OSError as error:
        raise BackupError(f"cannot write {directory}: {error.strerror}") from error
    finally:
        for path in [*new.glob("*"), new]:
            _remove(path)
    return manifest


def _write(new: Path) -> dict[str, Any]:
    with connection.cursor() as cursor:
        cursor.execute("select current_setting('server_version_num')::int / 10000, wedsql.now()::text")
        server, moment = cursor.fetchone()
        named = roles.named(cursor)
    status = kernel.status(connection)
    # A server without lz4 rejects a table that is compressed by it.
    options = ("--format=custom", "--no-toast-compression")
    programs.run("pg_dump", *options, "--file", new / ARCHIVE, server=server)
    (new / ARCHIVE).chmod(0o600)
    programs.contents(new / ARCHIVE, server)
    manifest = {
        "format": FORMAT,
        "written_at": moment,
        "kernel": status.version,
        "server": server,
        "roles": named,
    }
    descriptor = os.open(new / MANIFEST, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(manifest, file, indent=1)
    return manifest


def _remove(path: Path) -> None:
    """Remove a file or directory of an interrupted backup, if it still exists."""
    if path.is_dir():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
