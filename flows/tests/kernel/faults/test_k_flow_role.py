"""The database role of one flow: the paper's SQL works for it exactly as written, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest

from flows import api
from flows.tests.kit import Kit, refused
from testkit import kernel_db

pytestmark = pytest.mark.kernel


@pytest.fixture
def own(fig2: Kit, dsn: str) -> Iterator[psycopg.Connection[Any]]:
    """A session of the role that has the name of the flow."""
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


@pytest.mark.parametrize("tag", ["$f$", "$t$", "$q$", "$$", "$function$"])
def test_a_default_is_a_value_whatever_its_text(fig2: Kit, own: psycopg.Connection[Any], tag: str) -> None:
    text = f"' {{flow}} {{id:L}} %s \\ {tag}; create table wedsql.made_by_a_default (); select {tag}"
    own.execute("insert into wed_attr (aname, adv) values ('more', %s)", [text])
    assert fig2.one("select to_regclass('wedsql.made_by_a_default')") is None
    assert fig2.state(fig2.start())["more"] == text


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


def test_statements_are_not_compiled_to_machine_code(fig2: Kit, own: psycopg.Connection[Any]) -> None:
    own.execute("reset jit")
    assert own.execute("show jit").fetchone() == ("off",)
    query = "select rolname from pg_roles where 'jit=off' = any (rolconfig) order by 1"
    names = [row.rolname for row in fig2.rows(query)]
    assert names == ["wed_monitor", "wed_reaper", "wed_web", "wed_worker"]
    query = "select setconfig from pg_db_role_setting where setrole = %s::regrole"
    assert "jit=off" in fig2.one(query, [fig2.name])


def test_the_definition_is_written_through_the_views(one: Kit) -> None:
    """INSERT, UPDATE and DELETE behave as on a table, and do not change a flow with the same names."""
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
    """Not even by its owner or a superuser."""
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


def test_a_role_is_that_of_a_flow_of_one_database(one: Kit, dsn: str) -> None:
    """Roles belong to the whole server: a flow of that name in another database grants it nothing."""
    one.one("select wedsql.open_flow_role(%s)", [one.name])
    with kernel_db.database() as second, psycopg.connect(second, autocommit=True) as elsewhere:
        elsewhere.execute("select wedsql.create_flow(%s)", [one.name])
        with refused("WD004") as why:
            elsewhere.execute("select wedsql.open_flow_role(%s)", [one.name])
        assert psycopg.conninfo.conninfo_to_dict(dsn)["dbname"] in why.message
        elsewhere.execute("select wedsql.close_flow_role(%s)", [one.name])
        kernel_db.install(elsewhere)
        own = psycopg.connect(
            psycopg.conninfo.make_conninfo(second, user=one.name, options=""), autocommit=True
        )
        with closing(own), refused("42501"):
            own.execute(f"select * from {one.name}.wed_flow")  # type: ignore[call-overload]
        elsewhere.execute("select wedsql.create_flow('their_own')")
        elsewhere.execute("select wedsql.open_flow_role('their_own')")
        elsewhere.execute("select wedsql.close_flow_role('their_own')")
    assert one.one("select has_table_privilege(%s, %s, 'update')", [one.name, f"{one.name}.wed_flow"])
    one.one("select wedsql.close_flow_role(%s)", [one.name])


def test_what_a_flows_role_says_of_itself_stands_beside_its_name(
    fig2: Kit, own: psycopg.Connection[Any]
) -> None:
    """This holds for every way to act; actors given by the product's roles, which act for users, are kept."""
    own.execute("select set_config('wedsql.actor', 'boss', false)")
    own.execute("insert into wed_flow default values")
    actor = f"boss ({fig2.name})"
    (wid,) = own.execute("select start('{}', 'boss')").fetchone() or (0,)
    with own.transaction():
        job = own.execute("select wid, job_id from take('{tr_a2}')").fetchone()
        own.execute("select complete_many(array[%s], array[%s::bigint], '{null}', '{\"{}\"}', 'boss')", job)
    job = own.execute("select wid, job_id from hold('{tr_a2}')").fetchone()
    own.execute("select complete_held(%s, %s, '{}', 'boss')", job)
    with own.transaction():
        own.execute(
            "select pg_try_advisory_xact_lock(wid, tgid) from job_pool where trname = 'tr_a3' and wid = %s",
            [wid],
        )
        own.execute("update wed_flow set a3 = 'x' where wid = %s", [wid])
    actors = fig2.rows("select distinct actor from wedsql.wed_trace where flow_id = %s", [fig2.id])
    assert [row.actor for row in actors] == [actor]
    own.execute("insert into wed_attr (aname) values ('b')")
    assert (
        fig2.one("select actor from wedsql.flow_version where flow_id = %s order by version desc", [fig2.id])
        == actor
    )
    assert fig2.trace(api.instances.start(fig2.name, {}, actor="ann", conn=fig2.conn))[0].actor == "ann"
