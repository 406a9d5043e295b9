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
from flows.users.holdings import held

_BEGIN_OR_COMMIT = re.compile(r"(begin|start transaction|commit|end)( work| transaction)?\b(?! prepared)")
# Statements that only define, and those that are ignored.
_DEFINES = re.compile(
    r'(insert into|update|delete from)( only)? ("?\w+"?\.)?"?(wed_attr|wed_trig|flow)"? '
    rf"|{_BEGIN_OR_COMMIT.pattern}"
)
_OTHER_CONTROL = re.compile(r"(rollback|abort|savepoint|release|prepare transaction|commit prepared)\b")
_WIDTH = 100


class LoadError(WedError):
    """A file could not be loaded."""

    def __init__(self, error: WedError, line: int, excerpt: str = "") -> None:
        """Copy the error, and add the line number and an excerpt with a caret under the position."""
        super().__init__(error.message, hint=error.hint, detail=error.detail, code=error.code)
        self.line, self.excerpt = line, excerpt


def load_sql(flow: str, script: str, actor: str, reason: str = "") -> Publication | None:
    """Run the script in one transaction with the flow's search_path; create the flow if it is missing.

    Where a second person approves the definition of the flow, the rows are taken back, and what they define
    is submitted: returns the publication. BEGIN and COMMIT in the script are ignored. Raises LoadError,
    WedError.
    """
    try:
        with transaction.atomic():
            if not api.drafts.running_definition(flow)[1].get("needs_approval"):
                after = api.flows.last_loss()
                _run_all(flow, script, actor)
                api.flows.confirm_losses(flow, after, held(), actor=actor)
                return None
            point = transaction.savepoint()
            _run_all(flow, script, actor, only_rules=True)
            definition = api.drafts.running_definition(flow)[1]
            transaction.savepoint_rollback(point)
            return api.publications.submit(flow, definition, actor=actor, reason=reason, numbered=True)
    except DatabaseError as error:
        raise (from_database(error) or WedError(str(error))) from error
    finally:
        _reset()


def _run_all(flow: str, script: str, actor: str, *, only_rules: bool = False) -> None:
    """Run the statements; with `only_rules` raise LoadError for one that does not define anything."""
    with connection.cursor() as cursor:
        _prepare(flow, actor)
        cursor.execute(sql.SQL("set local search_path = {}, wedsql, pg_temp").format(sql.Identifier(flow)))
        for statement in statements(script):
            if only_rules and not _DEFINES.match(statement.normalized):
                raise LoadError(_no_definition(flow), *_at(script, statement.begin))
            _run(cursor, script, statement)
        run_deferred_triggers(connection)


def _no_definition(flow: str) -> WedError:
    return WedError(
        f"A second person approves the definition of flow “{flow}”, and this statement does not change it.",
        hint="Load only statements that write wed_attr, wed_trig or the row of the flow; run others when the "
        "definition is published.",
    )


def load_definition(flow: str, definition: Definition, actor: str, reason: str = "") -> Publication:
    """Submit the definition for publication; create the flow if it is missing. Raises WedError."""
    with transaction.atomic():
        return api.publications.submit(flow, definition, actor=actor, reason=reason)


def _prepare(flow: str, actor: str) -> None:
    design = Design(connection, flow, actor)
    if design.id() is None:
        api.flows.create(flow)


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
        raise LoadError(known, *_at(script, statement.begin))
    try:
        cursor.execute(statement.text)
    except DatabaseError as error:
        refused = from_database(error) or WedError(str(error))
        raise LoadError(refused, *_at(script, _place(statement, refused, error))) from error


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


def _at(script: str, place: int) -> tuple[int, str]:
    return _line(script, place), _around(script, place)


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
