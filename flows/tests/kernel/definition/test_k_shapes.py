"""Conditions that differ only in names are checked once, and are what each of them is by itself."""

from __future__ import annotations

import itertools
import json
from typing import Any

import psycopg
import pytest

pytestmark = pytest.mark.kernel

TYPES = {
    "a": "integer", "b": "integer", "epoch": "integer", "month": "integer", "n": "numeric", "m": "numeric",
    "x": "text", "y": "text", "since": "timestamptz", "until": "timestamptz", "done": "boolean",
    "open": "boolean", "state": "enum", "day": "date",
}  # fmt: skip
CONDITIONS = [
    "a > 0", "b > 0", "a > 17", "B>0", "n > 0", "m > 5 or n < 3", "n > 5 or m < 3", "a = a", "a = b", "b = a",
    "(a > 4 and b < 3) or a = 7", "(b > 9 and a < 1) or b = 7", "x = 'r.\"a\"'", "y = 'r.\"a\"'", "x = 'a'",
    "y = x || 'a > 0'", "extract(epoch from since) > 5", "extract(epoch from until) > 5", "done", "not open",
    "since > '2020-01-01' or until > '2020-01-01'", "extract(month from since) > 5",
    "month > 0", "state = 'a' and x = 'b'", "a in (1, 2)",
    "case when a > 5 then b > 2 else done end", "case when b > 7 then a > 2 else open end",
    "day > until::timestamptz",
    "length(x) > 3 and x like 'a%'", "length(y) > 4 and y like 'a%'", "a > 5 -- 1", "a > 1000000000000",
]  # fmt: skip
WRONG = ["left > 0", "a > 'x'", "zz > 0", "a +", "x > 1", "a = 1 = 2", "", "done > 5"]
SETS = [
    "a = a - 1, b = b + 1", "b = b - 1, a = a + 1", "b = a - 1, a = a + 1", "x = 'a'", "y = 'b'", "a = 7",
    "n = n / 2, done = a > 5", "m = n / 2, open = b > 6", "a = extract(epoch from since)::integer",
    "b = extract(epoch from until)::integer", "month = month + 1",
]  # fmt: skip


def test_conditions_of_one_shape_are_what_each_is_alone(dsn: str) -> None:
    """All at once, in both orders, they have the form, the attributes and the parts that each has alone."""
    accepted = [each for each in CONDITIONS if "--" not in each]
    alone = "select qualified, reads, disjuncts from wedsql.check_predicate_text(%s, %s)"
    together = "select n, qualified, reads, disjuncts from wedsql._check_predicates(%s, %s)"
    with psycopg.connect(dsn) as conn:
        expected = [_row(conn, alone, each) for each in accepted]
        for texts, rows in ((accepted, expected), (accepted[::-1], expected[::-1])):
            found = conn.execute(together, [texts, json.dumps(TYPES)]).fetchall()
            assert [row[1:] for row in sorted(found)] == rows


def test_accepted_conditions_are_those_that_are_accepted_alone(dsn: str) -> None:
    """What is said to be accepted is so, and a wrong text does not spoil others of its shape."""
    texts = [*CONDITIONS, *WRONG, *CONDITIONS]
    query = "select wedsql._accepted(%s, %s, false)"
    with psycopg.connect(dsn) as conn:
        (found,) = conn.execute(query, [texts, json.dumps(TYPES)]).fetchone() or ([],)
        for text, accepted in zip(texts, found, strict=True):
            assert accepted <= _is_accepted(conn, text), text
        assert found.count(True) >= 2 * len(CONDITIONS) - 6


@pytest.mark.parametrize("wrong", [each for each in WRONG if each])
def test_the_first_wrong_text_is_the_one_that_is_named(dsn: str, wrong: str) -> None:
    """The error of many is that of the wrong one by itself."""
    together = "select count(*) from wedsql._check_predicates(%s, %s)"
    with psycopg.connect(dsn, autocommit=True) as conn:
        with pytest.raises(psycopg.Error) as alone:
            _row(conn, "select * from wedsql.check_predicate_text(%s, %s)", wrong)
        with pytest.raises(psycopg.Error) as found:
            conn.execute(together, [["a > 0", wrong, "b > 0"], json.dumps(TYPES)])
    assert (found.value.sqlstate, str(found.value).split("CONTEXT")[0]) == (
        alone.value.sqlstate,
        str(alone.value).split("CONTEXT")[0],
    )


def test_sets_of_one_shape_compute_what_each_computes_alone(dsn: str) -> None:
    """All at once they are what they are one by one."""
    query = "select n, computed from wedsql._check_sets(%s, %s)"
    with psycopg.connect(dsn) as conn:
        alone = [_row(conn, query, [each])[1] for each in SETS]
        found = conn.execute(query, [SETS, json.dumps(TYPES)]).fetchall()
    assert [computed for _n, computed in sorted(found)] == alone


def test_a_definition_of_many_rules_is_parsed_as_one_of_few(dsn: str) -> None:
    """Ten times as many rules of the same shapes are as many calls of PostgreSQL's parser."""
    assert _parsed(dsn, 200) == _parsed(dsn, 20) < 12


def _row(conn: psycopg.Connection[Any], query: str, text: object) -> tuple[Any, ...]:
    return conn.execute(query, [text, json.dumps(TYPES)]).fetchone() or ()


def _is_accepted(conn: psycopg.Connection[Any], text: str) -> bool:
    try:
        with conn.transaction():
            _row(conn, "select * from wedsql.check_predicate_text(%s, %s)", text)
    except psycopg.Error:
        return False
    return True


def _parsed(dsn: str, rules: int) -> int:
    """Publish a flow of this many rules, and return how often its texts were parsed; nothing is kept."""
    names = [f"e{n}" for n in range(rules + 1)]
    triggers: list[dict[str, object]] = [
        {"transition": f"t{n}", "predicate": f"{a} > 0", "sets": f"{a} = {a} - 1, {b} = {b} + 1"}
        for n, (a, b) in enumerate(itertools.pairwise(names))
    ]
    triggers.append({"predicate": f"{names[-1]} > 0", "final": True})
    attributes = [{"name": name, "type": "integer", "default": "0"} for name in names]
    with psycopg.connect(dsn) as conn:
        conn.execute("set local track_functions = 'all'")
        conn.execute("select wedsql.create_flow('shaped')")
        definition = json.dumps({"attributes": attributes, "triggers": triggers})
        conn.execute("select wedsql.publish('shaped', %s)", [definition])
        calls = "select calls from pg_stat_xact_user_functions where funcname = 'parse_tree'"
        (found,) = conn.execute(calls).fetchone() or (0,)
        conn.rollback()
    return int(found)
