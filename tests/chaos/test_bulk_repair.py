"""The reaper and then the server are killed in the middle of a bulk repair: it resumes, once for each."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import namedtuple_row

from flows import api
from flows.capabilities.bulk.tests.kernel.test_k_bulk import LOOP, finish, waits_for_a_lock
from flows.capabilities.bulk.tests.kernel.test_k_bulk_repair import request, results, stuck
from flows.tests.kit import Connection, Kit, broken
from testkit import kernel_db
from testkit.server import Server, new_directory

pytestmark = pytest.mark.slow


@pytest.fixture
def server() -> Iterator[Server]:
    """A server with the kernel, not shared because it is killed."""
    with Server(new_directory("wedsql-chaos-bulk-")) as server:
        with server.connect() as admin:
            kernel_db.create(admin, "bulk")
        with psycopg.connect(database(server), autocommit=True) as owner:
            kernel_db.install(owner)
            api.flows.create("shop", conn=owner)
        yield server


def database(server: Server) -> str:
    return psycopg.conninfo.make_conninfo(server.dsn(), dbname="bulk")


@pytest.fixture
def connect(server: Server) -> Iterator[Callable[..., Connection]]:
    """A function that opens a connection to the server, which is closed after the test."""
    opened: list[Connection] = []

    def connect(role: str = "") -> Connection:
        conn: Any = psycopg.connect(database(server), autocommit=True, row_factory=namedtuple_row)
        opened.append(conn)
        if role:
            conn.execute(f"set role {role}")
        return opened[-1]

    yield connect
    for conn in opened:
        conn.close()


def kill_while_it_waits(shop: Kit, server: Server, wid: int, *, whole: bool) -> None:
    """Start a reaper with slices of five, and kill it, or all, while it waits for the job of an instance."""
    watching, held = shop.connect(), shop.connect()
    held.execute("begin")
    held.execute("select 1 from wedsql.job_pool where wid = %s for update", [wid])
    name = f"killed {wid}"
    uri = psycopg.conninfo.make_conninfo(database(server), application_name=name)
    reaper = subprocess.Popen(
        [sys.executable, "-c", LOOP, uri, "5"], cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL
    )
    while not waits_for_a_lock(watching, name):
        assert reaper.poll() is None
        time.sleep(0.01)
    if whole:
        server.kill()
    reaper.kill()
    reaper.wait()
    held.close()
    while (
        not whole
        and watching.execute("select 1 from pg_stat_activity where application_name = %s", [name]).fetchone()
    ):
        time.sleep(0.01)


def test_a_bulk_repair_survives_the_reaper_and_the_server(
    server: Server, connect: Callable[..., Connection]
) -> None:
    shop = Kit("shop", connect)
    shop.attrs("a", "b")
    shop.attr("n", kind="integer")
    shop.trig("tr_x", "a = '1'")
    shop.trig("tr_z", "a = '3' and n > 0")
    shop.final("a = 'end'")
    wids = stuck(shop, 17)
    bulk = request(shop, wids)
    kill_while_it_waits(shop, server, wids[7], whole=False)
    assert results(shop, bulk) == [("done", None)] * 5 + [("left", None)] * 12
    kill_while_it_waits(shop, server, wids[12], whole=True)
    server.start()
    shop = Kit("shop", connect)
    assert results(shop, bulk) == [("done", None)] * 10 + [("left", None)] * 7
    finish(shop.connect("wed_reaper"), 5)
    ended = api.bulk.read(bulk.id, conn=shop.conn)
    assert (ended.state, ended.done, ended.left) == ("finished", 17, 0)
    steps = "select count(*) from wedsql.wed_trace where wid = %s and trw = '_RECOVER:patch'"
    assert [shop.one(steps, [wid]) for wid in wids] == [1] * 17
    assert {(shop.state(wid)["a"], *shop.jobs(wid)) for wid in wids} == {("3", "tr_z")}
    assert broken(shop) == []
