"""Instance numbers are limited: a rejected start uses none."""

from __future__ import annotations

import contextlib
import json

import psycopg
import pytest

from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel
TIMES = 50
STATES = {
    "nothing holds": {"a": "7"},
    "wrong type": {"a": "1", "n": "no"},
    "unknown attribute": {"a": "1", "b": "1"},
    "too large": {"a": "1" * 1_048_577},
    "a predicate fails": {"a": "9"},
}


def last(kit: Kit) -> int:
    return int(kit.one("select last_value from wedsql.wid_seq"))


@pytest.fixture
def numbered(one: Kit) -> Kit:
    one.attr("n", None, "integer")
    one.trig("tr_y", "a = '9' and n / (n - n) > 1")
    one.start(a="1")
    return one


@pytest.mark.parametrize("state", [pytest.param(s, id=k) for k, s in STATES.items()])
@pytest.mark.parametrize("many", [False, True], ids=["start", "start_many"])
def test_a_refused_start_takes_no_number(numbered: Kit, state: dict[str, str], many: bool) -> None:
    kit, good = numbered, json.dumps({"a": "1"})
    times = 10 if len(str(state)) > 1000 else TIMES
    before = last(kit)
    if many:
        query = "select count(s.sqlstate) from {f}.start_many(array_fill(%s::jsonb, array[%s])) s"
        assert kit.one(query, [json.dumps(state), times]) == times
    else:
        for _ in range(times):
            with pytest.raises(psycopg.Error):
                kit.one("select wedsql.start(%s, %s)", [kit.name, json.dumps(state)])
    assert last(kit) == before
    assert kit.one("select wedsql.start(%s, %s)", [kit.name, good]) == before + 1


def test_a_start_with_a_known_key_takes_no_number(numbered: Kit) -> None:
    query = "select wedsql.start(%s, '{\"a\": \"1\"}', null, 'k')"
    wid = numbered.one(query, [numbered.name])
    before = last(numbered)
    assert {numbered.one(query, [numbered.name]) for _ in range(TIMES)} == {wid}
    many = (
        'select distinct wid from {f}.start_many(array_fill(\'{"a": "1"}\'::jsonb, array[10]),'
        " null, array_fill('k'::text, array[10]))"
    )
    assert numbered.rows(many) == [(wid,)]
    assert last(numbered) == before


@pytest.mark.parametrize(
    "values", ["(a) values ('7')", "(a) values (repeat('1', 1048577))", "(a, n) values ('9', 1)"]
)
def test_a_refused_insert_of_the_paper_takes_no_number(numbered: Kit, values: str) -> None:
    before = last(numbered)
    for _ in range(10 if "repeat" in values else TIMES):
        with contextlib.suppress(psycopg.Error):
            numbered.rows("insert into {f}.wed_flow " + values)
    assert last(numbered) == before


@pytest.mark.parametrize("call", ["start", "start_many", "insert"])
def test_an_unknown_option_that_fires_nothing_is_reported_as_such(numbered: Kit, call: str) -> None:
    """The table's own checks come first, even if no condition holds."""
    numbered.attr("e", "x", "enum", ["x", "y"])
    before = last(numbered)
    state = json.dumps({"a": "7", "e": "z"})
    if call == "start_many":
        found = numbered.rows("select sqlstate, message from {f}.start_many(array[%s::jsonb])", [state])
    else:
        with pytest.raises(psycopg.Error) as caught:
            if call == "start":
                numbered.one("select wedsql.start(%s, %s)", [numbered.name, state])
            else:
                numbered.rows("insert into {f}.wed_flow (a, e) values ('7', 'z')")
        found = [(caught.value.sqlstate, caught.value.diag.message_primary)]
    (code, message), insert = found[0], call == "insert"
    assert code == ("23514" if insert else "WD003")
    assert (
        'violates check constraint "enum_' if insert else '"z" is not one of the options of "e".'
    ) in message
    assert last(numbered) == before


def test_refused_rows_of_one_insert_do_not_meet(numbered: Kit) -> None:
    before = last(numbered)
    with refused("WD101"):
        numbered.rows("insert into {f}.wed_flow (a) select '7' from generate_series(1, 3)")
    assert last(numbered) == before


def test_refused_starts_do_not_wait_for_each_other(numbered: Kit) -> None:
    """What a rejected start has written is rolled back at once, though its transaction goes on."""
    other = numbered.connect()
    query = 'select sqlstate from {f}.start_many(array[\'{"a": "7"}\'::jsonb])'
    other.execute("set lock_timeout = '2s'")
    with numbered.conn.transaction():
        assert numbered.one(query) == "WD101"
        assert numbered.one(query, conn=other) == "WD101"


def test_who_may_not_start_takes_no_number(numbered: Kit) -> None:
    monitor, before = numbered.connect(user="wed_monitor"), last(numbered)
    for _ in range(TIMES):
        with contextlib.suppress(psycopg.Error):
            numbered.one('select wedsql.start(%s, \'{"a": "1"}\')', [numbered.name], monitor)
    assert last(numbered) == before


def test_columns_stand_where_they_are_whatever_was_removed(numbered: Kit) -> None:
    """The row that is checked is built by column position, and some columns were dropped."""
    numbered.rows("delete from {f}.wed_trig where trname = 'tr_y'")
    numbered.rows("delete from {f}.wed_attr where aname = 'n'")
    numbered.attr("m", "5", "integer")
    numbered.attr("d", '{"x": 1}', "jsonb")
    wid = numbered.start(a="1", d={"y": [2]})
    assert numbered.state(wid) == {"a": "1", "m": 5, "d": {"y": [2]}} == numbered.trace(wid)[0].state
