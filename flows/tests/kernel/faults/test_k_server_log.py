"""What clients of the paper cause in the server's log: nothing for a result that is accepted."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from flows.tests.kit import Kit, refused, tgid
from testkit.sessions import SessionPool
from wedsql_site import postgres

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif("DATABASE_URL" in os.environ, reason="the log of another server cannot be read"),
]
UPDATE = "update {f}.wed_flow set a2 = 'done' where wid = %s"
USERS = ["the flow", "wed_worker", "superuser"]
LOCKS = "pg_advisory_lock(integer, integer), pg_try_advisory_xact_lock(integer, integer)"


@pytest.fixture(autouse=True)
def new_sessions(sessions: SessionPool) -> None:
    """No session of an earlier test is used: the server logged what that one caused."""
    sessions.close()


def log_of(client: psycopg.Connection[Any]) -> list[str]:
    """Return what the server logged for this session; an earlier one may have had its process number."""
    mark = uuid.uuid4().hex
    client.execute(f"do $$ begin raise log '{mark}'; end $$")
    since = client.execute(
        "select to_char(backend_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS')"
        " from pg_stat_activity where pid = pg_backend_pid()"
    ).fetchone()
    assert since is not None
    lines = postgres.default_cluster().log.read_text(errors="replace").splitlines()
    mine = [line for line in lines if f"[{client.info.backend_pid}]" in line and line >= since[0]]
    assert mark in mine[-1], "the log is the one of this server"
    return [line for line in mine[:-1] if line.find("LOG:") < 0]


@pytest.fixture
def client(fig2: Kit, request: pytest.FixtureRequest) -> Iterator[psycopg.Connection[Any]]:
    """A session with the right to write the flow."""
    if request.param == "the flow":
        fig2.one("select wedsql.open_flow_role(%s)", [fig2.name])
        connection = fig2.connect(user=fig2.name)
    else:
        connection = fig2.connect()
    if request.param.startswith("wed_"):  # a role of the product with rights on the table
        fig2.rows(f"grant select, update on {fig2.name}.wed_flow to {request.param}")
        fig2.rows(f"grant execute on function {LOCKS} to {request.param}")
        connection = fig2.connect(user=request.param)
    yield connection
    connection.close()
    if request.param.startswith("wed_"):
        fig2.rows(f"revoke execute on function {LOCKS} from {request.param}")
    if request.param == "the flow":
        fig2.one("select wedsql.close_flow_role(%s)", [fig2.name])


@pytest.mark.parametrize("client", USERS, indirect=True)
def test_a_result_writes_nothing(fig2: Kit, client: psycopg.Connection[Any]) -> None:
    for _ in range(3):
        wid = fig2.start()
        with client.transaction():
            assert fig2.lock(client, wid, tgid(fig2, "tr_a2"))
            fig2.rows(UPDATE, [wid], client)
        assert fig2.state(wid)["a2"] == "done"
    assert log_of(client) == []


def test_results_of_two_instances_in_one_transaction_write_nothing(fig2: Kit) -> None:
    wids = [fig2.start(), fig2.start()]
    client = fig2.connect()  # not the session that has defined the flow: its text begins a transaction
    with client.transaction():
        for wid in wids:
            assert fig2.lock(client, wid, tgid(fig2, "tr_a2"))
        for wid in wids:
            fig2.rows(UPDATE, [wid], client)
    assert log_of(client) == []


@pytest.mark.parametrize("beside", [(), (2147483647, 7)])
def test_a_lock_of_the_session_is_logged_and_kept(fig2: Kit, beside: tuple[int, ...]) -> None:
    """Even beside another lock of the client, which is kept, too."""
    wid = fig2.start()
    if beside:
        fig2.one("select pg_advisory_lock(%s, %s)", beside)
    fig2.one("select pg_advisory_lock(%s, %s)", (wid, tgid(fig2, "tr_a2")))
    with refused("WD207"):
        fig2.rows(UPDATE, [wid])
    mine = "select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()"
    assert fig2.one(mine) == 1 + bool(beside)
    fig2.one("select pg_advisory_unlock_all()")


def test_a_lock_of_the_clients_own_is_kept(fig2: Kit) -> None:
    """Only this case logs a warning: the kernel must try to unlock the lock to find out whose it is."""
    wid = fig2.start()
    fig2.one("select pg_advisory_lock(7)")
    with fig2.conn.transaction():
        assert fig2.lock(fig2.conn, wid, tgid(fig2, "tr_a2"))
        fig2.rows(UPDATE, [wid])
    assert fig2.one("select pg_advisory_unlock(7)")
