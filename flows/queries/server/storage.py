"""Storage of the database: sizes, dead rows, and what holds back vacuum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from flows.queries.base import scalar

MAX_TABLES = 20
# A transaction open for longer lets dead rows accumulate, because every step leaves some.
MAX_TRANSACTION_AGE = timedelta(minutes=5)
MIN_MONTHS_AHEAD = 1
MAX_QUEUE_USAGE = 0.1
WARNINGS = ("dead_rows", "held_back", "months", "in_default", "queue")


@dataclass(frozen=True)
class Table:
    """A table that every step writes; vacuum normally runs long before `dead_limit`."""

    name: str
    live: int
    dead: int
    dead_limit: int
    bytes: int
    vacuumed_at: datetime | None

    @property
    def over(self) -> bool:
        return self.dead > self.dead_limit


@dataclass(frozen=True)
class VacuumBlocker:
    """What keeps vacuum from removing the oldest dead rows; `age` is None if it is unknown."""

    kind: str
    name: str
    age: timedelta | None


@dataclass(frozen=True)
class StorageStatus:
    """The state of the database's storage."""

    database_bytes: int
    tables: tuple[Table, ...]
    vacuum_blocker: VacuumBlocker | None
    months_ahead: int
    in_default: int
    steps: int
    queue_usage: float

    def warnings(self) -> Iterator[str]:
        """Yield the names (of WARNINGS) of the values that need attention."""
        if any(table.over for table in self.tables):
            yield "dead_rows"
        blocker = self.vacuum_blocker
        if blocker and (blocker.age is None or blocker.age > MAX_TRANSACTION_AGE):
            yield "held_back"
        if self.months_ahead < MIN_MONTHS_AHEAD:
            yield "months"
        if self.in_default:
            yield "in_default"
        if self.queue_usage > MAX_QUEUE_USAGE:
            yield "queue"


def storage_status() -> StorageStatus:
    """Return the current state of the storage, from the server's statistics."""
    found = scalar("select wedsql.housekeeping(%s)", [MAX_TABLES])
    return StorageStatus(
        database_bytes=found["database_bytes"],
        tables=tuple(_table(one) for one in found["tables"]),
        vacuum_blocker=_vacuum_blocker(found["held_back"]),
        months_ahead=found["months_ahead"],
        in_default=found["in_default"],
        steps=found["steps"],
        queue_usage=float(scalar("select pg_catalog.pg_notification_queue_usage()")),
    )


def _table(found: dict[str, Any]) -> Table:
    at = found["vacuumed_at"]
    return Table(**{**found, "vacuumed_at": datetime.fromisoformat(at) if at else None})


def _vacuum_blocker(found: dict[str, Any] | None) -> VacuumBlocker | None:
    if found is None:
        return None
    seconds = found["seconds"]
    age = None if seconds is None else timedelta(seconds=float(seconds))
    return VacuumBlocker(found["kind"], found["name"], age)
