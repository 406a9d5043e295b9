"""A missing function is a permanent error, unless a changed definition explains why it is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from flows.database_errors import is_transient
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


@contextmanager
def without(kit: Kit, function: str) -> Iterator[None]:
    """Rename a function of the database away while the block runs."""
    schema, _, rest = function.partition(".")
    name, bracket, arguments = rest.partition("(")
    kit.rows(f"alter function {function} rename to {name}_away")
    try:
        yield
    finally:
        kit.rows(f"alter function {schema}.{name}_away{bracket}{arguments} rename to {name}")


@pytest.mark.parametrize(
    ("function", "code"), [("wedsql.now()", "42883"), ("wed_match.f_{flow}({name}.wed_flow)", "40001")]
)
def test_a_missing_function_of_the_kernel_is_an_error(one: Kit, function: str, code: str) -> None:
    """Otherwise a client would repeat the call forever, and the broken installation would go unnoticed."""
    flow = one.one("select id from wedsql.flow where name = %s", [one.name])
    with without(one, function.format(flow=flow, name=one.name)), refused(code):
        one.start(a="1")


def test_a_missing_column_of_the_kernel_is_an_error(one: Kit) -> None:
    one.rows("alter table wedsql.wed_trace rename column cause_seq to away")
    try:
        with refused("42703"):
            one.start(a="1")
    finally:
        one.rows("alter table wedsql.wed_trace rename column away to cause_seq")


@pytest.mark.parametrize(
    ("sqlstate", "message", "again"),
    [
        ("42883", "function wedsql._settle(integer) does not exist", False),
        ("42883", "function pg_catalog.gone(flow.wed_flow) does not exist", False),
        ("42883", "function wedsql.gone(one.wed_flow) does not exist", False),
        ("42883", "function gone(integer) does not exist", False),
        ("42P01", 'relation "wedsql.job_pool" does not exist', False),
        ("42883", "function wed_match.f_1(one.wed_flow) does not exist", True),
        ("42883", "function one._commit(integer[]) does not exist", True),
        ("42P01", 'relation "one.wed_flow" does not exist', True),
        ("42883", "operator does not exist: integer = text", True),
        ("42703", "column w.a1 does not exist", True),
        ("42703", "column r.a1 does not exist", True),
        ("42703", 'column "a1" of relation "wed_flow" does not exist', True),
        ("42703", 'column "a1" does not exist', True),
        ("42703", "column j.payload does not exist", False),
        ("42703", "column job_pool.payload does not exist", False),
        ("42703", 'column "seq" of relation "instance" does not exist', False),
        ("42703", 'record "v_flow" has no field "fuse"', False),
        ("22012", "division by zero", False),
    ],
)
def test_a_changed_definition_explains_some(kit: Kit, sqlstate: str, message: str, again: bool) -> None:
    call = "select wedsql._check_replaced('one', %s, %s)"
    if sqlstate == "42703":
        assert is_transient(sqlstate, message) is again, "the clients distinguish them by the same rule"
    if again:
        with refused("40001"):
            kit.one(call, [sqlstate, message])
    else:
        kit.one(call, [sqlstate, message])
