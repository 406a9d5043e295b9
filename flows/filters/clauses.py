"""Pieces of SQL with their parameters. A value is always a parameter, a name always an identifier."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from psycopg import sql

from flows.filters.conditions import Typed
from flows.filters.values import Ago, Day, Span

# Of an index of business keys; wedsql._key_expression says the same.
KEY_CHARS = 100


@dataclass(frozen=True)
class Clause:
    """A condition in SQL; `state` says whether it reads the alias `f`, the flow's own table."""

    sql: sql.Composable
    params: tuple[Any, ...] = ()
    state: bool = False


def joined(word: str, clauses: list[Clause]) -> Clause:
    """Return the clauses joined by and, or by or."""
    parts = [sql.SQL("({})").format(each.sql) for each in clauses]
    params = tuple(value for each in clauses for value in each.params)
    return Clause(sql.SQL(f" {word} ").join(parts), params, any(each.state for each in clauses))


def any_of(*clauses: Clause) -> Clause:
    """Return a clause that holds if one of these does."""
    return clauses[0] if len(clauses) == 1 else joined("or", list(clauses))


def complement(clause: Clause) -> Clause:
    """Return a clause that holds if this one does not; where this one is unknown, it does not hold either."""
    return Clause(sql.SQL("({}) is not true").format(clause.sql), clause.params, clause.state)


def compared(column: sql.Composable, typed: Typed, *, state: bool = False) -> Clause:
    """Return the comparison of a column with the values of an ordered or exact type."""
    if typed.operator == "!=":
        return complement(compared(column, typed.with_operator("="), state=state))
    if typed.operator == "range":
        low, high = typed.values
        ends = [("<=", high), (">=", low)]
        return joined("and", [_one(column, s, v, typed, state) for s, v in ends if v is not None])
    if typed.operator == "=" and len(typed.values) > 1 and typed.field.kind in ("text", "integer", "numeric"):
        return Clause(sql.SQL("{} = any(%s)").format(column), (list(typed.values),), state)
    return any_of(*(_one(column, typed.operator, each, typed, state) for each in typed.values))


def _one(column: sql.Composable, operator: str, value: Any, typed: Typed, state: bool) -> Clause:
    if isinstance(value, Span | Day) and typed.field.kind == "timestamptz":
        return _with_span(column, operator, value, typed, state)
    shown, params = _single(value, typed)
    return Clause(sql.SQL("{} {} {}").format(column, sql.SQL(operator), shown), params, state)


def _single(value: Any, typed: Typed) -> tuple[sql.Composable, tuple[Any, ...]]:
    """Return a value that is one point, with its parameters."""
    if isinstance(value, Ago):
        return sql.SQL("({} - %s::interval)").format(typed.now), (value.by,)
    if isinstance(value, Day):
        day = sql.SQL("(({} at time zone %s)::date + %s::integer)").format(typed.now)
        return day, (zone_name(typed.zone), value.days)
    return sql.SQL("%s::jsonb" if typed.field.kind == "jsonb" else "%s"), (value,)


def _with_span(column: sql.Composable, operator: str, value: Span | Day, typed: Typed, state: bool) -> Clause:
    """Return the comparison with a part of time: before it, in it, or after it."""
    low, high = _ends(value, typed)
    used = {"<": [("<", low)], "<=": [("<", high)], ">": [(">=", high)], ">=": [(">=", low)]}.get(
        operator, [(">=", low), ("<", high)]
    )
    parts = [sql.SQL("{} {} {}").format(column, sql.SQL(sign), end[0]) for sign, end in used]
    return Clause(sql.SQL(" and ").join(parts), tuple(each for _sign, end in used for each in end[1]), state)


_End = tuple[sql.Composable, tuple[Any, ...]]


def _ends(value: Span | Day, typed: Typed) -> tuple[_End, _End]:
    if isinstance(value, Span):
        return (sql.SQL("%s"), (value.low,)), (sql.SQL("%s"), (value.high,))
    name = zone_name(typed.zone)
    midnight = sql.SQL("((date_trunc('day', {} at time zone %s) + %s::interval) at time zone %s)").format(
        typed.now
    )
    first, after = timedelta(days=value.days), timedelta(days=value.days + 1)
    return (midnight, (name, first, name)), (midnight, (name, after, name))


def zone_name(zone: tzinfo) -> str:
    """Return the name of a zone as PostgreSQL has it; what has no name counts as UTC."""
    return zone.key if isinstance(zone, ZoneInfo) else "UTC"


def equal_text(column: sql.Composable, typed: Typed, *, state: bool = False) -> Clause:
    """Return whether a text is one of the values; by an index of the beginnings of texts."""
    values = [str(each) for each in typed.values]
    start = 'lower("left"({}, 100))'
    wanted = sql.SQL(", ").join([sql.SQL(start.format("%s"))] * len(values))
    clause = sql.SQL(f"{start.format('{}::text')} = any (array[{{}}]) and {{}} = any (%s)")
    if len(values) == 1:
        clause = sql.SQL(f"{start.format('{}::text')} = {{}} and {{}} = %s")
    last = values[0] if len(values) == 1 else values
    return Clause(clause.format(column, wanted, column), (*values, last), state)


def text_clause(column: sql.Composable, typed: Typed, *, state: bool = False) -> Clause:
    """Return whether a text contains the value (~) or begins with it (^), small letters or capital."""
    value = str(typed.values[0])
    if typed.operator == "^":
        found = starts(column, value)
        return Clause(found.sql, found.params, state)
    # position() instead of LIKE, because it has no wildcards to escape.
    return Clause(sql.SQL("position(lower(%s) in lower({}::text)) > 0").format(column), (value,), state)


def starts(column: sql.Composable, value: str, *, whole: bool = False) -> Clause:
    """Return whether a text begins with a value, or with `whole` is equal to it; by the index of a key."""
    short = value[:KEY_CHARS]
    pattern = short.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_") + ("" if whole else "%")
    clause = sql.SQL('lower("left"({}::text, 100)) like lower(%s)').format(column)
    if whole:
        return Clause(sql.SQL("{} and {}::text = %s").format(clause, column), (pattern, value))
    if len(value) <= KEY_CHARS:
        return Clause(clause, (pattern,))
    longer = sql.SQL("{} and starts_with(lower({}::text), lower(%s))").format(clause, column)
    return Clause(longer, (pattern, value))
