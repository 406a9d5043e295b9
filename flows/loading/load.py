"""Runs a script, or applies a definition, for one flow in one transaction."""

from __future__ import annotations

import re
from typing import Any

from django.db import DatabaseError, connection, transaction
from psycopg import sql

from flows import api
from flows.database_errors import from_database
from flows.definition import Definition
from flows.errors import WedError
from flows.loading.statements import Statement, statements
from flows.operations.design import Design, run_deferred_triggers
from flows.types import Publication

_BEGIN_OR_COMMIT = re.compile(r"(begin|start transaction|commit|end)( work| transaction)?\b(?! prepared)")
_OTHER_CONTROL = re.compile(r"(rollback|abort|savepoint|release|prepare transaction|commit prepared)\b")
_WIDTH = 100


class LoadError(WedError):
    """A file could not be loaded."""

    def __init__(self, error: WedError, line: int, excerpt: str = "") -> None:
        """Copy the error, and add the line number and an excerpt with a caret under the position."""
        super().__init__(error.message, hint=error.hint, detail=error.detail, code=error.code)
        self.line, self.excerpt = line, excerpt


def load_sql(flow: str, script: str, actor: str) -> None:
    """Run the script in one transaction with the flow's search_path; create the flow if it is missing.

    BEGIN and COMMIT in the script are ignored. Raises LoadError, WedError.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            _prepare(flow, actor)
            cursor.execute(
                sql.SQL("set local search_path = {}, wedsql, pg_temp").format(sql.Identifier(flow))
            )
            for statement in statements(script):
                _run(cursor, script, statement)
            run_deferred_triggers(connection)
    except DatabaseError as error:
        raise (from_database(error) or WedError(str(error))) from error
    finally:
        _reset()


def load_definition(flow: str, definition: Definition, actor: str, reason: str = "") -> Publication:
    """Submit the definition for publication; create the flow if it is missing. Raises WedError."""
    with transaction.atomic():
        return api.submit_definition(flow, definition, actor=actor, reason=reason)


def _prepare(flow: str, actor: str) -> None:
    design = Design(connection, flow, actor)
    if design.id() is None:
        api.create_flow(flow)


def _reset() -> None:
    if connection.connection is not None and not connection.needs_rollback and connection.is_usable():
        with connection.cursor() as cursor:
            cursor.execute("reset search_path")


def _run(cursor: Any, script: str, statement: Statement) -> None:
    text = statement.normalized
    if _BEGIN_OR_COMMIT.match(text):
        return
    if text.startswith("\\") or _OTHER_CONTROL.match(text):
        known = WedError(
            f"“{text.split()[0]}” cannot stand in a definition.",
            hint="The file is run as one transaction of plain SQL statements.",
        )
        raise LoadError(known, _line(script, statement.begin), _around(script, statement.begin))
    try:
        cursor.execute(statement.text)
    except DatabaseError as error:
        refused = from_database(error) or WedError(str(error))
        place = _place(statement, refused, error)
        raise LoadError(refused, _line(script, place), _around(script, place)) from error


def _place(statement: Statement, refused: WedError, error: DatabaseError) -> int:
    """Return the position of the error in the script: in the statement, or in the predicate in a literal."""
    position = getattr(getattr(error.__cause__, "diag", None), "statement_position", None)
    if position:
        return statement.begin + int(position) - 1
    at, token = refused.where.get("position"), str(refused.where.get("token") or "")
    if isinstance(at, int):
        for begin, text in statement.literals:
            if at <= len(text) + 1 and text[at - 1 :].startswith(token) and not _is_a_name(text):
                return begin + at - 1
    return statement.begin


def _is_a_name(text: str) -> bool:
    return text.isidentifier()


def _line(script: str, at: int) -> int:
    return script.count("\n", 0, at) + 1


def _around(script: str, at: int) -> str:
    """Return the line at that position and a line with a caret."""
    begin = script.rfind("\n", 0, at) + 1
    end = script.find("\n", at)
    begin = max(begin, at - _WIDTH)
    line = script[begin : min(len(script) if end < 0 else end, at + _WIDTH)]
    return f"{line}\n" + re.sub(r"[^\t]", " ", script[begin:at]) + "^"
