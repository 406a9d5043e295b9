"""Looks at values that are masked or hidden, and who changed what: for auditors."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from flows.statements import JSON, read_as, rows, value

MOST_ATTRIBUTES = 50
LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class Look:
    """Values that a user was shown; `wid` is None for a list, `instances` None if they were not counted.

    `way`: page, file, http, live or command. `reason` is "" where the role of the user shows all values.
    """

    id: int
    at: datetime
    flow: str
    wid: int | None
    attributes: Sequence[str]
    actor: str
    way: str
    reason: str
    address: str
    instances: int | None


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks, and by which way; `hidden`: also at hidden values. `flows`: where; None for all."""

    actor: str
    way: str = "page"
    hidden: bool = False
    flows: Collection[str] | None = None
    address: str = ""


@dataclass(frozen=True, slots=True)
class Revealed:
    """A look that was recorded, with the values."""

    id: int
    at: datetime
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """A step that a person caused; `attributes` are the names of those that got other values."""

    at: datetime
    wid: int
    seq: int
    done: str
    actor: str
    reason: str
    attributes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Asked:
    """What selects looks and changes; each part may be left out."""

    actor: str = ""
    wid: int | None = None
    attribute: str = ""
    since: datetime | None = None
    until: datetime | None = None

    @property
    def parts(self) -> dict[str, Any]:
        """Return the parts that are given, for the kernel."""
        times = {"since": self.since, "until": self.until}
        named = {"actor": self.actor, "wid": self.wid, "attribute": self.attribute}
        found = named | {name: each.isoformat() for name, each in times.items() if each}
        return {name: each for name, each in found.items() if each not in ("", None)}


EVERY = Asked()


@dataclass(frozen=True, slots=True)
class Shown:
    """What a user was shown by the rights of a role; `wid` is None for a list."""

    flow: str
    actor: str
    way: str
    address: str = ""
    wid: int | None = None
    instances: int | None = None


def look_at(
    wid: int, attributes: Sequence[str], reason: str, viewer: Viewer, *, conn: Any = None
) -> Revealed:
    """Record a look at masked values of an instance, and return them.

    Raises BadLook, and UnknownInstance also for an instance of a flow that is not in `viewer.flows`.
    """
    call = "select wedsql.look_at(%s::integer, %s::text[], %s, %s, %s, %s, %s::text[], %s)"
    flows = None if viewer.flows is None else list(viewer.flows)
    who = (viewer.actor, viewer.way, viewer.hidden, flows, viewer.address)
    return read_as(Revealed, value(conn, call, (wid, list(attributes), reason, *who)))


def record_look(shown: Shown, again: timedelta | None = None, *, conn: Any = None) -> int | None:
    """Record what a user was shown, and return the number of the look.

    Return None if the flow conceals nothing, or the same was recorded less than `again` ago.
    """
    call = "select wedsql.record_look(%s, %s::integer, %s, %s, %s, %s::bigint, %s::interval)"
    given = (shown.flow, shown.wid, shown.actor, shown.way, shown.address, shown.instances, again)
    found: int | None = value(conn, call, given)
    return found


def list_looks(
    flow: str, asked: Asked = EVERY, *, before: int | None = None, limit: int = 50, conn: Any = None
) -> list[Look]:
    """Return looks at values of a flow, the newest first, those before the number `before`."""
    call = "select * from wedsql.list_looks(%s, %s, %s::bigint, %s)"
    return [read_as(Look, each) for (each,) in rows(conn, call, (flow, JSON(asked.parts), before, limit))]


def list_changes(
    flow: str, asked: Asked = EVERY, *, before: Change | None = None, limit: int = 50, conn: Any = None
) -> list[Change]:
    """Return the steps that people caused in a flow, the newest first, those before `before`."""
    key = before and JSON({"at": before.at.isoformat(), "wid": before.wid, "seq": before.seq})
    call = "select * from wedsql.list_changes(%s, %s, %s::jsonb, %s)"
    return [read_as(Change, each) for (each,) in rows(conn, call, (flow, JSON(asked.parts), key, limit))]
