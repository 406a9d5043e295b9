"""SQL of conditions on what happened: the steps of an instance, its path, and how long it took."""

from __future__ import annotations

from collections.abc import Callable

from psycopg import sql

from flows.filters.clauses import Clause, compared, complement
from flows.filters.conditions import Typed
from flows.queries.definitions import FlowInfo

START = "start"
"""The name of the first step where one step follows another."""

# A step that a job wrote. The condition on tstmp excludes the partitions of earlier months.
STEP = (
    "t.wid = i.wid and t.tstmp >= i.started_at - interval '1 day'"
    " and t.job_id is not null and left(t.trw, 1) <> '_'"
)
PATH = "wedsql.path_of(i.wid, i.started_at - interval '1 day')"
_FOLLOWED = (
    f"exists (select from wedsql.wed_trace t join wedsql.wed_trace p on p.wid = t.wid and p.seq = t.cause_seq"
    f" and p.tstmp >= i.started_at - interval '1 day' where {STEP} and t.trw = %s"
    " and case when p.seq = 1 then %s else p.job_id is not null and p.trw = %s end)"
)


# An attempt that failed, as the figures count them (wedsql._is_attempt, which the site may not call).
ATTEMPT = (
    "l.outcome not in ('parked', 'late', 'released', 'given', 'extended', 'transferred', 'offline',"
    " 'withdrawn')"
)


def _clause(statement: str, *params: object) -> Clause:
    # The pattern has no value of a person, and is no format string.
    return Clause(sql.SQL(statement), params)


def _existing(typed: Typed, statement: str, column: str, end: str = "") -> Clause:
    """Return whether a row exists, of one of the transitions that are named, if any is."""
    if typed.operator in ("has", "no"):
        found = _clause(f"exists ({statement}{end})")
        return found if typed.operator == "has" else complement(found)
    return _clause(f"exists ({statement} and {column} = any(%s::text[]){end})", list(typed.values))


def _did(typed: Typed, flow: FlowInfo | None) -> Clause:
    return _existing(typed, f"select from wedsql.wed_trace t where {STEP}", "t.trw")


def _redid(typed: Typed, flow: FlowInfo | None) -> Clause:
    again = " group by t.trw having count(*) > 1"
    return _existing(typed, f"select from wedsql.wed_trace t where {STEP}", "t.trw", again)


def _failed(typed: Typed, flow: FlowInfo | None) -> Clause:
    return _existing(typed, f"select from wedsql.job_log l where l.wid = i.wid and {ATTEMPT}", "l.trname")


def _error_group(typed: Typed, flow: FlowInfo | None) -> Clause:
    """Return whether an attempt failed with one of these errors, of those that the figures have counted."""
    behind = "i.wid in (select e.wid from wedsql.failure_instance e where e.failure_id = any (%s::bigint[]))"
    found = _clause(behind, list(typed.values))
    return found if typed.operator == "=" else complement(found)


def _path(typed: Typed, flow: FlowInfo | None) -> Clause:
    if typed.operator in ("has", "no"):
        return _clause(f"{PATH} {'<>' if typed.operator == 'has' else '='} ''")
    found = _clause(f"{PATH} = any(%s::text[])", list(typed.values))
    return found if typed.operator == "=" else complement(found)


def _followed(typed: Typed, flow: FlowInfo | None) -> Clause:
    """Return whether a step of the second transition was fired by one of the first."""
    clauses = []
    for each in typed.values:
        source, _sign, target = str(each).partition(" > ")
        clauses.append(_clause(_FOLLOWED, target, source == START, source))
    parts = [each.sql for each in clauses]
    return Clause(sql.SQL(" or ").join(parts), tuple(value for each in clauses for value in each.params))


# A step by which an instance became an exception.
_EXCEPTED = (
    "select from wedsql.wed_trace t where t.wid = i.wid and t.tstmp >= i.started_at - interval '1 day'"
    " and t.status = 'E' and not exists (select from wedsql.wed_trace p where p.wid = t.wid"
    " and p.seq = t.seq - 1 and p.status = 'E')"
)


def _excepted(typed: Typed, flow: FlowInfo | None) -> Clause:
    if typed.operator in ("has", "no"):
        found = _clause(f"exists ({_EXCEPTED})")
        return found if typed.operator == "has" else complement(found)
    when = compared(sql.Identifier("t", "tstmp"), typed)
    return Clause(sql.SQL("exists ({} and {})").format(sql.SQL(_EXCEPTED), when.sql), when.params)


def _took(typed: Typed, flow: FlowInfo | None) -> Clause:
    """Return how long an instance took that has ended."""
    if typed.operator == "range":
        used = [(">=", typed.values[0]), ("<=", typed.values[1])]
    else:
        used = [(typed.operator, typed.values[0])]
    used = [(sign, value) for sign, value in used if value is not None]
    parts = [f"i.finished_at - i.started_at {sign} %s::interval" for sign, _value in used]
    return _clause(f"({' and '.join(parts)})", *(value for _sign, value in used))


HAPPENED: dict[str, Callable[[Typed, FlowInfo | None], Clause]] = {
    "did": _did, "redid": _redid, "failed": _failed, "path": _path, "followed": _followed, "took": _took,
    "error.group": _error_group, "excepted": _excepted,
}  # fmt: skip
