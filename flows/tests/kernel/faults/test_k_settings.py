"""Concurrent sessions with different settings: stored values and decisions are the same for all."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from psycopg import sql

from flows import api, kernel
from flows.tests.hostile import HOSTILE
from flows.tests.kit import Connection, Kit

pytestmark = pytest.mark.kernel
# The client's protocol settings stay: the driver can read intervals and timestamps in one format only.
ODD = {
    "intervalstyle": "iso_8601",
    "datestyle": "ISO, DMY",
    "array_nulls": "off",
    "extra_float_digits": "-15",
} | {
    name: value
    for name, value in HOSTILE.items()
    if name not in ("intervalstyle", "datestyle", "client_encoding", "search_path", "extra_float_digits")
}


@pytest.fixture
def odd(kit: Kit) -> Iterator[Connection]:
    """A session with settings that change the meaning of texts; that of the test has the usual ones."""
    kit.conn.execute("set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'")
    session = kit.connect()
    for name, value in ODD.items():
        session.execute(sql.SQL("set {} = {}").format(sql.Identifier(*name.split(".")), value))
    yield session
    session.close()


@pytest.fixture
def times(kit: Kit) -> Kit:
    """A flow with every type whose text depends on settings, and a due attribute."""
    kit.attr("day", None, "date")
    kit.attr("at", None, "timestamptz")
    kit.attr("span", None, "interval")
    kit.attr("word", None)
    kit.trig("tr_due", "day is not null", due_attr="day", due_after="1 hour")
    kit.trig("tr_x", "word = 'go'")
    kit.final("word = 'end'")
    return kit


STATE = {"day": "2031-03-04", "at": "2031-03-04T05:06:07+00:00", "span": "1 mon 2 days 03:04:05"}


def due(kit: Kit, wid: int) -> str:
    """Return the due time of the instance's timer."""
    return str(
        kit.one("select due_at at time zone 'UTC' from wedsql.timer where wid = %s", [wid])
    )  # fmt: skip


def test_k37_a_day_begins_at_the_same_moment_in_every_session(times: Kit, odd: Connection) -> None:
    first = times.start(**STATE)
    assert due(times, first) == "2031-03-04 01:00:00"
    second = api.instances.start(times.name, STATE, conn=odd)
    api.instances.rematch(times.name, conn=odd)
    odd.execute(f"update {times.name}.wed_trig set timeout = '5 minutes' where trname = 'tr_x'")
    assert {due(times, wid) for wid in (first, second)} == {"2031-03-04 01:00:00"}
    odd.execute("select set_config('wedsql.test_offset', '5 years', false)")
    assert api.maintenance.reap(conn=odd)["timers"] == 2


def test_i3_an_attribute_that_goes_leaves_a_history_that_folds(times: Kit, odd: Connection) -> None:
    wid = times.start(**STATE, word="go")
    times.attr("more", "x")
    odd.execute(f"delete from {times.name}.wed_attr where aname = 'more'")
    assert times.trace(wid)[-1].state["at"] == STATE["at"]
    assert times.rows("select * from wedsql.violations() where found > 0") == []


def test_the_invariants_are_the_same_for_every_reader(times: Kit, odd: Connection) -> None:
    times.start(**STATE, word="go")
    assert times.rows("select name, found, examples from wedsql.violations() where found > 0", conn=odd) == []


def test_a_changed_type_and_a_new_default_are_read_as_ever(times: Kit, odd: Connection) -> None:
    wid = times.start(**STATE, word="go")
    odd.execute(f"update {times.name}.wed_attr set type = 'text' where aname in ('at', 'span')")
    odd.execute(
        f"insert into {times.name}.wed_attr (aname, type, adv) values ('on_day', 'date', '2031-02-01')"
    )
    odd.execute(
        f"insert into {times.name}.wed_attr (aname, type, adv) values ('later', 'timestamptz', '2031-02-01')"
    )
    state = times.state(wid)
    assert (state["at"], state["span"]) == ("2031-03-04 05:06:07+00", STATE["span"])
    assert (state["on_day"], state["later"][:19]) == ("2031-02-01", "2031-02-01T00:00:00")
    assert times.one("select later = '2031-02-01 00:00+00' from {f}.wed_flow where wid = %s", [wid])


PREDICATES = {
    "n = null": False,
    "null = n": False,
    "(n) = (null)": False,
    "sqrt(n::float8)::text = '1.4142135623730951'": True,
    "(n / 3.0::float8)::text = '0.6666666666666666'": True,
    r"word ~ '^a\.b$'": True,
    r"word = 'a.b' and 'x\y' like 'x\\y'": True,
    "array_position('{a,null}'::text[], 'null') is null": True,
    "moment::text = '2031-03-04 05:06:07+00'": True,
    "span::text = '1 mon 2 days 03:04:05'": True,
    "extract(day from moment) = 4": True,
    "'2031-01-02'::date = '2031-01-02T23:00Z'::date": True,
}


@pytest.mark.parametrize("predicate", PREDICATES)
def test_a_condition_has_one_result_in_every_session(kit: Kit, odd: Connection, predicate: str) -> None:
    for name, kind in (("n", "numeric"), ("word", "text"), ("moment", "timestamptz"), ("span", "interval")):
        kit.attr(name, None, kind)
    kit.trig("tr_x", predicate)
    kit.trig("tr_y", "true")
    kit.trig("tr_null", "n is null")
    state = {"n": 2, "word": "a.b", "moment": STATE["at"], "span": STATE["span"]}
    wids = [api.instances.start(kit.name, state, conn=conn) for conn in (kit.conn, odd)]
    api.instances.start(kit.name, {}, conn=odd)
    expected = ["tr_x", "tr_y"] if PREDICATES[predicate] else ["tr_y"]
    assert [kit.jobs(wid) for wid in wids] == [expected, expected]
    assert kit.rows("select name, examples from wedsql.violations() where found > 0", conn=odd) == []


@pytest.mark.parametrize(
    "text",
    [
        "word = sqrt(2)::text",
        "word = moment::text",
        "word = span::text",
        r"word = 'a\b'",
        "word = (n = null)::text",
    ],
)
def test_a_set_string_stores_the_same_whoever_says_it(kit: Kit, odd: Connection, text: str) -> None:
    for name, kind in (("n", "numeric"), ("word", "text"), ("moment", "timestamptz"), ("span", "interval")):
        kit.attr(name, None, kind)
    kit.trig("tr_x", "word is null")
    state = {"moment": STATE["at"], "span": STATE["span"]}
    stored = []
    for conn in (kit.conn, odd):
        wid = api.instances.start(kit.name, state, conn=kit.conn)
        with conn.transaction():
            job = kit.rows("select wid, job_id from {f}.take('{tr_x}', 1, 'x')", (), conn)[0]
            done = (
                "select ok from {f}.complete_many("
                "array[%s], array[%s::bigint], array[null::bigint], null, 'x', array[%s])"
            )
            assert kit.one(done, (*job, text), conn)
        stored.append(kit.state(wid)["word"])
    assert stored[0] == stored[1]


def test_partitions_are_months_of_utc(kit: Kit, odd: Connection) -> None:
    odd.execute("set timezone = 'America/New_York'")  # its EST differs from Australia's
    odd.execute("set datestyle = 'SQL, DMY'")
    odd.execute("select wedsql.make_partitions('2041-01-15'::timestamptz, 1)")
    bounds = kit.one(
        "select string_agg(pg_get_expr(relpartbound, oid), ' ' order by relname) from pg_class"
        " where relname in ('wed_trace_2041_01', 'wed_trace_2041_02')"
    )
    assert "'2041-01-01 00:00:00+00'" in bounds and "'2041-03-01 00:00:00+00'" in bounds, bounds
    kit.rows("drop table wedsql.wed_trace_2041_01, wedsql.wed_trace_2041_02")


def plain_texts(source: str) -> Iterator[str]:
    """Yield single-quoted strings without an E before them; comments are skipped."""
    token = re.compile(r"--[^\n]*|\b([eE])'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'", re.DOTALL)
    return (m[0] for m in token.finditer(source) if not m[1] and not m[0].startswith("--"))


def test_no_source_depends_on_how_a_backslash_or_a_letter_is_read() -> None:
    """Each session compiles a function under its own settings, which define what a backslash means."""
    assert list(plain_texts(r"x = E'\'' || 'a' -- it's")) == ["'a'"]
    for path in kernel.sources():
        source = path.read_text(encoding="utf-8")
        assert source.isascii(), path
        assert [text for text in plain_texts(source) if "\\" in text] == [], path
