"""Checks of the times in a definition: those that are over, and calendars that do not exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from flows.definition.lint import Finding
from flows.definition.lint.findings import identity
from flows.engine.connection import rows


def times(flow: str, definition: Mapping[str, Any], conn: Any) -> Iterator[Finding]:
    """Return the times at which no instance starts any more, and the calendar that the flow does not have."""
    starts, calendar = list(definition.get("start_at") or ()), definition.get("task_calendar")
    over = rows(conn, "select unnest(wedsql.past_start_times(%s::text[]))", (starts,)) if starts else []
    for (entry,) in over:
        message = _("{time} is over: no instance starts at this time.").format(time=entry)
        yield Finding(identity("over", entry), "over", "warning", "observed", ("start_at",), message)
    if calendar and str(calendar) not in _calendars(flow, conn):
        message = _("The flow has no calendar {name}.").format(name=calendar)
        hint = _("Until it has one, deadlines count all the time, by night as well.")
        path = ("task_calendar",)
        yield Finding(
            identity("no_calendar", str(calendar)), "no_calendar", "warning", "observed", path, message, hint
        )


def _calendars(flow: str, conn: Any) -> set[str]:
    query = "select c.name from wedsql.calendar c join wedsql.flow f on f.id = c.flow_id where f.name = %s"
    return {str(name) for (name,) in rows(conn, query, (flow,))}
