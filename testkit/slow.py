"""Statements that take longer than any time limit, for tests of what happens then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from django.db import connection

from flows import statements as door

# A limit that the product set is shortened; where it set none, the minute is waited for.
SHORTEN = (
    "select set_config('statement_timeout', '20', true) where current_setting('statement_timeout') <> '0'"
)
WAIT = "select pg_sleep(60)"


@contextmanager
def slow_statements(text: str) -> Iterator[None]:
    """Wait a minute before each statement of Django's connection that contains the text.

    Under a time limit such a statement always fails, and no other, however fast or busy the machine is.
    """
    slept = []

    def of_django(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        if text in str(sql):
            slept.append(sql)
            execute(SHORTEN, None, False, context)
            execute(WAIT, None, False, context)
        return execute(sql, params, many, context)

    def of_the_door() -> Any:
        cursor = real()
        execute = cursor.execute

        def slowly(sql: Any, params: Any = None) -> Any:
            if text in str(sql):
                slept.append(sql)
                execute(SHORTEN)
                execute(WAIT)
            return execute(sql, params)

        cursor.execute = slowly
        return cursor

    real = door._django_cursor
    with patch.object(door, "_django_cursor", of_the_door), connection.execute_wrapper(of_django):
        yield
    assert slept, f"no statement contains {text!r}"
