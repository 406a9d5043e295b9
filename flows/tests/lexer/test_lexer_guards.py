"""The layers behind the lexer: each works without the one before it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from flows.tests.corpus import oracle

pytestmark = pytest.mark.kernel

POWERLESS = ("plan_error", "type_of", "parse_tree", "written_query", "compute_error", "types_of")
CHECK = "select wedsql.check_predicate_text(%s, %s)"


@pytest.fixture
def db(connect: Callable[..., psycopg.Connection[Any]]) -> psycopg.Connection[Any]:
    return connect()


def plan_error(db: psycopg.Connection[Any], query: str) -> Any:
    row = db.execute("select code from wedsql.plan_error(%s)", [query]).fetchone()
    assert row is not None
    return row[0]


def check_tree(db: psycopg.Connection[Any], query: str) -> None:
    tokens = "array[row(1, 1, 'text', 'x', 0)]::wedsql.token[]"
    db.execute(
        f"select wedsql.check_tree(t.nodes, t.functions, {tokens}, false) from wedsql.parse_tree(%s) t",
        [query],
    )


def test_only_the_powerless_role_touches_rendered_text(db: psycopg.Connection[Any]) -> None:
    rows = db.execute(
        "select p.proname, p.proowner::regrole::text, p.prosecdef, array_to_string(p.proconfig, ';'),"
        " has_function_privilege('wed_web', p.oid, 'execute') from pg_proc p"
        " where p.pronamespace = 'wedsql'::regnamespace and p.proname = any (%s)",
        [list(POWERLESS)],
    ).fetchall()
    assert {row[0] for row in rows} == set(POWERLESS)
    for name, owner, definer, config, open_to_web in rows:
        assert (owner, definer, open_to_web) == ("wed_eval", True, False), name
        for setting in ("search_path=pg_catalog, pg_temp", "TimeZone=UTC", "standard_conforming_strings=on"):
            assert setting in config, name


def test_the_powerless_role_owns_nothing_else(db: psycopg.Connection[Any]) -> None:
    may = "select has_schema_privilege(oid, 'wedsql', 'create'), rolsuper, rolcanlogin, rolcreaterole"
    row = db.execute(may + " from pg_roles where rolname = 'wed_eval'").fetchone()
    assert row == (False, False, False, False)
    tables = "select count(*) from pg_class where relowner = 'wed_eval'::regrole and relpersistence <> 't'"
    assert db.execute(tables).fetchone() == (0,)


def test_a_second_statement_is_refused(db: psycopg.Connection[Any]) -> None:
    assert plan_error(db, "select true where (1 = 1)") is None
    assert plan_error(db, "select true where (1 = 1); select 1 where (true)") == "42P11"


def test_the_powerless_role_may_not_read_a_table(db: psycopg.Connection[Any]) -> None:
    db.execute("create table if not exists wedsql.secret_of_the_test (s text)")
    try:
        for table in ("pg_authid", "wedsql.instance", "wedsql.secret_of_the_test"):
            assert plan_error(db, f"select true from {table}") == "42501", table
    finally:
        db.execute("drop table wedsql.secret_of_the_test")


@pytest.mark.parametrize(
    "query",
    [
        "select exists (select 1 from pg_class)",
        "select (select 1)",
        "select current_date is null",
        "select current_user = 'x'",
        "select count(*) > 0",
        "select row_number() over () = 1",
        "select row(1, 2) is null",
        "select 'x' collate \"C\" = 'y'",
        "select json_value('{}', '$.a') is null",
        "select generate_series(1, 2) = 1 union select true",
    ],
)
def test_the_tree_is_judged_without_the_lexer(db: psycopg.Connection[Any], query: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        check_tree(db, f"{query} from (select null::text as a1) as r")
    if "json_value" in query and db.info.server_version < 170000:
        assert caught.value.sqlstate in ("WD006", "42883")  # a function that does not exist yet
        return
    assert caught.value.sqlstate == "WD006", caught.value
    assert json.loads(caught.value.diag.message_detail or "")["reason"] == "form"


@pytest.mark.parametrize(
    "query", ["select now() is null", "select random() < 1", "select to_char(1, '9') = '1'"]
)
def test_functions_are_judged_without_the_lexer(db: psycopg.Connection[Any], query: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        check_tree(db, f"{query} from (select null::text as a1) as r")
    assert caught.value.sqlstate == "WD006"
    assert json.loads(caught.value.diag.message_detail or "")["reason"] == "stable_use"


def test_a_pure_tree_passes(db: psycopg.Connection[Any]) -> None:
    check_tree(db, "select a1 = 'x' and lower(a1) like 'y' from (select null::text as a1) as r")


def test_a_table_has_no_place_in_the_tree(db: psycopg.Connection[Any]) -> None:
    for query in (
        "select word = 'x' from wedsql.vocabulary",
        "select true",
        "select word from wedsql.vocabulary, pg_class",
    ):
        with pytest.raises(psycopg.Error, match="This form of expression"):
            check_tree(db, query)


def test_a_condition_is_parsed_over_its_own_attributes_alone(db: psycopg.Connection[Any]) -> None:
    attrs = json.dumps({f"a{n}": "integer" for n in range(1000)})
    source = "select wedsql.row_source(wedsql.parse(%s, %s), %s)"
    row = db.execute(source, ["a7 > 1 and (a7 < 5 or a1 is null)", attrs, attrs]).fetchone()
    assert row is not None
    assert row[0] == "(select null::integer as a1, null::integer as a7 offset 0) as r"
    assert db.execute(source, ["true", attrs, attrs]).fetchone() == (
        "(select null::text as wed_none offset 0) as r",
    )


def test_a_check_leaves_nothing_behind(db: psycopg.Connection[Any]) -> None:
    count = "select count(*) from pg_proc"
    before = db.execute(count).fetchone()
    for _ in range(3):  # the second check in a session must not see the first one's tree
        with pytest.raises(psycopg.Error, match="depends on settings"):
            db.execute(CHECK, ["a1 || a2 = 'x'", oracle.ATTRS_JSON])
        db.execute(CHECK, ["a1 = 'x'", oracle.ATTRS_JSON])
    assert db.execute(count).fetchone() == before


def test_a_read_only_transaction_can_check(db: psycopg.Connection[Any]) -> None:
    db.execute("set default_transaction_read_only = on")
    assert db.execute(CHECK, ["a1 = 'x'", oracle.ATTRS_JSON]).fetchone()


def test_a_backslash_means_itself_under_every_setting(db: psycopg.Connection[Any]) -> None:
    """A quote after a backslash stays part of its text even where backslashes escape."""
    text = r"a1 = 'a\'' or true or ''' and false"
    row = db.execute("select (wedsql.canonical(%s, %s)).qualified", [text, oracle.ATTRS_JSON]).fetchone()
    assert row is not None
    for setting in ("on", "off"):
        db.execute("select set_config('standard_conforming_strings', %s, false)", [setting])
        with db.transaction(force_rollback=True):
            answer = db.execute(
                f"select {row[0]} from (select $t$a\\' or true or '$t$::text as a1) as r"
            ).fetchone()
        assert answer == (False,), setting


def test_the_vocabulary_is_read_only_for_people(db: psycopg.Connection[Any]) -> None:
    for table in ("vocabulary", "refusal"):
        for role in ("wed_web", "wed_worker", "wed_eval", "wed_monitor"):
            rights = "select has_table_privilege(%s, %s, 'insert, update, delete, truncate')"
            assert db.execute(rights, [role, f"wedsql.{table}"]).fetchone() == (False,), (table, role)


def test_filling_the_vocabulary_again_changes_nothing(db: psycopg.Connection[Any]) -> None:
    everything = "select count(*), md5(string_agg(v::text, '' order by word)) from wedsql.vocabulary v"
    with db.transaction(force_rollback=True):
        before = db.execute(everything).fetchone()
        db.execute("select wedsql.fill_vocabulary()")
        assert db.execute(everything).fetchone() == before


def test_allowed_functions_are_pure(db: psycopg.Connection[Any]) -> None:
    """Every allowed name has a form that is immutable and neither set-returning nor an aggregate."""
    rows = db.execute(
        "select v.word from wedsql.vocabulary v where v.func = 'ok' and not exists (select 1 from pg_proc p"
        " where p.proname = v.word and p.provolatile = 'i' and not p.proretset and p.prokind = 'f')"
        " and v.word not in ('coalesce', 'greatest', 'least', 'nullif', 'trim')"
    ).fetchall()
    assert rows == []


def test_a_thousand_conditions_load_in_seconds(db: psycopg.Connection[Any]) -> None:
    text = (
        "a1 = 'ready' and (a2 >= 5 or a2 = -1) and lower(a4) in ('x', 'y', 'zz')"
        " and seen + interval '1 day' > due and not paid and doc ->> 'kind' = 'big'"
        " and a4::numeric(10,2) between 1.5 and 9.75"
    )
    assert 180 <= len(text) <= 220
    query = "select count(wedsql.canonical(%s || repeat(' ', i), %s)) from generate_series(1, 20) as i"
    times = []
    for _ in range(5):
        start = time.perf_counter()
        db.execute(query, [text, oracle.ATTRS_JSON])
        times.append((time.perf_counter() - start) / 20)
    assert min(times) < 0.025, times  # about 1 ms on an idle machine
