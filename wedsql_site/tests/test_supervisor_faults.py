"""Processes and databases that are killed while `wedsql up` runs."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from flows import api
from testkit.installation import Installation
from wedsql_site import postgres
from wedsql_site.postgres import process
from workers.demo.definitions import script

pytestmark = pytest.mark.slow
Until = Callable[..., None]
PROGRAMS = {"web", "worker", "reaper"}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_killed_process_comes_back_alone(up: Installation, until: Until, name: str) -> None:
    before = up.pids()
    family = _group(before[name])
    os.kill(before[name], signal.SIGKILL)
    until(lambda: up.pids()[name] not in {None, before[name]}, f"{name} starts again")
    assert {other: pid for other, pid in up.pids().items() if other != name} == {
        other: pid for other, pid in before.items() if other != name
    }
    until(lambda: not family & up.family(), f"nothing of the old {name} works on")
    until(up.answers, "the page answers")
    assert f"{name} ended (signal SIGKILL)" in up.printed()


def test_a_killed_database_comes_back(up: Installation, until: Until) -> None:
    pid = process.postmaster(up.cluster)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    until(lambda: process.postmaster(up.cluster) not in {None, pid}, "another postmaster")
    until(lambda: postgres.is_running(up.cluster), "the database answers")
    until(up.answers, "the page answers")


def test_compensations_end_once_each_though_worker_web_and_database_are_killed(
    up: Installation, until: Until
) -> None:
    with psycopg.connect(up.cluster.dsn(), autocommit=True) as connection:
        wids = cancelled_orders(connection, until)
        before = up.pids()
        until(lambda: compensated(connection) > 0, "the first compensation")
        for name in ("worker", "web"):
            os.kill(before[name], signal.SIGKILL)
        until(lambda: compensated(connection) > len(wids), "workers go on")
        postmaster = process.postmaster(up.cluster)
        assert postmaster is not None
        os.kill(postmaster, signal.SIGKILL)
    until(lambda: process.postmaster(up.cluster) not in {None, postmaster}, "another postmaster")
    until(lambda: postgres.is_running(up.cluster), "the database answers")
    with psycopg.connect(up.cluster.dsn(), autocommit=True) as connection:
        running = "select count(*) from wedsql.instance where status <> 'A' and wid = any (%s)"
        until(lambda: connection.execute(running, [wids]).fetchone() == (0,), "every chain ends")
        made, once = connection.execute(
            "select count(*), count(distinct (wid, compensates_seq)) from wedsql.wed_trace"
            r" where trw like '\_COMP:%' and trw <> '_COMP:tr_restock'"
        ).fetchone() or (0, 0)
        done = connection.execute(
            "select count(*) from wedsql.wed_trace where wid = any (%s)"
            " and trw in ('tr_charge', 'tr_reserve', 'tr_invoice')",
            [wids],
        ).fetchone()
        assert made == once and (once,) == done, "each step is undone, and none twice"
        assert connection.execute("select name from wedsql.invariants() where not ok").fetchall() == []
        api.flows.drop("orders", force=True, conn=connection)


def compensated(connection: psycopg.Connection[Any]) -> int:
    """Return how many steps workers have compensated."""
    found = connection.execute(r"select count(*) from wedsql.wed_trace where trw like '\_COMP:%'").fetchone()
    return int(found[0]) if found else 0


def cancelled_orders(connection: psycopg.Connection[Any], until: Until) -> list[int]:
    """Return orders that workers did, and that now undo three steps each by a worker."""
    api.flows.create("orders", conn=connection)
    connection.execute("set search_path = orders, wedsql")
    connection.execute(script("orders"))  # type: ignore[arg-type]  # a file of the checkout
    connection.execute(
        "update wed_trig set compensation = 'transition', compensated_by = 'tr_refund',"
        " class = 'compensatable' where trname in ('tr_reserve', 'tr_invoice')"
    )
    orders = [{"total": 600, "items": 1, "country": "??"}] * 12
    wids = [one.wid for one in api.instances.start_many("orders", orders, conn=connection) if one.wid]
    waits = "select count(*) from wedsql.instance where status = 'E' and wid = any (%s)"
    until(lambda: connection.execute(waits, [wids]).fetchone() == (12,), "each order waits for its address")
    for wid in wids:
        api.compensations.abort(wid, "The shop is closed.", conn=connection)
    return wids


def test_a_killed_supervisor_leaves_no_orphans_nor_a_handler_its_processes(
    up: Installation, until: Until
) -> None:
    up.signal(signal.SIGKILL)
    until(lambda: not up.family(), "all processes are gone")
    status = up.call("status")
    assert status.returncode == 3
    # The database is a service of the checkout: it keeps running, and the next supervisor uses it.
    assert postgres.is_running(up.cluster)
    up.up(WEDSQL_DEMO="0")
    with up.start_orphan("worker") as daemon, up.start_orphan("reaper") as other:
        os.kill(up.pids()["worker"], signal.SIGKILL)
        assert daemon.wait(60) == -signal.SIGKILL, "what a handler left ends with its program"
        assert other.poll() is None
        assert up.signal(signal.SIGTERM) == 0
        assert other.wait(60) == -signal.SIGKILL
    assert not postgres.is_running(up.cluster)


@pytest.mark.usefixtures("default_signals")
def test_processes_of_an_earlier_start_are_found_and_ended_and_a_hang_up_ends_all(
    running: Installation,
) -> None:
    running.down()
    for action, expected_text in [("stop", "stopped"), ("reset", "deleted")]:
        with running.start_orphan() as orphan:
            assert running.status()["left_behind"] == [orphan.pid]
            assert f"processes {orphan.pid} of an earlier start" in running.call("status").stdout
            assert expected_text in running.call(action, *(["--yes"] if action == "reset" else [])).stdout
            assert orphan.wait(60) == -signal.SIGKILL
        assert running.status()["left_behind"] == []
    with running.start_orphan() as orphan:
        running.up(WEDSQL_DEMO="0")
        assert orphan.wait(60) == -signal.SIGKILL
        assert "ended 1 processes that an earlier start had left behind" in running.printed()
    assert running.signal(signal.SIGHUP) == 0


def _group(leader: int) -> set[int]:
    """Return all live processes of a process group."""
    members = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(entry.name)) == leader:
                members.add(int(entry.name))
        except ProcessLookupError:
            continue
    return members
