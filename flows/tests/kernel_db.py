"""A separate database for the tests of the kernel: only its SQL, without Django, with an adjustable clock."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from flows import kernel
from wedsql_site import postgres

CHANGED = "WEDSQL_CHANGED_KERNEL"  # the URI of a database whose kernel lacks a guard (chaos.mutate)
FAKE_CLOCK = Path(__file__).parent / "sql" / "fake_clock.sql"


def server() -> str:
    """Return the URI of the server of this test run, for its superuser."""
    return os.environ.get("DATABASE_URL") or postgres.default_cluster().dsn()


def install(connection: psycopg.Connection) -> None:
    """Run the kernel's files in one transaction, as flows.kernel.install does through Django."""
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute("select pg_advisory_xact_lock(%s)", [kernel.LOCK])
        cursor.execute("set local client_min_messages = warning")
        kernel.write(cursor)


@contextmanager
def empty_database() -> Iterator[str]:
    """Yield the URI of a new database, which is dropped afterwards even if sessions are connected."""
    name = f"kernel_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server(), autocommit=True) as admin:
        admin.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        try:
            yield make_conninfo(server(), dbname=name)
        finally:
            admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@contextmanager
def database(fake_clock: bool = True) -> Iterator[str]:
    """Yield the URI of a new database with the kernel, or of the one with a changed kernel."""
    if changed := os.environ.get(CHANGED):
        yield changed
        return
    with empty_database() as uri:
        with psycopg.connect(uri) as connection:
            install(connection)
            if fake_clock:
                connection.execute(FAKE_CLOCK.read_text(encoding="utf-8"))
        yield uri
