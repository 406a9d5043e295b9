"""SQL of conditions on what belongs to an instance: its tasks, cases, jobs and approvals, alerts of its flow.

A list of these is filtered by the same conditions. In a list of instances one is met where it holds for any
of those that the instance has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from psycopg import sql

from flows.filters import alerts, approvals, cases, jobs, tasks
from flows.filters.clauses import Clause, compared, complement, text_clause
from flows.filters.conditions import Typed


@dataclass(frozen=True)
class Related:
    """A kind of things: the SQL of each field; which of them an instance has, with `{}` for a condition.

    `ended` is the same for those that are over, which the fields of `of_ended` are about. `special` renders
    fields that are not a column.
    """

    of: str
    columns: Mapping[str, str]
    of_instance: str
    ended: str = ""
    of_ended: tuple[str, ...] = ()
    special: Mapping[str, Callable[[Typed], Clause]] | None = None


KINDS = (
    Related("tasks", tasks.COLUMNS, tasks.OF_INSTANCE, special={"task.name": tasks.named}),
    Related("cases", cases.COLUMNS, cases.OPEN, cases.CLOSED, ("case.closed",)),
    Related("jobs", jobs.COLUMNS, jobs.OF_INSTANCE),
    Related("approvals", approvals.COLUMNS, approvals.OPEN, approvals.CLOSED, ("approval.decided",)),
    Related("alerts", alerts.COLUMNS, alerts.OF_INSTANCE),
)
OF: Mapping[str, Related] = {name: kind for kind in KINDS for name in (*kind.columns, *(kind.special or ()))}
"""The kind that each field is of."""


def render(typed: Typed) -> Clause:
    """Return a condition on a thing, or on those of an instance, as SQL."""
    if typed.operator in ("!=", "no"):
        return complement(render(typed.with_operator("=" if typed.operator == "!=" else "has")))
    name, kind = typed.field.name, OF[typed.field.name]
    special = (kind.special or {}).get(name)
    found = special(typed) if special else _column(typed, kind.columns[name])
    if typed.of == kind.of:
        return found
    shell = kind.ended if name in kind.of_ended else kind.of_instance
    return replace(found, sql=sql.SQL(shell).format(found.sql))


def _column(typed: Typed, text: str) -> Clause:
    column = sql.SQL("({})").format(sql.SQL(text))
    if typed.operator == "has":
        return Clause(sql.SQL("{} is not null").format(column))
    return text_clause(column, typed) if typed.operator in ("~", "^") else compared(column, typed)
