"""Changes of controls: of rules, webhooks, visibility, keys, users and rights; for auditors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.statements import JSON, read_as, rows


@dataclass(frozen=True, slots=True)
class ControlChange:
    """What one transaction changed of one thing; `before` is None if it is new, `after` if it was deleted.

    `control` is the name of a table, `item` the key in it; `flow` is "" if it concerns no single flow. `role`
    is the database role that had logged in.
    """

    id: int
    at: datetime
    control: str
    item: str
    flow: str
    actor: str
    role: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None

    @property
    def different(self) -> list[str]:
        """Return the names of the values that are not what they were."""
        old, new = self.before or {}, self.after or {}
        return [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]


@dataclass(frozen=True, slots=True)
class AskedControls:
    """What selects changes of controls; each part may be left out."""

    flow: str = ""
    control: str = ""
    actor: str = ""
    since: datetime | None = None
    until: datetime | None = None

    @property
    def parts(self) -> dict[str, str]:
        """Return the parts that are given, for the kernel."""
        times = {"since": self.since, "until": self.until}
        named = {"flow": self.flow, "control": self.control, "actor": self.actor}
        found = named | {name: each.isoformat() for name, each in times.items() if each}
        return {name: each for name, each in found.items() if each}


EVERY_CONTROL = AskedControls()


def list_control_changes(
    asked: AskedControls = EVERY_CONTROL, *, before: int | None = None, limit: int = 50, conn: Any = None
) -> list[ControlChange]:
    """Return changes of controls, the newest first, those before the number `before`.

    They concern all flows: whoever calls this may see every flow.
    """
    call = "select wedsql.list_control_changes(%s::jsonb, %s::bigint, %s)"
    return [read_as(ControlChange, each) for (each,) in rows(conn, call, (JSON(asked.parts), before, limit))]


def controls(*, conn: Any = None) -> list[str]:
    """Return the names of the tables whose changes are recorded."""
    return [name for (name,) in rows(conn, "select name from wedsql.list_controls()", ())]
