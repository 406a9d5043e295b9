"""Cases in filters, over the alias `c` of wedsql.repair_case."""

from __future__ import annotations

_OF_INSTANCE = "exists (select from wedsql.repair_case c where c.wid = i.wid and c.closed_at is {} null and ("
OPEN = _OF_INSTANCE.format("") + "{}))"
CLOSED = _OF_INSTANCE.format("not") + "{}))"
# A claim that is over no longer counts; the kernel knows which repair is proposed.
COLUMNS = {
    "case.number": "c.number",
    "case.state": "wedsql.case_state(c.number)",
    "case.cause": "c.cause",
    "case.queue": "c.queue",
    "case.holder": "case when coalesce(c.lease_until, c.waits_until) > (select wedsql.now())"
    " then nullif(c.owner, '') end",
    "case.severity": "c.severity",
    "case.priority": "c.priority",
    "case.due": "nullif(c.due_at, 'infinity')",
    "case.opened": "c.opened_at",
    "case.closed": "c.closed_at",
}
