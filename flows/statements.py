"""Runs one statement on Django's default connection or on a psycopg connection, with plain Python values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from psycopg.pq import TransactionStatus
from psycopg.sql import Composable
from psycopg.types.json import Jsonb, JsonbLoader

from flows import json_text, replication
from flows.database_errors import error_for, translated
from flows.errors import BadDefinition, WedError, WrongType

if TYPE_CHECKING:
    from psycopg.abc import AdaptContext, Buffer

State = Mapping[str, Any]
_LARGE = 2_000  # bytes of JSON text
_T = TypeVar("_T")


def to_json(state: Any) -> str:
    """Return a state as JSON; dates and intervals become texts that PostgreSQL can parse."""
    try:
        text = json_text.encode(state, _plain, allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise BadDefinition(f"The state cannot be written as JSON: {error}.") from error
    if "\\u0000" in text and _has_nul(state):
        raise WrongType("A text with the character NUL cannot be stored.", hint="Remove the character.")
    return text


def _has_nul(value: Any) -> bool:
    """Return whether a text in a value, which may be nested deeply, has the character NUL."""
    left = [value]
    while left:
        part = left.pop()
        if isinstance(part, str) and "\x00" in part:
            return True
        if isinstance(part, Mapping):
            left += [*part, *part.values()]
        elif isinstance(part, (list, tuple)):
            left += part
    return False


def _plain(value: Any) -> str:
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"{value.total_seconds()} seconds"
    raise TypeError(f"a value of type {type(value).__name__} has no JSON form")


def JSON(value: Any) -> Jsonb:
    """Return a value as a jsonb parameter."""
    return Jsonb(value, dumps=to_json)


def quoted(name: str) -> str:
    """Quote an identifier."""
    return '"' + name.replace('"', '""') + '"'


def names(flows: Sequence[str] | None) -> list[str] | None:
    """Return names of flows as the kernel takes them; None means all."""
    return None if flows is None else list(flows)


def rows(conn: Any, sql: str, params: Sequence[Any]) -> list[Sequence[Any]]:
    """Run one statement and return its rows. Raises WedError."""
    with translated(), _cursor(conn) as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()


def value(conn: Any, sql: str, params: Sequence[Any]) -> Any:
    """Run one statement and return its only value. Raises WedError."""
    return rows(conn, sql, params)[0][0]


def designed(flow: str, found: list[_T], conn: Any) -> list[_T]:
    """Return the rows found for a flow or its drafts. Raises UnknownFlow if nothing has this name."""
    if not found:
        value(conn, "select wedsql.check_designed(%s)", (flow,))
    return found


def run(conn: Any, sql: str | Composable) -> None:
    """Run one statement without parameters that returns no rows. Raises WedError."""
    with translated(), _cursor(conn) as cursor:
        cursor.execute(sql)


def in_transaction(conn: Any) -> bool:
    """Return whether a statement on the connection would be part of a longer transaction."""
    found = driver(conn)
    return not found.autocommit or found.info.transaction_status != TransactionStatus.IDLE


def driver(conn: Any) -> Any:
    """Return the psycopg connection."""
    if conn is not None:
        return conn
    from django.db import connection

    connection.ensure_connection()
    return connection.connection


def typed_error(sqlstate: str | None, message: str, hint: str | None, detail: str | None) -> WedError | None:
    """Return the error of one item, or None if the item has no SQLSTATE."""
    return error_for(sqlstate, message, hint=hint or "", detail=detail or "") if sqlstate else None


def read_as(made: type[_T], found: Mapping[str, Any]) -> _T:
    """Return a row of the kernel as a result type, with its times as datetimes."""
    kinds = _kinds(made)  # type: ignore[arg-type] # a class is hashable
    return made(**{name: _read(name, each, kinds.get(name, "")) for name, each in found.items()})


@cache
def _kinds(made: type) -> Mapping[str, str]:
    return {one.name: str(one.type) for one in fields(made)}


def _read(name: str, found: Any, kind: str) -> Any:
    if isinstance(found, Decimal) and kind.startswith("float"):
        return float(found)
    is_time = isinstance(found, str) and (name == "at" or name.endswith("_at"))
    return datetime.fromisoformat(found) if is_time else found


class ExactJson(JsonbLoader):
    """Decodes jsonb with every digit; a large text that comes twice in a row is decoded once.

    The state that fired a job is mostly the present one. Both are objects of their own.
    """

    _last: tuple[bytes, Any] = (b"", None)

    def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
        super().__init__(oid, context)
        encoding = self.connection.info.encoding if self.connection is not None else "utf-8"
        self._encoding = "utf-8" if encoding == "ascii" else encoding  # SQL_ASCII is any bytes

    def load(self, data: Buffer) -> Any:
        """Return the value that the text means, which the server sends in the encoding of the session."""
        text = bytes(data)
        if len(text) < _LARGE:
            return self._decoded(text)
        if text != self._last[0]:
            self._last = (text, self._decoded(text))
        value = self._last[1]
        return dict(value) if _is_flat(value) else self._decoded(text)

    def _decoded(self, text: bytes) -> Any:
        return json_text.decode(text.decode(self._encoding))


def _is_flat(value: Any) -> bool:
    """Return whether a value is an object of texts, numbers and the like, which no program changes."""
    return isinstance(value, dict) and not any(isinstance(each, (dict, list)) for each in value.values())


def _cursor(conn: Any) -> Any:
    if conn is not None:
        replication.watch(conn)
    cursor = conn.cursor() if conn is not None else _django_cursor()
    cursor.adapters.register_loader("jsonb", ExactJson)
    return cursor


def _django_cursor() -> Any:
    """Return a cursor of Django's connection, which bypasses its adapters.

    Django is imported only here, because a worker of the paper's kind runs without it.
    """
    from django.db import connection

    connection.ensure_connection()
    return connection.connection.cursor()
