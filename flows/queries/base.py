"""Helpers for all queries of pages: a snapshot with a time limit, and statements that return dictionaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from psycopg import sql

from flows import json_text

Params = Sequence[Any] | Mapping[str, Any]
Row = dict[str, Any]

PAGE_TIMEOUT_MS = 5_000
_JSON = (114, 3802)


_NOW = "select wedsql.now() as at"


@contextmanager
def snapshot(timeout_ms: int | None = None) -> Iterator[None]:
    """Run the block's queries in one read-only snapshot with a statement timeout of `timeout_ms`.

    Inside another transaction only the timeout is set. Raises django.db.OperationalError (SQLSTATE 57014) if
    a query takes longer.
    """
    begin = _beginning(timeout_ms)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(begin)
        yield


@contextmanager
def dated_snapshot(timeout_ms: int | None = None) -> Iterator[datetime]:
    """Run the block as `snapshot` does, and yield the present time of the kernel, read with its beginning."""
    begin = _beginning(timeout_ms)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"{begin}; {_NOW}")
            while cursor.nextset():
                pass
            (at,) = cursor.fetchone()
        yield at


def _beginning(timeout_ms: int | None) -> str:
    isolation = "set transaction isolation level repeatable read read only; "
    limit = PAGE_TIMEOUT_MS if timeout_ms is None else timeout_ms
    return f"{'' if connection.in_atomic_block else isolation}set local statement_timeout = {limit:d}"


def rows(statement: str | sql.Composable, params: Params = ()) -> list[Row]:
    """Return all rows of one statement as dictionaries; values must be passed as parameters."""
    with connection.cursor() as cursor:
        _execute(cursor, statement, params)
        return _fetched(cursor)


def several(*statements: tuple[str, Sequence[Any]]) -> list[list[Row]]:
    """Return the rows of each of some statements with their parameters, which are sent together."""
    with connection.cursor() as cursor:
        text = "; ".join(statement for statement, _params in statements)
        _execute(cursor, text, [each for _statement, params in statements for each in params])
        found = [_fetched(cursor)]
        while cursor.nextset():
            found.append(_fetched(cursor))
    return found


def _fetched(cursor: CursorWrapper) -> list[Row]:
    """Return the rows of the statement that a cursor has run."""
    result = cursor.pgresult  # whose names are read quicker than the descriptions of the columns
    columns = range(result.nfields)
    names = [result.fname(column).decode() for column in columns]
    found = [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]
    # Django's connections return JSON as text, which its JSONField parses; these rows have no field.
    for name in [names[column] for column in columns if result.ftype(column) in _JSON]:
        for each in found:
            each[name] = None if each[name] is None else json_text.decode(each[name])
    return found


def row(statement: str | sql.Composable, params: Params = ()) -> Row | None:
    """Return the first row of one statement, or None."""
    found = rows(statement, params)
    return found[0] if found else None


def scalar(statement: str | sql.Composable, params: Params = ()) -> Any:
    """Return the first column of the first row, or None."""
    found = row(statement, params)
    return next(iter(found.values())) if found else None


def now() -> datetime:
    """Return the present time of the kernel."""
    at: datetime = scalar(_NOW)
    return at


def _execute(cursor: CursorWrapper, statement: str | sql.Composable, params: Params) -> None:
    # With None instead of an empty sequence, a literal % is not read as a placeholder.
    if params and isinstance(statement, sql.Composable):
        statement = _with_percents(statement)
    cursor.execute(statement, params or None)


def _with_percents(part: sql.Composable) -> sql.Composable:
    """Return a part of a statement with parameters, in which % in a name or value is not one of them.

    psycopg 3.3.9 does not double it, as its placeholders need.
    """
    if isinstance(part, sql.Composed):
        return sql.Composed([_with_percents(each) for each in part])
    if isinstance(part, (sql.Identifier, sql.Literal)):
        return sql.SQL(part.as_string(None).replace("%", "%%"))
    return part
