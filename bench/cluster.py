"""A private PostgreSQL for one bench run: made in a temporary directory, removed at the end."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from types import TracebackType

import psycopg

from wedsql_site import postgres
from wedsql_site.postgres import account, binaries

# Over the product's own configuration, and the same for every contender. Durability stays as it is
# delivered (fsync and synchronous_commit on); the WAL limits only keep a checkpoint from falling into one
# contender's seconds and not into another's.
SETTINGS = {
    "shared_buffers": "512MB",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "30min",
    "track_functions": "none",
}
REPORTED = (
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "wal_compression",
    "shared_buffers",
    "max_wal_size",
    "checkpoint_timeout",
    "max_connections",
    "jit",
    "autovacuum",
    "autovacuum_naptime",
)


class Cluster:
    """One running server; a context manager, so that it is stopped and removed again."""

    def __init__(self, settings: dict[str, str] | None = None) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="wedbench-"))
        self.root.chmod(0o755)  # the server's own user must pass
        self.server = postgres.Cluster(self.root / "postgres", settings=SETTINGS | (settings or {}))
        self.bindir = binaries.reachable(binaries.find(), account.current())

    def dsn(self, database: str = "postgres", user: str = postgres.SUPERUSER) -> str:
        """A URL that libpq, asyncpg and SQLAlchemy understand alike."""
        return self.server.dsn(user, database)

    def connect(self, database: str = "postgres") -> psycopg.Connection:
        """An autocommit connection as superuser."""
        return psycopg.connect(self.dsn(database), autocommit=True)

    def create_database(self, name: str, template: str | None = None) -> str:
        """Make a database anew, from a template when given, and return its DSN."""
        with self.connect() as conn:
            conn.execute(f'drop database if exists "{name}" with (force)')
            conn.execute(f'create database "{name}"' + (f' template "{template}"' if template else ""))
            if template:
                _copy_grants(conn, template, name)
        return self.dsn(name)

    def drop_database(self, name: str) -> None:
        """Remove a database and whoever is connected to it."""
        with self.connect() as conn:
            conn.execute(f'drop database if exists "{name}" with (force)')

    def version(self) -> str:
        """What the server calls itself, for the report."""
        with self.connect() as conn:
            row = conn.execute("select split_part(version(), ' on ', 1)").fetchone()
        return str(row[0]) if row else "PostgreSQL"

    def settings(self) -> dict[str, str]:
        """The settings every contender ran under, read back from the server."""
        with self.connect() as conn:
            rows = conn.execute(
                "select name, current_setting(name) from pg_settings where name = any(%s)", [list(REPORTED)]
            ).fetchall()
        return {str(name): str(value) for name, value in rows}

    def __enter__(self) -> Cluster:
        postgres.ensure_running(self.server)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        postgres.reset(self.server)
        shutil.rmtree(self.root, ignore_errors=True)


def _copy_grants(conn: psycopg.Connection, source: str, target: str) -> None:
    """Give the copy of a database the rights granted on the original: a copy does not inherit them."""
    query = """select quote_ident(grantee::regrole::text), privilege_type
               from pg_database, aclexplode(datacl) where datname = %s and grantee <> 0"""
    for grantee, privilege in conn.execute(query, [source]).fetchall():
        conn.execute(f'grant {privilege} on database "{target}" to {grantee}')
