"""Attributes renamed in conditions, and suggestions for misspelled names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from flows.tests.corpus import oracle

pytestmark = pytest.mark.kernel


@pytest.fixture
def db(connect: Callable[..., psycopg.Connection[Any]]) -> psycopg.Connection[Any]:
    return connect()


def rename(db: psycopg.Connection[Any], text: str, old: str, new: str) -> Any:
    query = "select wedsql.rename_in_predicate(%s, %s, %s, %s)"
    row = db.execute(query, [text, old, new, oracle.ATTRS_JSON]).fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("a1 = 'a1'", "a1", "state", "state = 'a1'"),
        ("A1='x'\n  AND  a1<>a2", "a1", "b", "b='x'\n  AND  b<>a2"),
        ("lower(a1) = 'a1' and a2 = 1", "a1", "lower", "lower(lower) = 'a1' and a2 = 1"),
        ("a2 = 1", "a1", "b", "a2 = 1"),
        ("position = position('a' in a1)", "position", "place", "place = position('a' in a1)"),
        ("a1=a2::text or a2=-a2", "a2", "n_2", "a1=n_2::text or n_2=-n_2"),
        ("name = 'it''s name'", "name", "title", "title = 'it''s name'"),
    ],
)
def test_only_the_attribute_changes(
    db: psycopg.Connection[Any], text: str, old: str, new: str, expected: str
) -> None:
    assert rename(db, text, old, new) == expected


@pytest.mark.parametrize("new", ["user", "between", "select", "null", "not", "a1 or true", "A b", "ação", ""])
def test_a_name_that_reads_as_something_else_is_refused(db: psycopg.Connection[Any], new: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        rename(db, "a1 = 'x' and paid", "a1", new)
    assert caught.value.sqlstate == "WD004", caught.value


@pytest.mark.parametrize("case", oracle.cases("legitimate"), ids=lambda case: case.text[:50])
def test_renaming_there_and_back_is_the_identity(db: psycopg.Connection[Any], case: oracle.Case) -> None:
    there = rename(db, case.text, "a1", "a_new_name")
    attributes = oracle.ATTRS_JSON.replace('"a1"', '"a_new_name"')
    query = "select wedsql.rename_in_predicate(%s, 'a_new_name', 'a1', %s)"
    row = db.execute(query, [there, attributes]).fetchone()
    assert row is not None
    assert row[0].lower() == case.text.lower()


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("amuont", "amount"),
        ("a9", "a1"),
        ("seeen", "seen"),
        ("updated", None),
        ("zzzz", None),
        ("AMOUNT", "amount"),
    ],
)
def test_the_nearest_name(db: psycopg.Connection[Any], word: str, expected: str | None) -> None:
    row = db.execute("select wedsql.suggest(%s, %s)", [word, list(oracle.ATTRS)]).fetchone()
    assert row == (expected,)


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [("", "", 0), ("a", "", 1), ("kitten", "sitting", 3), ("abc", "xyz1234", 4), ("ab", "ba", 2)],
)
def test_distance_is_bounded(db: psycopg.Connection[Any], one: str, other: str, distance: int) -> None:
    assert db.execute("select wedsql.distance(%s, %s, 3)", [one, other]).fetchone() == (distance,)
