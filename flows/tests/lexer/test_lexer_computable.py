"""Expressions that PostgreSQL accepts and can compute for no state: they are rejected when they are checked.

The last tests have no list: they call every function that conditions may use with constants and an attribute,
and compare the verdict with what PostgreSQL computes for other values than those of the check.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import psycopg
import pytest

from testkit.cases import examples

pytestmark = pytest.mark.kernel
ATTRS = {"t": "text", "n": "integer", "big": "bigint", "x": "numeric", "b": "boolean", "day": "date",
         "at": "timestamptz", "i": "interval", "d": "jsonb"}  # fmt: skip
NEVER = {  # the text that the message is about, and a word of its hint
    "extract(bogus from at) > 3": ("bogus", "quarter"),
    "extract('bogus' from i) > 3": ("'bogus'", "epoch"),
    "extract(hour from day) > 3": ("hour", "isodow"),
    "date_part('bogus', at) = 1": ("'bogus'", "isodow"),
    "date_trunc('foo', at) > '2024-01-01'": ("'foo'", "decade"),
    "date_trunc('day', at, 'Mars/Base') > at": ("'Mars/Base'", "America/Bogota"),
    "at at time zone 'Nowhere/Lisbon' > '2024-01-01'": ("'Nowhere/Lisbon'", "Europe/Lisbon"),
    "extract(bogus from (d ->> 'a')::timestamptz) = 1": ("bogus", "quarter"),
    "t = '(' and (b or not t ~ '(')": ("'('", "whatever"),
    "t !~* '[a'": ("'[a'", "whatever"),
    "t similar to '('": ("'('", "whatever"),
    "regexp_replace(t, '*', '') = 'a'": ("'*'", "whatever"),
    "t like 'a' escape 'xx'": ("'xx'", "whatever"),
    "decode(t, 'hexx') is null": ("'hexx'", "base64"),
    "jsonb_set_lax(d, '{a}', null, true, 'bogus') is null": ("'bogus'", "whatever"),
    "n / 0 > 1": ("/", "divides"),
    "x % 0.0 = 1": ("%", "divides"),
    "(d ->> 'x')::integer / 0 > 1": ("/", "divides"),
    "split_part(t, ',', 0) = 'a'": ("0", "whatever"),
    "substring(t from 1 for -2) = 'a'": ("2", "whatever"),
    "overlay(t placing 'x' from 0) = 'x'": ("0", "whatever"),
    "make_date(2024, 13, n) > day": ("13", "whatever"),
    "log(0, x) > 1": ("0", "whatever"),
    "n > 1 or case when b then extract(bogus from at) else 1 end > 2": ("bogus", "quarter"),
    "coalesce(extract(bogus from at), 1) > 2": ("bogus", "quarter"),
    "extract(bogus from '2024-01-01'::timestamptz) = n": ("bogus", "quarter"),
    "t = 'x'::integer::text": ("'x'", "type"),
    "i > 'x'::interval": ("'x'", "type"),
}
SOMETIMES = (
    "extract(epoch from at) > 3", "date_part('hour', timezone(t, at)) = 1", "t ~ '^a'", "t similar to 'a%'",
    "n / 2 > 1", "1 / n > 1", "n + 2147483647 > 5", "big + 9223372036854775807 > 1", "at + i > at",
    "jsonb_path_query_first(d, 'strict $.zzz') is null", "jsonb_insert(d, '{a}', '1') = d", "d - 0 = d",
    "jsonb_set(d, '{0}', '1') = d", "make_date(2024, n, 31) > day", "make_date(2024, 2, n) > day",
    "length(substring(t from 1 for n - 8)) = 3", "(power(10.0, 9 + n))::integer = 1",
    "t::date > '2024-01-01'",
    "lower(t) like 'a%' escape '!'", "trim_array(array[1, 2, n], 2) = array[n]", "t = any ('{a,b}')",
    "(d -> 'a' ->> 0)::numeric > 3", "date_bin('5 minutes', at, '2001-01-01') = at", "i * 1e5 > i",
    "t = any (array['{1}', t]) and lower(t) ~ 'a{1}'", "d @? '$.a[*] ? (@ > 1)'",
    "case n when 1 then 'a' else t end ~ 'b'",
    "t::interval > '1 day'", "t::jsonb ->> 'a' = 'b'", "round(x, 2) = 1.5", "to_timestamp(n) > at",
    "upper(t) = 'A'",
)  # fmt: skip
Db = psycopg.Connection[Any]


@pytest.fixture
def db(connect: Callable[..., Db]) -> Db:
    return connect()


def rejected(db: Db, text: str) -> dict[str, Any] | None:
    try:
        db.execute("select wedsql.check_predicate_text(%s, %s)", [text, json.dumps(ATTRS)])
    except psycopg.Error as error:
        assert error.sqlstate in ("WD005", "WD006"), (text, error)
        return {**json.loads(error.diag.message_detail or "{}"), "hint": error.diag.message_hint or ""}
    return None


@pytest.mark.parametrize("text", NEVER)
def test_what_no_state_can_compute_is_rejected_at_its_place_with_what_there_is(db: Db, text: str) -> None:
    found, (token, hint) = rejected(db, text), NEVER[text]
    assert found is not None and found["token"] == token and hint in found["hint"], found
    assert text[found["position"] - 1 :].startswith(token)


@pytest.mark.parametrize("text", SOMETIMES)
def test_what_some_state_can_compute_is_accepted(db: Db, text: str) -> None:
    assert rejected(db, text) is None


def test_a_set_string_is_checked_alike(db: Db) -> None:
    for text, token in {
        "n = 1, x = extract(bogus from at)": "bogus",
        "t = regexp_replace(t, '(', '')": "'('", "n = n / 0": "/",
    }.items():  # fmt: skip
        with pytest.raises(psycopg.Error) as caught:
            db.execute("select wedsql.check_set_text(%s, %s)", [text, json.dumps(ATTRS)])
        detail = json.loads(caught.value.diag.message_detail or "{}")
        assert (caught.value.sqlstate, detail["token"]) == ("WD211", token)
        assert text[detail["position"] - 1 :].startswith(token)


CONSTANTS = {
    "text": ["'bogus'", "'('", "'day'", "'UTC'", "'Mars/Base'", "'{a}'", "''", "'hex'", "'a'"],
    "integer": ["0", "-1", "1", "13", "400"],
    "bigint": ["0::bigint", "-1::bigint", "7::bigint"],
    "numeric": ["0.0", "-1.5", "2.5"],
    "double precision": ["0::float8", "-1::float8", "2.5::float8"],
    "boolean": ["true", "false"],
    "date": ["'2024-02-29'::date"],
    "timestamp with time zone": ["'2024-02-29 10:00+00'::timestamptz"],
    "timestamp without time zone": ["'2024-02-29 10:00'::timestamp"],
    "interval": ["'1 day'::interval", "'0'::interval", "'-1 month'::interval"],
    "jsonb": ["'{\"a\": 1}'::jsonb", "'[1]'::jsonb", "'3'::jsonb"],
    "text[]": ["'{a}'::text[]", "'{}'::text[]"],
}
VALUES = {  # others than the check's own
    "text": ["b", "2", "", "month", "Europe/Lisbon", "base64", "UTF8", "2023-01-31 08:00", "3 hours", "[2]",
             '{"b": 2}', "false", "abcdefghij klmnopq", "YWI=", "NFKC", "LATIN1", "delete_key", "sha224"],
    "integer": ["3", "0", "-2", "1", "31", "500", "100000", "-100000", "2100000000", "-2100000000", "2000"],
    "bigint": ["3", "0", "-2", "1", "500", "100000", "-9000000000000000000", "9000000000000000000"],
    "numeric": ["3", "0", "-2.5", "0.1", "1", "5000", "-5000", "30"],
    "boolean": ["true", "false"],
    "date": ["2023-06-30", "1990-01-01", "0100-01-01", "4000-01-01 BC", "100000-01-01"],
    "timestamp with time zone": ["2023-06-30 01:02:03+00", "1990-01-01", "0100-01-01", "100000-01-01"],
    "interval": ["2 days", "0", "-3 hours", "5 months", "100 years", "00:00:01"],
    "jsonb": ['{"b": 2, "a": [1]}', "[]", "[3]", "5", '"x"', "null", "{}", '{"a": {"a": 1}}'],
}  # fmt: skip
NAMES = {"text": "t", "integer": "n", "bigint": "big", "numeric": "x", "boolean": "b", "date": "day",
         "timestamp with time zone": "at", "interval": "i", "jsonb": "d"}  # fmt: skip


def calls(db: Db) -> Iterator[tuple[str, list[str], int]]:
    """Yield the functions of conditions with the types of their arguments, and which one is an attribute."""
    rows = db.execute(
        "select distinct p.name, array(select format_type(a, null) from unnest(f.proargtypes) a)"
        " from wedsql.pure_function p join pg_proc f using (oid) join wedsql.vocabulary v on v.word = p.name"
        " where v.func = 'ok' and f.provariadic = 0 union values ('date_part', array['text', 'date']),"
        " ('date_part', array['text', 'timestamp with time zone']),"
        " ('date_trunc', array['text', 'timestamp with time zone', 'text']) order by 1, 2"
    ).fetchall()
    for name, types in rows:
        if len(types) > 1 and set(types) <= set(CONSTANTS):
            for place, type_ in enumerate(types):
                if type_ in NAMES:
                    yield name, types, place


def computable(db: Db, call: str, type_: str, name: str) -> set[str | None]:
    """Return the SQLSTATEs of a call with values in the place of its attribute; None is a success."""
    found: set[str | None] = set()
    for value in VALUES[type_]:
        try:
            db.execute(f"select {call.replace(f'@{name}@', f'%s::{type_}')}", [value])
            found.add(None)
        except psycopg.Error as error:
            found.add(error.sqlstate)
    return found


def test_every_function_with_every_constant_is_rejected_where_no_value_can_be_computed(db: Db) -> None:
    db.execute("set timezone to 'UTC'")
    chosen, tried, verdicts = random.Random(7), 0, {True: 0, False: 0}  # noqa: S311
    for name, types, place in calls(db):
        others = [CONSTANTS[each] for at, each in enumerate(types) if at != place]
        ways = [*product(*others)]
        for constants in chosen.sample(ways, min(len(ways), examples(6))):
            given, attribute = [*constants], NAMES[types[place]]
            given.insert(place, f"@{attribute}@")
            call = f"{name}({', '.join(given)})".replace("%", "%%")
            found = rejected(db, f"{call.replace('@', '')} is not null")
            if found is not None and "sqlstate" not in found:
                continue  # the lexer rejects it for another reason
            codes = computable(db, call, types[place], attribute)
            if found is not None and found["sqlstate"].startswith(("22", "0A")):
                assert None not in codes, (call, found)
            elif found is None:
                depends = any(code and code.startswith(("2202E", "2203", "42")) for code in codes)
                assert None in codes or depends, (call, codes)
            tried, verdicts[found is None] = tried + 1, verdicts[found is None] + 1
    assert tried > 500 and min(verdicts.values()) > 50, verdicts
