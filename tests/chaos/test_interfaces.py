"""The findings of the hostile-input harness: each kind is reported, and correct answers are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from chaos.interfaces.catalog import changes, fingerprint
from chaos.interfaces.refusals import leak, wrong_code
from chaos.interfaces.target import Target

pytestmark = pytest.mark.kernel
Connection = psycopg.Connection[Any]


@pytest.mark.parametrize(
    ("interface", "code", "wrong"),
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
def test_which_codes_may_reach_a_caller(interface: str, code: str, wrong: bool) -> None:
    assert wrong_code(interface, code) is wrong


@pytest.mark.parametrize(
    ("text", "leaks"),
    [
        ('syntax error at or near "from"', True),
        ("psycopg.errors.UndefinedFunction", True),
        ("Traceback (most recent call last):", True),
        ("operator does not exist: text = integer", False),
        ("A value cannot be stored: division by zero.", False),
    ],
)
def test_which_texts_are_leaks(text: str, leaks: bool) -> None:
    assert bool(leak(f"before {text} after")) is leaks


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
def test_a_changed_catalog_is_reported(connect: Callable[..., Connection], part: str, statement: str) -> None:
    conn = connect()
    before = fingerprint(conn)
    assert changes(before, fingerprint(conn)) == []
    with conn.transaction(force_rollback=True):
        conn.execute(statement)  # type: ignore[call-overload]
        assert [line for line in changes(before, fingerprint(conn)) if line.startswith(f"{part} ")]


def test_each_kind_of_finding_is_reported_once_and_always_counted(connect: Callable[..., Connection]) -> None:
    target = Target(connect())
    for number in range(5):
        target.report("start", f"job {number} was answered with 42601")
    target.report("start", "something else")
    assert len(target.wrong) == 2 and target.findings == 6
