"""SQL of conditions on tasks, over the alias `t` of wedsql.task.

In a list of instances a condition is met where an open task of the instance meets it.
"""

from __future__ import annotations

from dataclasses import replace

from psycopg import sql

from flows.filters.clauses import Clause, compared, complement, text_clause
from flows.filters.conditions import Typed

# An open task of an instance; the comments of the table say what the columns are.
_OPEN = "exists (select from wedsql.task t where t.wid = i.wid and t.ended_at is null and ({}))"
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


def render(typed: Typed) -> Clause:
    """Return a condition on a task, or on the tasks of an instance, as SQL."""
    if typed.operator in ("!=", "no"):
        return complement(render(typed.with_operator("=" if typed.operator == "!=" else "has")))
    found = _named(typed) if typed.field.name == "task.name" else _column(typed)
    return found if typed.of == "tasks" else replace(found, sql=sql.SQL(_OPEN).format(found.sql))


def _named(typed: Typed) -> Clause:
    """Return a condition on the name of a task: that of its transition, or its label."""
    if typed.operator == "~":
        return text_clause(sql.SQL(_LABEL), typed)
    names = list(typed.values)
    return Clause(sql.SQL(_NAMED), (names, names))


def _column(typed: Typed) -> Clause:
    column = sql.SQL(COLUMNS[typed.field.name])
    if typed.operator == "has":
        return Clause(sql.SQL("({}) is not null").format(column))
    return compared(sql.SQL("({})").format(column), typed)
