"""A trouble of the server while a condition is evaluated says nothing about the condition or the state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from flows.tests.kit import Kit

pytestmark = pytest.mark.kernel
TROUBLES = ("53100", "53200", "57000", "58030", "XX000")
# Functions that evaluate or check the text of a condition: each of their handlers lets troubles through.
EVALUATES = (
    "40_engine/05_generate.sql", "40_engine/09_generated_read.sql", "20_lexer/70_probe.sql",
    "../capabilities/conditions/sql/02_evaluate.sql", "../capabilities/conditions/sql/03_problems.sql",
    "../capabilities/filters/sql/01_where.sql", "../capabilities/sla/sql/04_clocks.sql",
)  # fmt: skip
PASSES = re.compile(
    r"when ({trouble}|%3\$s|insufficient_resources or operator_intervention or system_error.*) then raise"
)
BY_CODE = re.compile(r"when others then\s+if wedsql\._passes\(sqlstate\) then\s+raise")
FAILS = """
create or replace function wed_match.fails_in_a_test(p text) returns text language plpgsql as $$ begin
  if coalesce(current_setting('test.fails', true), '') <> '' then
    raise exception 'out of memory' using errcode = current_setting('test.fails');
  end if;
  return p;
end $$
"""
GENERATED = """
select pg_get_functiondef(p.oid) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname = 'wed_match' and p.proname ~ ('_' || %s || '$') and strpos(p.prosrc, '''one''') > 0
"""


@pytest.fixture
def fragile(kit: Kit) -> Iterator[Kit]:
    """A flow whose conditions fail with the code that the session's setting test.fails names."""
    kit.attrs("a", "b")
    kit.trig("tr_x", "a = 'one'")
    kit.final("a = '2'")
    kit.rows(
        "insert into {f}.wed_trig (tgname, cpred, integrity)"
        " values ('g', $$a is null or a <> 'one' or b is null$$, 'always')"
    )
    kit.rows(FAILS)
    texts = kit.rows(GENERATED, [kit.id])
    assert len(texts) >= 3, "the matcher, its errors, and the guard"
    for (text,) in texts:
        kit.conn.execute(text.replace("'one'", "wed_match.fails_in_a_test('one')"))
    yield kit
    fails(kit, "")


def fails(kit: Kit, code: str) -> None:
    kit.rows("select set_config('test.fails', %s, false)", [code])


def code_of(kit: Kit, statement: str, *params: object) -> str:
    """Return the code of the error that the statement raises."""
    try:
        kit.rows(statement, params)
    except psycopg.Error as error:
        return error.sqlstate or "unknown"
    return ""


@pytest.mark.parametrize("code", TROUBLES)
def test_a_trouble_ends_the_statement(code: str, fragile: Kit) -> None:
    wid = fragile.start(a="one")
    before = fragile.story(wid)
    fails(fragile, code)
    assert code_of(fragile, "insert into {f}.wed_flow (a) values ('one')") == code
    fails(fragile, "")
    assert fragile.story(wid) == before and fragile.status(wid) == "R"
    assert fragile.run("tr_x", wid, a="2").status == "F"


def test_a_fault_of_a_condition_is_still_one_of_the_condition(fragile: Kit) -> None:
    fails(fragile, "22012")
    assert code_of(fragile, "insert into {f}.wed_flow (a) values ('one')").startswith("WD")


def test_every_handler_of_an_evaluation_lets_troubles_through() -> None:
    for name in EVALUATES:
        text = (Path("flows/sql") / name).read_text()
        handlers = [one.start() for one in re.finditer(r"when others", text)]
        assert handlers, name
        for place in handlers:
            before, after = text[max(0, place - 160) : place], text[place : place + 80]
            assert PASSES.search(before) or BY_CODE.match(after), (name, text[place - 80 : place + 40])
