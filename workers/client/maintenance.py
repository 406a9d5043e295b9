"""Calls for the next due time and for run times of handlers, as in flows.engine.maintenance."""

from __future__ import annotations

from workers.client.statement import Command, Statement

_DUE = Statement("wed_due", "select extract(epoch from wedsql.next_due() - wedsql.now())::float8")
_TIMES = Statement("wed_times", "select wedsql.count_times($1::text, $2::jsonb)")


def next_due() -> Command:
    """Return the call that answers the seconds until the next lease or timer is due; null: none."""
    return _DUE, ()


def count_times(flow: str, times: str) -> Command:
    """Return the call that records how long a flow's handlers ran and its jobs waited, as JSON."""
    return _TIMES, (flow.encode(), times.encode())
