"""Operations that need a clock or an operator: due work, partitions, invariants, the disk."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from flows.api.connection import value


def reap(limit: int = 200, *, conn: Any = None) -> dict[str, int]:
    """Do one bounded round of what time does (overdue work, leases, timers, pickup deadlines); counts."""
    return value(conn, "select wedsql.reap(%s::integer)", (limit,))


def next_due(*, conn: Any = None) -> datetime | None:
    """Tell when the next lease or timer falls due."""
    return value(conn, "select wedsql.next_due()", ())


def maintain(*, conn: Any = None) -> dict[str, int]:
    """Make the partitions of the months ahead; counts."""
    return value(conn, "select wedsql.maintain()", ())


def check_invariants(limit: int | None = None, *, conn: Any = None) -> datetime | None:
    """Check the eight invariants, keep what was found for the pages; None while somebody else checks."""
    return value(conn, "select wedsql.check_invariants(%s)", (limit,))


def report_disk(free: int, total: int, *, conn: Any = None) -> None:
    """Say how many bytes of the database's disk are free; under 5 % nothing is started for five minutes."""
    value(conn, "select wedsql.report_disk(%s::bigint, %s::bigint)", (free, total))


def data_directory(*, conn: Any = None) -> str | None:
    """Where the server keeps its files, None when the kernel may not know."""
    return value(conn, "select wedsql.data_directory()", ())
