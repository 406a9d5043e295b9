"""Operations for the clock and for operators: due work, partitions, invariants, the disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.engine.connection import read_as, rows, value


@dataclass(frozen=True, slots=True)
class Request:
    """What a person has asked for: `kind` is "bulk" or "publication", `operation` what is done in `flows`."""

    kind: str
    number: int
    person: str
    operation: str
    flows: Sequence[str]


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


def standing_requests(*, conn: Any = None) -> list[Request]:
    """Return the requests of persons that are about to happen: operations on many, due publications."""
    return [read_as(Request, found) for (found,) in rows(conn, "select wedsql.standing_requests()", ())]


def end_request(kind: str, number: int, person: str, *, conn: Any = None) -> bool:
    """End what a person has asked for who may no longer do it; return whether it was waiting."""
    return bool(value(conn, "select wedsql.end_request(%s, %s, %s)", (kind, number, person)))


def report_disk(free: int, total: int, *, conn: Any = None) -> None:
    """Report the free bytes of the database's disk; under 5 % no instance is started for five minutes."""
    value(conn, "select wedsql.report_disk(%s::bigint, %s::bigint)", (free, total))


def data_directory(*, conn: Any = None) -> str | None:
    """Return the server's data directory, None if the kernel may not read the setting."""
    return value(conn, "select wedsql.data_directory()", ())
