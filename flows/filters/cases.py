"""SQL of conditions on cases, over the alias `c` of wedsql.repair_case.

In a list of instances a condition is met where the open case of the instance meets it, or, if it is about the
end of a case, a closed one.
"""

from __future__ import annotations

from dataclasses import replace

from psycopg import sql

from flows.filters.clauses import Clause, compared, complement, text_clause
from flows.filters.conditions import Typed

_OF_INSTANCE = (
    "exists (select from wedsql.repair_case c where c.wid = i.wid and c.closed_at is {} null and ({}))"
)
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


def render(typed: Typed) -> Clause:
    """Return a condition on a case, or on the cases of an instance, as SQL."""
    if typed.operator in ("!=", "no"):
        return complement(render(typed.with_operator("=" if typed.operator == "!=" else "has")))
    found = _column(typed)
    if typed.of == "cases":
        return found
    ended = sql.SQL("not" if typed.field.name == "case.closed" else "")
    return replace(found, sql=sql.SQL(_OF_INSTANCE).format(ended, found.sql))


def _column(typed: Typed) -> Clause:
    column = sql.SQL("({})").format(sql.SQL(COLUMNS[typed.field.name]))
    if typed.operator == "has":
        return Clause(sql.SQL("{} is not null").format(column))
    return text_clause(column, typed) if typed.operator == "~" else compared(column, typed)
