"""A private PostgreSQL for one benchmark run, in a temporary directory that is removed at the end."""

from __future__ import annotations

from typing import Any

import psycopg

from testkit import kernel_db
from testkit.server import Server, new_directory
from wedsql_site.postgres import SUPERUSER, account, binaries

# On top of the product's own configuration, and the same for every contender. Durability stays as delivered
# (fsync and synchronous_commit on); the WAL limits only prevent that a checkpoint falls into the measurement
# of one contender and not into another's.
SETTINGS = {
    "shared_buffers": "512MB",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "30min",
    "track_functions": "none",
}
REPORTED = [
    "fsync", "synchronous_commit", "full_page_writes", "wal_compression", "shared_buffers", "max_wal_size",
    "checkpoint_timeout", "max_connections", "jit", "autovacuum", "autovacuum_naptime",
]  # fmt: skip


def scalar(conn: psycopg.Connection, query: str, *values: object) -> Any:
    """Return the single value that a query yields; 0 when it yields none."""
    row = conn.execute(query, values or None).fetchone()
    return row[0] if row else 0


class Cluster(Server):
    """A running server whose databases are made from templates."""

    def __init__(self) -> None:
        super().__init__(new_directory("wedbench-"), SETTINGS)
        self.bindir = binaries.reachable(binaries.find(), account.current())

    def uri(self, database: str, user: str = SUPERUSER) -> str:
        """Return a URI that libpq, asyncpg and SQLAlchemy all accept."""
        return self.cluster.dsn(user, database)

    def session(self, database: str = "postgres") -> psycopg.Connection:
        """Return an autocommit connection as superuser."""
        return psycopg.connect(self.uri(database), autocommit=True)

    def create_database(self, name: str, template: str = "") -> str:
        """Create a database, replacing one of that name, from a template if given; return its URI."""
        with self.session() as conn:
            kernel_db.create(conn, name, template)
        return self.uri(name)

    def version(self) -> str:
        """Return the server's version, for the report."""
        with self.session() as conn:
            return str(scalar(conn, "select split_part(version(), ' on ', 1)"))

    def settings(self) -> dict[str, str]:
        """Return the settings every contender ran under, as the server reports them."""
        query = "select name, current_setting(name) from pg_settings where name = any(%s)"
        with self.session() as conn:
            return dict(conn.execute(query, [REPORTED]).fetchall())
