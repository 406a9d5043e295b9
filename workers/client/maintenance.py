"""What falls due next, and how long handlers took; flows.api.maintenance."""

from __future__ import annotations

from workers.client.statement import Command, Statement

_DUE = Statement("wed_due", "select extract(epoch from wedsql.next_due() - wedsql.now())::float8")
_TIMES = Statement("wed_times", "select wedsql.count_times($1::text, $2::jsonb)")


def next_due() -> Command:
    """When the next lease or timer falls due; answers the seconds until then, null when there is none."""
    return _DUE, ()


def count_times(flow: str, times: str) -> Command:
    """Count how long the handlers of a flow ran and their jobs waited, as JSON."""
    return _TIMES, (flow.encode(), times.encode())
