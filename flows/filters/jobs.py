"""SQL of conditions on jobs, over the alias `j` of wedsql.job_pool.

In a list of instances a condition is met where a job of the instance meets it.
"""

from __future__ import annotations

from dataclasses import replace

from psycopg import sql

from flows.filters.clauses import Clause, compared, complement, text_clause
from flows.filters.conditions import Typed

# What waits for the repair of an exception is no job for a worker. Texts of errors are no part, as they may
# quote values that the person who asks may not see.
_OF_INSTANCE = "exists (select from wedsql.job_pool j where j.wid = i.wid and j.tgid <> 0 and ({}))"
COLUMNS = {
    "job.transition": "j.trname",
    "job.priority": "j.priority",
    "job.attempts": "j.attempts",
    "job.fired": "j.fired_at",
    "job.next": "j.not_before",
    "job.worker": "case when j.state = 'L' then nullif(j.lckid, '') end",
    "job.assigned": "nullif(j.assigned_to, '')",
}


def render(typed: Typed) -> Clause:
    """Return a condition on a job, or on the jobs of an instance, as SQL."""
    if typed.operator in ("!=", "no"):
        return complement(render(typed.with_operator("=" if typed.operator == "!=" else "has")))
    found = _column(typed)
    return found if typed.of == "jobs" else replace(found, sql=sql.SQL(_OF_INSTANCE).format(found.sql))


def _column(typed: Typed) -> Clause:
    column = sql.SQL("({})").format(sql.SQL(COLUMNS[typed.field.name]))
    if typed.operator == "has":
        return Clause(sql.SQL("{} is not null").format(column))
    return text_clause(column, typed) if typed.operator == "~" else compared(column, typed)
