"""A private PostgreSQL for one benchmark run, in a temporary directory that is removed at the end."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from types import TracebackType

import psycopg

from wedsql_site import postgres
from wedsql_site.postgres import account, binaries

# On top of the product's own configuration, and the same for every contender. Durability stays as delivered
# (fsync and synchronous_commit on); the WAL limits only prevent that a checkpoint falls into the measurement
# of one contender and not into another's.
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
    """A running server, as a context manager that stops and removes it."""

    def __init__(self, settings: dict[str, str] | None = None) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="wedbench-"))
        self.root.chmod(0o755)  # the server's own user needs access
        self.server = postgres.Cluster(self.root / "postgres", settings=SETTINGS | (settings or {}))
        self.bindir = binaries.reachable(binaries.find(), account.current())

    def dsn(self, database: str = "postgres", user: str = postgres.SUPERUSER) -> str:
        """Return a URI that libpq, asyncpg and SQLAlchemy all accept."""
        return self.server.dsn(user, database)

    def connect(self, database: str = "postgres") -> psycopg.Connection:
        """Return an autocommit connection as superuser."""
        return psycopg.connect(self.dsn(database), autocommit=True)

    def create_database(self, name: str, template: str | None = None) -> str:
        """Create a database, replacing one of that name, from a template if given; return its DSN."""
        with self.connect() as conn:
            conn.execute(f'drop database if exists "{name}" with (force)')
            conn.execute(f'create database "{name}"' + (f' template "{template}"' if template else ""))
            if template:
                _copy_grants(conn, template, name)
        return self.dsn(name)

    def drop_database(self, name: str) -> None:
        """Drop a database and end its connections."""
        with self.connect() as conn:
            conn.execute(f'drop database if exists "{name}" with (force)')

    def version(self) -> str:
        """Return the server's version, for the report."""
        with self.connect() as conn:
            row = conn.execute("select split_part(version(), ' on ', 1)").fetchone()
        return str(row[0]) if row else "PostgreSQL"

    def settings(self) -> dict[str, str]:
        """Return the settings every contender ran under, as the server reports them."""
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
    """Grant on a copy what was granted on the original: `create database` does not copy grants."""
    query = """select quote_ident(grantee::regrole::text), privilege_type
               from pg_database, aclexplode(datacl) where datname = %s and grantee <> 0"""
    for grantee, privilege in conn.execute(query, [source]).fetchall():
        conn.execute(f'grant {privilege} on database "{target}" to {grantee}')
