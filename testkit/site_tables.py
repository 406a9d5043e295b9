"""Empties the tables of the site after a test that commits: only of what the test has added.

Django's flush truncates all tables, makes the content types and permissions again, and closes the connection,
which takes longer than most of these tests.
"""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.db import connection
from django.test import TransactionTestCase
from psycopg import sql

Rows = dict[str, set[Any]]
_kept: Rows = {}


def keep_what_is_there() -> None:
    """Remember the rows of a database that no test has changed, and replace the flush."""
    _kept.clear()
    _kept.update({table: _keys(table) for table in _tables_with_rows()})
    TransactionTestCase._fixture_teardown = lambda _test: empty()  # type: ignore[attr-defined]
    TransactionTestCase._should_reload_connections = lambda _test: False  # type: ignore[attr-defined]


def empty() -> None:
    """Delete all other rows; if a row is gone that was there, do as Django does."""
    found = {table: _keys(table) for table in _kept}
    if any(_kept[table] - found[table] for table in _kept):
        call_command("flush", verbosity=0, interactive=False)
        return
    added = {table: keys - _kept[table] for table, keys in found.items()}
    with connection.cursor() as cursor:
        # Foreign keys of Django are checked at the end of the transaction.
        cursor.execute(";".join(["begin", *map(_delete, set(_tables_with_rows()) - _kept.keys()), "commit"]))
        for table, keys in added.items():
            if keys:
                name = sql.Identifier(table)
                cursor.execute(sql.SQL("delete from {} where id = any(%s)").format(name), [[*keys]])


def _delete(table: str) -> str:
    return sql.SQL("delete from {}").format(sql.Identifier(table)).as_string()


def _tables_with_rows() -> list[str]:
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    each = sql.SQL("select {} where exists (select from {})")
    texts = [each.format(sql.Literal(table), sql.Identifier(table)) for table in sorted(tables)]
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(" union all ").join(texts).as_string())
        return [name for (name,) in cursor.fetchall()]


def _keys(table: str) -> set[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("select id from {}").format(sql.Identifier(table)).as_string())
        return {key for (key,) in cursor.fetchall()}
