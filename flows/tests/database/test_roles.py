"""Least privilege: each role can do what it needs and nothing else.

The tests run on the migrated database, so that they include the grants on Django's tables.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from flows import api

pytestmark = pytest.mark.kernel
Connection = psycopg.Connection[Any]
Connect = Callable[..., Connection]
LOGINS = ["wed_web", "wed_worker", "wed_reaper", "wed_monitor"]
DEFINITION: dict[str, Any] = {
    "attributes": [{"name": "a", "default": "1"}],
    "triggers": [{"transition": "tr_x", "predicate": "a = '1'"}, {"predicate": "a = 'end'", "final": True}],
}


@pytest.fixture
def defined(connect: Connect) -> Iterator[str]:
    """A flow with one instance, dropped after the test."""
    with flow_with_an_instance(connect()) as name:
        yield name


@pytest.fixture(scope="module")
def standing(dsn: str) -> Iterator[str]:
    """Such a flow for all tests that may not change it."""
    with psycopg.connect(dsn, autocommit=True) as admin, flow_with_an_instance(admin) as name:
        yield name


@contextmanager
def flow_with_an_instance(admin: Connection) -> Iterator[str]:
    name = f"r_{uuid.uuid4().hex[:12]}"
    api.flows.create(name, conn=admin)
    api.flows.publish(name, DEFINITION, conn=admin)
    api.instances.start(name, {}, conn=admin)
    yield name
    api.flows.drop(name, force=True, conn=admin)


def denied(connection: Connection, statement: str, *codes: str) -> None:
    """Assert that the statement fails with insufficient_privilege or one of these SQLSTATEs."""
    with pytest.raises(psycopg.Error) as caught:
        connection.execute(statement)  # type: ignore[call-overload]
    allowed = codes or ("42501",)
    assert caught.value.sqlstate in allowed, f"{statement}: {caught.value.sqlstate} {caught.value}"


WRITES = [
    "update {f}.wed_flow set a = 'forged'",
    "insert into {f}.wed_flow default values",
    "delete from {f}.wed_flow",
    "truncate {f}.wed_flow",
    "update wedsql.instance set status = 'F'",
    "insert into wedsql.instance (wid, flow_id, started_at, changed_at) values (1, 1, now(), now())",
    "delete from wedsql.job_pool",
    "update wedsql.job_pool set attempts = 0",
    "update {f}.job_pool set wid = 1",
    "insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, state, status, version, tx_at) "
    "values (1, 1, 1, now(), 'x', '{}', 'R', 1, now())",
    "update wedsql.wed_trace set state = '{}'",
    "delete from wedsql.wed_trace",
    "delete from wedsql.job_log",
    "delete from wedsql.flow_version",
    "delete from wedsql.flow",
    "insert into wedsql.worker (kind, name, started_at, seen_at) values ('x', 'x', now(), now())",
    "update wedsql.beat set seen_at = now()",
    "insert into wedsql.paper_client values (1, 'x', now())",
    "select setval('wedsql.wid_seq', 1)",
]
CONTROL = [
    "alter table {f}.wed_flow disable trigger all",
    "set session_replication_role = replica",
    "alter table {f}.wed_flow add column x text",
    "drop schema {f} cascade",
    "drop function wedsql.reap(integer)",
    "create or replace function wedsql.now() returns timestamptz language sql as 'select null::timestamptz'",
    "create table wedsql.mine (x int)",
    "create schema mine",
    "set role wed_owner",
    "set role wed_eval",
    "create role someone",
    "alter role wed_eval superuser",
    "select pg_read_file('/etc/passwd')",
    "copy (select 1) to program 'true'",
]


@pytest.mark.parametrize("role", LOGINS)
def test_no_role_writes_past_the_kernel(connect: Connect, standing: str, role: str) -> None:
    connection = connect(role)
    connection.execute("set default_transaction_read_only = off")
    for statement in WRITES:
        denied(connection, statement.replace("{f}", standing), "42501", "55000", "WD301")


@pytest.mark.parametrize("role", LOGINS)
def test_no_role_is_above_the_kernel(connect: Connect, standing: str, role: str) -> None:
    connection = connect(role)
    connection.execute("set default_transaction_read_only = off")
    for statement in CONTROL:
        denied(connection, statement.replace("{f}", standing))


@pytest.mark.parametrize("role", LOGINS)
def test_no_role_calls_internals(connect: Connect, standing: str, role: str) -> None:
    """Functions whose name begins with _ are internal, and only the kernel calls those of wed_match."""
    open_to_role = (
        connect()
        .execute(
            "select p.oid::regprocedure::text from pg_proc p where"
            " has_function_privilege(%s, p.oid, 'execute')"
            " and (p.pronamespace in ('wedsql'::regnamespace, %s::regnamespace) and p.proname like '\\_%%'"
            "      or p.pronamespace = 'wed_match'::regnamespace)",
            [role, standing],
        )
        .fetchall()
    )
    assert open_to_role == []
    denied(connect(role), "select wedsql._hold_instance(1)")


def test_the_web_may_define_start_and_work(connect: Connect) -> None:
    web = connect("wed_web")
    name = f"r_{uuid.uuid4().hex[:12]}"
    api.flows.create(name, conn=web)
    api.flows.publish(name, DEFINITION, conn=web)
    wid = api.instances.start(name, {}, conn=web)
    with web.transaction():
        job = api.jobs.take(name, ["tr_x"], conn=web)
        assert job is not None
        assert api.jobs.complete(job, {"a": "end"}, conn=web).status == "F"
    wid = api.instances.start(name, {}, conn=web)
    api.instances.cancel(wid, "no", conn=web)
    api.instances.rematch(name, conn=web)
    assert api.flows.check_predicate(name, "a = '1'", conn=web)
    web.execute(
        "update wedsql.trig set label = 'x' where flow_id = (select id from wedsql.flow where name = %s)",
        [name],
    )
    assert web.execute("select count(*) from wedsql.wed_trace where wid = %s", [wid]).fetchone() == (2,)
    api.flows.drop(name, force=True, conn=web)


@pytest.mark.parametrize(
    "call", ["select wedsql.reap()", "select wedsql.maintain()", "select wedsql.retire('x', '{1}')"]
)
@pytest.mark.parametrize("role", ["wed_web", "wed_worker", "wed_monitor"])
def test_only_the_reaper_reaps(connect: Connect, role: str, call: str) -> None:
    connection = connect(role)
    connection.execute("set default_transaction_read_only = off")
    denied(connection, call)


def test_a_worker_works(connect: Connect, defined: str) -> None:
    worker = connect("wed_worker")
    number = api.workers.register("cluster", "w", "h", 1, [f"{defined}:tr_x"], conn=worker)
    assert api.workers.heartbeat(number, True, conn=worker)
    with worker.transaction():
        job = api.jobs.take(defined, ["tr_x"], conn=worker)
        assert job is not None
        assert api.jobs.complete(job, {"a": "1"}, conn=worker).status == "R"
    leased = api.jobs.lease_many(defined, ["tr_x"], 1, "w", conn=worker)[0]
    assert api.jobs.fail(leased, "no", conn=worker) is not None
    assert api.jobs.offer(defined, ["tr_x"], conn=worker) == []
    api.instances.start(defined, {}, conn=worker)
    api.workers.unregister(number, conn=worker)


@pytest.mark.parametrize(
    "call",
    [
        "select wedsql.create_flow('r_mine')",
        "select wedsql.drop_flow('{f}', true)",
        "select wedsql.publish('{f}', '{}')",
        "select wedsql.rematch('{f}')",
        "select wedsql.withdraw('{f}', 1)",
        "insert into wedsql.attr (flow_id, aname) values (1, 'x')",
        "insert into {f}.wed_attr (aname) values ('x')",
        "update {f}.wed_trig set enabled = false",
        "delete from wedsql.trig",
        "update wedsql.flow set max_firings = 1",
    ],
)
@pytest.mark.parametrize("role", ["wed_worker", "wed_reaper", "wed_monitor"])
def test_only_the_web_defines(connect: Connect, standing: str, role: str, call: str) -> None:
    connection = connect(role)
    connection.execute("set default_transaction_read_only = off")
    denied(connection, call.replace("{f}", standing))


def test_the_reaper_reaps_and_looks(connect: Connect) -> None:
    reaper = connect("wed_reaper")
    assert set(api.maintenance.reap(conn=reaper)) == {
        "ended",
        "expired",
        "timers",
        "late",
        "signals",
        "starts",
    }
    api.maintenance.next_due(conn=reaper)
    assert "in_default" in api.maintenance.maintain(conn=reaper)
    for call in (
        "select wedsql.start('x')",
        "select wedsql.take('x', '{y}')",
        "select wedsql.complete_many('x', '{1}', '{1}', '{1}', '{}')",
    ):
        denied(reaper, call)


def test_the_monitor_reads_and_nothing_else(connect: Connect, standing: str) -> None:
    monitor = connect("wed_monitor")
    for table in (
        "flow",
        "attr",
        "trig",
        "instance",
        "job_pool",
        "wed_trace",
        "job_log",
        "worker",
        "flow_version",
    ):
        monitor.execute(f"select count(*) from wedsql.{table}")  # type: ignore[call-overload]
    monitor.execute(f"select * from {standing}.wed_flow")  # type: ignore[call-overload]
    for call in (
        f"select wedsql.start('{standing}')",
        "select wedsql.cancel(1, 'x')",
        f"select wedsql.lease('{standing}', '{{tr_x}}', 1, 'm')",
    ):
        denied(monitor, call)
    settings = monitor.execute("select rolconfig from pg_roles where rolname = 'wed_monitor'").fetchone()
    assert settings is not None and "default_transaction_read_only=on" in settings[0]


def test_the_evaluator_may_read_nothing(connect: Connect, standing: str) -> None:
    admin = connect()
    tables = [
        "wedsql.flow",
        "wedsql.instance",
        "wedsql.wed_trace",
        f"{standing}.wed_flow",
        "wedsql.trig",
        "wedsql.django_migrations",
    ]
    for table in tables:
        with pytest.raises(psycopg.errors.InsufficientPrivilege), admin.transaction():
            admin.execute("set local role wed_eval")
            admin.execute(f"select * from {table}")  # type: ignore[call-overload]
    assert admin.execute("select rolcanlogin or rolsuper or rolcreaterole or rolcreatedb or rolbypassrls"
                         " from pg_roles where rolname = 'wed_eval'").fetchone() == (False,)  # fmt: skip
    for role in ("wed_eval", "wed_web", "wed_worker"):
        members = "select count(*) from pg_auth_members where member = %s::regrole"
        assert admin.execute(members, [role]).fetchone() == (0,)


@pytest.fixture
def flow_role(connect: Connect, defined: str) -> Iterator[Connection]:
    """A session of the flow's role."""
    admin = connect()
    admin.execute("select wedsql.open_flow_role(%s)", [defined])
    yield connect(defined, options="-c application_name=flow_role")
    admin.execute("select wedsql.close_flow_role(%s)", [defined])


def test_a_flows_role_runs_the_papers_sql_by_name_alone(flow_role: Connection, defined: str) -> None:
    flow_role.execute(f"set search_path = {defined}")  # type: ignore[call-overload]
    flow_role.execute("insert into wed_attr (aname) values ('b')")
    flow_role.execute("insert into wed_trig (trname, cpred) values ('tr_b', $$b = 'go'$$)")
    wid = flow_role.execute("insert into wed_flow (b) values ('go') returning wid").fetchone()[0]  # type: ignore[index]
    job = flow_role.execute("select tgid from job_pool where wid = %s and trname = 'tr_b'", [wid]).fetchone()
    with flow_role.transaction():
        flow_role.execute("select pg_try_advisory_xact_lock(%s, %s)", [wid, job[0]])  # type: ignore[index]
        flow_role.execute("update wed_flow set b = 'done' where wid = %s", [wid])
    rows = flow_role.execute(
        "select trw, status from wed_trace where wid = %s order by seq", [wid]
    ).fetchall()
    assert rows == [("_INIT", "R"), ("tr_b", "R")]


def test_a_flows_role_may_not_touch_another_flow_nor_the_kernel(
    connect: Connect, flow_role: Connection, defined: str
) -> None:
    admin = connect()
    other = f"r_{uuid.uuid4().hex[:12]}"
    api.flows.create(other, conn=admin)
    for statement in (
        f"select * from {other}.wed_flow",
        f"insert into {other}.wed_flow default values",
        f"insert into {other}.wed_attr (aname) values ('x')",
        "select * from wedsql.flow",
        "select * from wedsql.wed_trace",
        "select * from wedsql.django_migrations",
        "select wedsql.reap()",
        f"delete from {defined}.job_pool",
        f"alter table {defined}.wed_flow disable trigger all",
        "set role wed_owner",
    ):
        denied(flow_role, statement)
    flow_id = admin.execute("select id from wedsql.flow where name = %s", [other]).fetchone()[0]  # type: ignore[index]
    denied(
        flow_role,
        f"insert into {defined}.wed_attr (aname, flow_id) values ('x', {flow_id})",
        "44000",
        "42501",
    )
    denied(flow_role, f"update {defined}.wed_attr set flow_id = {flow_id}", "44000", "42501", "WD009")
    api.flows.drop(other, conn=admin)
