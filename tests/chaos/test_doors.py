"""The findings of the hostile-input harness: each kind is reported, and correct answers are not."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import psycopg
import pytest

from chaos.doors.catalog import changes, fingerprint
from chaos.doors.door import Stage
from chaos.doors.refusals import leak, wrong_code

pytestmark = pytest.mark.kernel
Connection = psycopg.Connection[Any]


@pytest.mark.parametrize(
    ("door", "code", "wrong"),
    [
        ("start", "WD003", False),
        ("start", "40001", False),
        ("start", "42601", True),
        ("start", "42501", True),
        ("calls", "22003", True),
        ("predicate", "XX000", True),
        ("publish", "UnicodeEncodeError", True),
        ("sql", "42501", False),
        ("sql", "42601", True),
        ("sql", "XX000", True),
    ],
)
def test_which_codes_may_reach_a_caller(door: str, code: str, wrong: bool) -> None:
    assert wrong_code(door, code) is wrong


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('syntax error at or near "from"', True),
        ("psycopg.errors.UndefinedFunction", True),
        ("Traceback (most recent call last):", True),
        ("operator does not exist: text = integer", False),
        ("A value cannot be stored: division by zero.", False),
    ],
)
def test_which_words_are_not_the_product_s_own(text: str, told: bool) -> None:
    assert bool(leak(f"before {text} after")) is told


@pytest.mark.parametrize(
    ("part", "statement"),
    [
        ("function", "create function public.mine() returns int language sql as 'select 1'"),
        ("function", "alter function wedsql.now() security definer"),
        ("function", "grant execute on function wedsql.reap(integer) to wed_web"),
        ("relation", "grant delete on wedsql.wed_trace to wed_web"),
        ("relation", "create table public.mine (a int)"),
        ("column", "alter table wedsql.instance add mine int"),
        ("trigger", "alter table wedsql.trig disable trigger a_before"),
        ("role", "alter role wed_web createrole"),
        ("role's setting", "alter role wed_web set statement_timeout = 0"),
        ("membership", "grant wed_owner to wed_web"),
        ("schema", "create schema mine"),
        ("large object", "select lo_create(0)"),
    ],
)
def test_a_changed_catalog_is_told(connect: Callable[..., Connection], part: str, statement: str) -> None:
    conn = connect()
    before = fingerprint(conn)
    assert changes(before, fingerprint(conn)) == []
    with conn.transaction(force_rollback=True):
        conn.execute(statement)  # type: ignore[call-overload]
        assert [line for line in changes(before, fingerprint(conn)) if line.startswith(f"{part} ")]


def test_each_kind_of_finding_is_told_once_and_counted_always(connect: Callable[..., Connection]) -> None:
    stage = Stage(connect(), Random(1))  # noqa: S311 - repeatable, not secret
    for number in range(5):
        stage.tell("start", f"job {number} was answered with 42601")
    stage.tell("start", "something else")
    assert len(stage.wrong) == 2 and stage.findings == 6
