"""Operations for the clock and for operators: due work, partitions, invariants, the disk."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from flows.engine.connection import value


def reap(limit: int = 200, *, conn: Any = None) -> dict[str, int]:
    """Process overdue work, leases, timers and pickup deadlines, `limit` of each per flow; return counts."""
    return value(conn, "select wedsql.reap(%s::integer)", (limit,))


def next_due(*, conn: Any = None) -> datetime | None:
    """Return when the next lease or timer is due."""
    return value(conn, "select wedsql.next_due()", ())


def maintain(*, conn: Any = None) -> dict[str, int]:
    """Create the partitions of the coming months; return counts."""
    return value(conn, "select wedsql.maintain()", ())


def check_invariants(limit: int | None = None, *, conn: Any = None) -> datetime | None:
    """Check the invariants and store the result for the pages; return None if a check is running."""
    return value(conn, "select wedsql.check_invariants(%s)", (limit,))


def report_disk(free: int, total: int, *, conn: Any = None) -> None:
    """Report the free bytes of the database's disk; under 5 % no instance is started for five minutes."""
    value(conn, "select wedsql.report_disk(%s::bigint, %s::bigint)", (free, total))


def data_directory(*, conn: Any = None) -> str | None:
    """Return the server's data directory, None if the kernel may not read the setting."""
    return value(conn, "select wedsql.data_directory()", ())
