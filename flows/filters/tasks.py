"""Tasks in filters, over the alias `t` of wedsql.task."""

from __future__ import annotations

from psycopg import sql

from flows.filters.clauses import Clause, text_clause
from flows.filters.conditions import Typed

# An open task of an instance; the comments of the table say what the columns are.
OF_INSTANCE = "exists (select from wedsql.task t where t.wid = i.wid and t.ended_at is null and ({}))"
_LABEL = "(select coalesce(nullif(g.label, ''), g.trname) from wedsql.trig g where g.tgid = t.tgid)"
_NAMED = (
    "exists (select from wedsql.trig g where g.tgid = t.tgid and (g.trname = any(%s) or g.label = any(%s)))"
)
COLUMNS = {
    "task.role": "case left(t.audience, 2) when 'r:' then substr(t.audience, 3)"
    " when 'n:' then regexp_replace(t.audience, '^n:[0-9]+:', '') end",
    "task.holder": "t.owner",
    "task.priority": "(- t.rank)",
    "task.due": "nullif(t.due_at, 'infinity')",
    "task.arrived": "t.arrived_at",
    "task.size": "t.size",
}


def named(typed: Typed) -> Clause:
    """Return a condition on the name of a task: that of its transition, or its label."""
    if typed.operator == "~":
        return text_clause(sql.SQL(_LABEL), typed)
    names = list(typed.values)
    return Clause(sql.SQL(_NAMED), (names, names))
