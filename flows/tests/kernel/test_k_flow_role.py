"""The database role of one flow: the paper's SQL works for it, word for word, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


@pytest.fixture
def own(fig2: Kit, dsn: str) -> Iterator[psycopg.Connection[Any]]:
    """A session of the role named like the flow."""
    fig2.one("select wedsql.open_flow_role(%s)", [fig2.name])
    uri = psycopg.conninfo.make_conninfo(dsn, user=fig2.name, options="")
    with psycopg.connect(uri, autocommit=True) as own:
        yield own
    fig2.one("select wedsql.close_flow_role(%s)", [fig2.name])
    assert fig2.one("select 1 from pg_roles where rolname = %s", [fig2.name]) is None


def test_the_role_lands_in_its_flow_and_works_there(fig2: Kit, own: psycopg.Connection[Any]) -> None:
    own.execute("insert into wed_flow default values")
    wid, tgid = own.execute("select wid, tgid from job_pool where trname = 'tr_a2'").fetchone() or (0, 0)
    with own.transaction():
        own.execute("select pg_try_advisory_xact_lock(%s, %s)", (wid, tgid))
        own.execute("update wed_flow set a2 = 'done' where wid = %s", [wid])
    own.execute("insert into wed_attr (aname) values ('more')")
    assert fig2.state(wid) == {"a1": "ready", "a2": "done", "a3": None, "more": None}
    assert fig2.trace(wid)[-1].actor == fig2.name


@pytest.mark.parametrize(
    "statement",
    [
        "delete from wed_flow",
        "truncate wed_flow",
        "alter table wed_flow disable trigger all",
        "insert into job_pool (wid, tgid) values (1, 1)",
        "select * from wedsql.job_pool",
        "select wedsql.drop_flow(current_schema())",
        "select _commit('{}', '{}', '{}', '{}', '')",
        "create table mine (a integer)",
    ],
)
def test_the_role_can_do_nothing_else(own: psycopg.Connection[Any], statement: str) -> None:
    with refused("42501"):
        own.execute(statement)


def test_a_powerful_role_is_not_taken_for_a_flow(fig2: Kit) -> None:
    fig2.rows(f"create role {fig2.name} createdb")
    try:
        with refused("WD004"):
            fig2.one("select wedsql.open_flow_role(%s)", [fig2.name])
    finally:
        fig2.rows(f"drop role {fig2.name}")


@pytest.mark.parametrize("role", ["wed_web", "wed_worker", "wed_reaper", "wed_monitor"])
def test_no_role_can_take_all_connections(kit: Kit, role: str) -> None:
    limit = kit.one("select rolconnlimit from pg_roles where rolname = %s", [role])
    assert 0 < limit < kit.one("select current_setting('max_connections')::integer")


@pytest.mark.parametrize("role", ["wed_web", "wed_worker", "wed_reaper", "wed_monitor"])
def test_k49_no_role_may_stay_idle_in_a_transaction_for_ever(kit: Kit, role: str) -> None:
    settings = kit.one("select array_to_string(rolconfig, ' ') from pg_roles where rolname = %s", [role])
    assert "idle_in_transaction_session_timeout=" in settings


def test_the_definition_is_written_through_the_views(one: Kit) -> None:
    """INSERT, UPDATE and DELETE answer as those of a table do, and leave a flow of the same names alone."""
    own = one.connect()
    own.execute(f"set search_path = {one.name}")  # type: ignore[call-overload]
    own.execute("insert into wed_attr (aname) values ('b'), ('c')")
    number = "insert into wed_trig (trname, cpred) values ('tr_b', $$b = '1'$$) returning tgid"
    (tgid,) = own.execute(number).fetchone() or (0,)
    changed = own.execute("update wed_trig set cpred = $$c = '1'$$ where trname = 'tr_b' returning tgid")
    assert changed.fetchall() == [(tgid,)]
    with refused("WD007"):
        own.execute("delete from wed_attr where aname = 'c'")
    gone = own.execute("delete from wed_trig where trname = 'tr_b' returning tgid, cpred")
    assert gone.fetchall() == [(tgid, "c = '1'")]
    assert own.execute("delete from wed_attr where aname in ('b', 'c')").rowcount == 2
    assert own.execute("delete from wed_attr where aname = 'b'").rowcount == 0
    assert one.start(a="1") and one.one("select count(*) from {f}.wed_attr") == 1


@pytest.mark.parametrize("view", ["job_pool", "wed_trace", "st_status"])
@pytest.mark.parametrize(
    "statement", ["delete from {}", "update {} set wid = wid", "insert into {} (wid) values (1)"]
)
def test_what_ran_is_not_rewritten_through_a_view(one: Kit, view: str, statement: str) -> None:
    """By its owner and a superuser neither."""
    wid = one.start(a="1")
    with refused("WD301") as why:
        one.rows(statement.format(f"{{f}}.{view}"))
    assert view in why.message and one.story(wid) == [("_INIT", ["tr_x"], "R")]


def test_the_views_are_read_by_index(one: Kit) -> None:
    one.one("select wedsql.open_flow_role(%s)", [one.name])
    try:
        own = one.connect()
        own.execute(f"set role {one.name}")  # type: ignore[call-overload]
        own.execute("set enable_seqscan = off")
        for query, index in (
            ("{f}.job_pool where trname = 'tr_x' and state = 'P'", "job_pool_ready"),
            ("{f}.job_pool where wid = 1 and tgid = 2", "job_pool_pkey"),
            ("{f}.wed_trace where wid = 1 order by seq", "_pkey"),
            ("{f}.st_status where wid = 1", "instance_"),
        ):
            plan = one.one(f"explain (format json) select * from {query}", conn=own)
            assert index in str(plan) and "Index Cond" in str(plan), plan
        own.execute("reset role")
    finally:
        one.one("select wedsql.close_flow_role(%s)", [one.name])
