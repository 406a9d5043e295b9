"""Restores a backup into an empty database, on the same or a newer major version of PostgreSQL."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db import connection
from psycopg import sql

from flows import kernel, tables
from wedsql_site.backup import programs, roles
from wedsql_site.backup.errors import BackupError
from wedsql_site.backup.take import ARCHIVE, FORMAT, MANIFEST

_FILLED = """
select n.nspname from pg_catalog.pg_namespace n
where n.nspname in ('wedsql', 'wed_match')
   or exists (select from pg_catalog.pg_class c where c.relnamespace = n.oid)
      and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
limit 1
"""
_COMPRESSION = "0285_compressed_states"
"""A change that depends on what the server has, so that the archive is without it."""
# Jobs that were made after the backup are lost here, but devices and workers have their numbers, and send
# results of them. No other job may get one of these numbers.
_GAP = "select setval('wedsql.job_seq', last_value + 1000000) from wedsql.job_seq"


def restore(directory: Path, echo: Callable[[str], None]) -> None:
    """Restore a backup into the database, which must be empty, and bring its kernel up to date.

    The archive is restored in one transaction. Raises BackupError.
    """
    manifest = _manifest(directory)
    with connection.cursor() as cursor:
        server = _check_target(cursor, manifest)
        contents = _without_generated(programs.contents(directory / ARCHIVE, server))
        kernel.create_roles(connection)
        made = roles.create_missing(cursor, manifest["roles"])
        cursor.execute("select current_user")
        (owner,) = cursor.fetchone()
        _join(cursor, made, owner)
    connection.close()
    with tempfile.NamedTemporaryFile("w", prefix="wedsql-restore-") as wanted:
        wanted.write(contents)
        wanted.flush()
        options = ("--exit-on-error", "--single-transaction", "--use-list", wanted.name)
        programs.run("pg_restore", *options, directory / ARCHIVE, server=server)
    with connection.cursor() as cursor:
        _take_over(cursor, manifest, made, owner)
        tables.repeat(cursor, _COMPRESSION)
        cursor.execute(_GAP)
        cursor.execute("analyze")
    without = [
        role["name"]
        for role in manifest["roles"]
        if role["name"] in made and role["login"] and not role["password"]
    ]
    if without:
        echo(f"Roles without a password: {', '.join(without)}. Set them with \\password in psql.")


# Objects of the roles without privileges, in schemas in which these roles may not create objects.
_GENERATED = re.compile(r" wed_view$| (FUNCTION|ACL) wedsql .* wed_eval$")


def _without_generated(contents: str) -> str:
    """Return the table of contents without the flows' views and the functions that run without privileges.

    Only a superuser may restore an object for an owner who may not create it. Installing the kernel
    afterwards creates these objects again for every flow.
    """
    return "".join(f"{line}\n" for line in contents.splitlines() if not _GENERATED.search(line.rstrip()))


def _manifest(directory: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((directory / MANIFEST).read_text())
        known = manifest["format"] == FORMAT
    except (OSError, ValueError, KeyError, TypeError):
        raise BackupError(f"{directory} is no backup: it has no readable {MANIFEST}") from None
    if not known:
        raise BackupError(f"{directory} was written in a format that this release does not know")
    return manifest


def _check_target(cursor: Any, manifest: dict[str, Any]) -> int:
    """Return the server's major version; raises BackupError for a non-empty database or an older server."""
    cursor.execute("select current_setting('server_version_num')::int / 10000")
    (server,) = cursor.fetchone()
    if server < manifest["server"]:
        raise BackupError(
            f"the backup is of PostgreSQL {manifest['server']}, and this server is {server}:"
            " restore into the same version or a newer one"
        )
    cursor.execute(_FILLED)
    filled = cursor.fetchone()
    if filled:
        raise BackupError(
            f"the database is not empty (schema {filled[0]}): restore into a new one, or 'make reset' first"
        )
    return server


def _former_owners(manifest: dict[str, Any], made: list[str]) -> list[str]:
    """Return new roles that belong neither to the kernel nor to a flow: they owned Django's tables."""
    return [
        role["name"]
        for role in manifest["roles"]
        if role["name"] in made and "wed_owner" in role["member_of"]
    ]


def _join(cursor: Any, made: list[str], owner: str) -> None:
    """Grant the new roles to the restoring role, so that it can give them objects."""
    for name in made:
        statement = sql.SQL("grant {} to {}").format(sql.Identifier(name), sql.Identifier(owner))
        cursor.execute(statement.as_string())


def _take_over(cursor: Any, manifest: dict[str, Any], made: list[str], owner: str) -> None:
    """Reassign what a former installer owned to this one, and drop the roles created in its place."""
    for name in _former_owners(manifest, made):
        old, new = sql.Identifier(name), sql.Identifier(owner)
        cursor.execute(sql.SQL("reassign owned by {} to {}").format(old, new).as_string())
        cursor.execute(sql.SQL("drop owned by {}").format(old).as_string())
        cursor.execute(sql.SQL("drop role {}").format(old).as_string())
    for name in set(made) - set(_former_owners(manifest, made)):
        statement = sql.SQL("revoke {} from {}").format(sql.Identifier(name), sql.Identifier(owner))
        cursor.execute(statement.as_string())
