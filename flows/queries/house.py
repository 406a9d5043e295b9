"""Storage of the database: sizes, dead rows, and what holds back vacuum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from flows.queries.base import scalar

TABLES = 20
# A transaction open for longer lets dead rows accumulate, because every step leaves some.
OPEN_TOO_LONG = timedelta(minutes=5)
MONTHS_AHEAD = 1
QUEUE_USAGE = 0.1
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
class Held:
    """What keeps vacuum from removing the oldest dead rows; `age` is None if it is unknown."""

    kind: str
    name: str
    age: timedelta | None


@dataclass(frozen=True)
class House:
    """The state of the database's storage."""

    database_bytes: int
    tables: tuple[Table, ...]
    held: Held | None
    months_ahead: int
    in_default: int
    steps: int
    queue_usage: float

    def warnings(self) -> Iterator[str]:
        """Yield the names (of WARNINGS) of the values that need attention."""
        if any(table.over for table in self.tables):
            yield "dead_rows"
        if self.held and (self.held.age is None or self.held.age > OPEN_TOO_LONG):
            yield "held_back"
        if self.months_ahead < MONTHS_AHEAD:
            yield "months"
        if self.in_default:
            yield "in_default"
        if self.queue_usage > QUEUE_USAGE:
            yield "queue"


def house() -> House:
    """Return the current state of the storage, from the server's statistics."""
    found = scalar("select wedsql.housekeeping(%s)", [TABLES])
    return House(
        database_bytes=found["database_bytes"],
        tables=tuple(_table(one) for one in found["tables"]),
        held=_held(found["held_back"]),
        months_ahead=found["months_ahead"],
        in_default=found["in_default"],
        steps=found["steps"],
        queue_usage=float(scalar("select pg_catalog.pg_notification_queue_usage()")),
    )


def _table(found: dict[str, Any]) -> Table:
    at = found["vacuumed_at"]
    return Table(**{**found, "vacuumed_at": datetime.fromisoformat(at) if at else None})


def _held(found: dict[str, Any] | None) -> Held | None:
    if found is None:
        return None
    seconds = found["seconds"]
    return Held(found["kind"], found["name"], None if seconds is None else timedelta(seconds=seconds))
