"""What the vocabulary accepts has one value for a state, whatever the session is set to that evaluates it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg import sql

from flows import api
from flows.tests.kernel.faults.test_k_settings import ODD
from flows.tests.kit import Connection, Kit, refused
from testkit.cases import some

pytestmark = pytest.mark.kernel
TYPES = {"due": "text", "kind": "text", "data": "jsonb", "met": "date", "at": "timestamptz", "n": "integer",
         "amount": "numeric", "span": "interval"}  # fmt: skip
GIVEN: dict[str, Any] = {"at": "2020-07-01T05:00:00Z", "met": "2020-07-01", "span": "1 day"}
STATES: tuple[dict[str, Any], ...] = (
    {"due": "2026-03-04 10:00", "kind": "ff01", "n": 2, "amount": "0.30000000000000004"},
    {"due": "{1,NULL}", "kind": "EST", "n": 3, "amount": "3.3333333333333335", "data": {"zone": "EST"}},
    {"due": "(0.1,0.30000000000000004)", "kind": "est", "n": 5, "amount": "1e-7", "data": {"zone": "ist"}},
    {"due": "{[2020-01-01 00:00,2021-01-01 10:00]}", "kind": "microseconds", "n": 7, "amount": "12.7"},
    {"due": "04/05/2026", "kind": "day", "n": 7, "amount": "12.7", "span": "1 mon -2 days 03:00"},
    {"due": "mixed", "kind": "IST", "n": 0, "amount": "-12.7"},
)
# Each in a flow of its own: what one condition needs is set for all of a flow.
ALONE = (
    "decode(kind, 'hex')::text = E", "cast(decode(kind, 'hex') as varchar(9)) = E",
    "md5(decode(kind, 'hex')::text) < '8'", "due::text[] = array['1', 'NULL']", "due::integer[] is null",
    "(cast(due as integer[]))[2] is null", "quote_ident(due) = due", "sqrt(n)::text = '1.4142135623730951'",
    "(n ^ 0.5)::text = '1.4142135623730951'", "text(sqrt(n)) = '1.4142135623730951'",
    "point(due)::text = '(0.1,0.30000000000000004)'", "array[sqrt(n)]::text = '{1.4142135623730951}'",
    "cast(pi() as text) = '3.141592653589793' and n > 0", "due = (null)", "null = due",
    "at at time zone kind = '2020-07-01'", "at at time zone (kind) = '2020-07-01'",
    "at at time zone lower(kind) = '2020-07-01'", "at at time zone (data ->> 'zone') = '2020-07-01'",
    "at at time zone case when n > 2 then kind else 'UTC' end = '2020-07-01'",
    "at at time zone (array[kind])[1]::text = '2020-07-01'", "timezone(kind, at) = '2020-07-01'",
    "timezone(lower(kind), met::timestamptz) = '2020-07-01'", "date_trunc('day', at, kind) < at - span",
)  # fmt: skip
ARGUMENTS = {
    "text": ["due", "kind"], "timestamptz": ["at", "due::timestamptz"], "date": ["met", "due::date"],
    "timestamp": ["at::timestamp"], "time": ["due::time"], "interval": ["span"], "int4": ["n"],
    "numeric": ["amount"], "float8": ["amount::double precision"], "float4": ["amount::real"],
    "jsonb": ["data"], "bytea": ["decode(kind, 'hex')"], "_text": ["due::text[]"], "anyelement": ["at"],
    "anyarray": ["due::integer[]", "array[at]"], "point": ["point(due)"], "name": ["name(due)"],
    "tstzrange": ["tstzrange(at, null)"], "tstzmultirange": ["tstzmultirange(due)"],
}  # fmt: skip
FUNCTIONS = """
select p.proname::text,
       array(select t.typname::text from unnest(p.proargtypes) with ordinality a (type, nth)
             join pg_type t on t.oid = a.type order by a.nth) as takes
from pg_proc p
where p.pronamespace = 'pg_catalog'::regnamespace and p.pronargs between 1 and 3
  and p.proname in (select v.word from wedsql.vocabulary v where v.func = 'ok')
order by p.oid
"""
# Functions with the name of a type: name(text) is a cast.
CASTS = "select v.word from wedsql.vocabulary v join pg_type t on t.typname = v.word where v.func = 'ok'"


@pytest.fixture
def odd(kit: Kit) -> Iterator[Connection]:
    session = kit.connect()
    for name, value in (ODD | {"quote_all_identifiers": "on"}).items():
        session.execute(sql.SQL("set {} = {}").format(sql.Identifier(*name.split(".")), value))
    yield session
    session.close()


@pytest.fixture
def typed(kit: Kit) -> Kit:
    for name, kind in TYPES.items():
        kit.attr(name, None, kind)
    return kit


def compared(kit: Kit, odd: Connection) -> None:
    """Assert that both sessions fire the same, with the same errors, on each state."""
    for state in STATES:
        found = []
        for session in (kit.conn, odd):
            given = {"at": "2020-07-01T05:00:00Z", "met": "2020-07-01", "span": "1 day"} | state
            wid = api.instances.start(kit.name, given, conn=session)
            errors = {(error["trigger"], error["sqlstate"]) for error in kit.trace(wid)[-1].errors or ()}
            found.append((sorted(kit.jobs(wid)), sorted(errors)))
        assert found[0] == found[1], state


@pytest.mark.parametrize("predicate", ALONE)
def test_a_condition_alone_has_one_value(typed: Kit, odd: Connection, predicate: str) -> None:
    typed.trig("tr_x", predicate.replace("= E", r"= '\xff01'"), on_error="exception")
    typed.trig("tr_always", "true")
    compared(typed, odd)


@pytest.mark.parametrize(
    "predicate",
    ["timezone('EST', at) < at::timestamp", "date_trunc('day', at, 'EST') < at",
     "at at time zone ('EST') < met", "at at time zone ('E' || 'ST') < met",
     "at at time zone 'EST'::text < met"],
)  # fmt: skip
def test_an_abbreviation_of_a_zone_is_rejected_wherever_it_stands(typed: Kit, predicate: str) -> None:
    with refused("WD005", "WD006"):
        typed.trig("tr_x", predicate)


@pytest.mark.parametrize("call", ["tstzmultirange", "tsmultirange", "datemultirange"])
def test_a_text_that_a_call_casts_is_no_moment_either(typed: Kit, call: str) -> None:
    typed.trig("tr_x", f"{call}(due) is not null", on_error="exception")
    typed.trig("tr_always", "true")
    assert "tr_x" in typed.jobs(typed.start(due="{[2020-01-01,2020-02-01)}"))
    for word in ("now", "today", "yesterday"):
        errors = typed.trace(typed.start(due=f"{{[{word},)}}"))[-1].errors
        assert [error["sqlstate"] for error in errors] == ["22007"]


def test_everything_that_the_vocabulary_calls_has_one_value(typed: Kit, odd: Connection) -> None:
    calls = [f"{word}({text})" for (word,) in typed.rows(CASTS) for text in ("due", "kind")]
    for name, takes in typed.rows(FUNCTIONS):
        if all(kind in ARGUMENTS for kind in takes):
            choices = itertools.product(*(ARGUMENTS[kind] for kind in takes))
            calls += [f"{name}({', '.join(given)})" for given in choices]
    accepted = [call for call in some(dict.fromkeys(calls), one_in=5) if is_accepted(typed, call)]
    assert len(accepted) > 50
    with typed.conn.transaction():
        for number, call in enumerate(accepted):
            typed.trig(f"tr_{number}", shown(call), on_error="exception")
        typed.trig("tr_always", "true")
    compared(typed, odd)


def shown(call: str) -> str:
    """Return a condition that differs, for about half of all values, with the text of the value."""
    return f"md5(({call})::text) < '8'"


def is_accepted(kit: Kit, call: str) -> bool:
    try:
        kit.rows("select wedsql.check_predicate_text(%s, %s)", [shown(call), json.dumps(TYPES)])
    except psycopg.Error as error:
        assert error.sqlstate in ("WD005", "WD006")
        return False
    return True


SETTINGS = {"timezone", "datestyle", "intervalstyle", "extra_float_digits", "transform_null_equals",
            "array_nulls", "bytea_output", "quote_all_identifiers"}  # fmt: skip
EVALUATES = """
select oid::regprocedure::text as name,
       array(select lower(split_part(c, '=', 1)) from unnest(proconfig) c) as fixed
from pg_proc
where pronamespace = 'wed_match'::regnamespace and prosrc ~ '\\mexecute\\M'
  and proname not in ('compile', 'failures')
"""


def test_each_function_that_evaluates_conditions_fixes_the_same_settings(kit: Kit) -> None:
    """`compile` creates functions, and `failures` calls one of the others."""
    found = {row.name: SETTINGS - {*row.fixed} for row in kit.rows(EVALUATES)}
    assert len(found) > 5 and {name: missing for name, missing in found.items() if missing} == {}
