"""Databases with only the kernel, without Django, whose clock tests can move; and copies of them."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from flows import kernel
from wedsql_site import postgres

CHANGED = "WEDSQL_CHANGED_KERNEL"  # the URI of a database whose kernel lacks a guard (chaos.mutate)
FAKE_CLOCK = Path(__file__).with_name("fake_clock.sql")
# The databases of testkit.template with the kernel: one with the usual clock, one with that of the tests.
PLAIN, CLOCKED = "template_kernel", "template_kernel_clock"
# `create database` does not copy what was granted on the original.
_GRANTS = """
select format('grant %%s on database %%I to %%s', privilege_type, %s::text, grantee::regrole)
from pg_database, aclexplode(datacl) where datname = %s and grantee <> 0
"""


def server() -> str:
    """Return the URI of the server of this test run, for its superuser."""
    return os.environ.get("DATABASE_URL") or postgres.default_cluster().dsn()


def install(
    connection: psycopg.Connection, directory: Path = kernel.SQL_DIR, *, fake_clock: bool = False
) -> None:
    """Run the kernel's files in one transaction, as flows.kernel.install does through Django.

    It waits for locks as long as necessary, instead of trying again.
    """
    with connection.transaction(), connection.cursor() as cursor:
        kernel.begin_change(cursor, lock_timeout="0")
        kernel.write(cursor, directory)
        if fake_clock:
            cursor.execute(FAKE_CLOCK.read_text(encoding="utf-8"))


def create(admin: psycopg.Connection, name: str, template: str = "") -> None:
    """Create a database, replacing one of that name; with a template, a copy with the same grants."""
    drop(admin, name)
    source = sql.SQL(" template {}").format(sql.Identifier(template)) if template else sql.SQL("")
    admin.execute(sql.SQL("create database {}").format(sql.Identifier(name)) + source)
    for (grant,) in admin.execute(_GRANTS, [name, template]).fetchall() if template else ():
        admin.execute(grant)


def drop(admin: psycopg.Connection, name: str) -> None:
    """Drop a database, if it exists, and end its sessions."""
    admin.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))


@contextmanager
def empty_database(uri: str = "", template: str = "") -> Iterator[str]:
    """Yield the URI of a new database on this server, which is dropped afterwards even if it is in use."""
    name = f"kernel_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(uri or server(), autocommit=True) as admin:
        create(admin, name, template)
        try:
            yield make_conninfo(uri or server(), dbname=name)
        finally:
            drop(admin, name)


@contextmanager
def database(fake_clock: bool = True, uri: str = "") -> Iterator[str]:
    """Yield the URI of a new database with the kernel, or of the one with a changed kernel."""
    if changed := os.environ.get(CHANGED):
        yield changed
        return
    template = CLOCKED if fake_clock else PLAIN
    if not exists(uri or server(), template):
        template = ""
    with empty_database(uri, template) as made:
        if not template:
            with psycopg.connect(made) as connection:
                install(connection, fake_clock=fake_clock)
        yield made


def exists(uri: str, name: str) -> bool:
    """Return whether the server has a database of this name."""
    with psycopg.connect(uri) as admin:
        found = admin.execute("select 1 from pg_database where datname = %s", [name]).fetchone()
    return bool(found)


@contextmanager
def copy(original: str) -> Iterator[str]:
    """Yield the URI of a copy of a database that has no sessions; the copy is dropped afterwards."""
    template = str(conninfo_to_dict(original)["dbname"])
    with empty_database(make_conninfo(original, dbname="postgres"), template) as made:
        yield made
