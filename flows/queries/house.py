"""How the database is kept: what grows, what lies dead, and what keeps it from being swept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from flows.queries.base import scalar

TABLES = 20
# What is open for longer keeps that which every step leaves behind from being swept.
OPEN_TOO_LONG = timedelta(minutes=5)
MONTHS_AHEAD = 1
QUEUE_USAGE = 0.1
WARNINGS = ("dead_rows", "held_back", "months", "in_default", "queue")


@dataclass(frozen=True)
class Table:
    """A table that every step writes."""

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
    """What keeps vacuum from sweeping the oldest dead rows; `age` None: since nobody knows when."""

    kind: str
    name: str
    age: timedelta | None


@dataclass(frozen=True)
class House:
    """How the database is kept."""

    database_bytes: int
    tables: tuple[Table, ...]
    held: Held | None
    months_ahead: int
    in_default: int
    steps: int
    queue_usage: float

    def warnings(self) -> Iterator[str]:
        """A word for each thing that somebody should look at."""
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
    """How the database is kept now, read from the server's own counters."""
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
