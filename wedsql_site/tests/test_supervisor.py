"""`wedsql up` starts everything, keeps it running, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from flows import api
from testkit.browser import Browser
from testkit.installation import Installation
from testkit.processes import manage
from tests.http_load import handshake
from wedsql_site import postgres
from wedsql_site.postgres import process
from wedsql_site.tests.conftest import FAILED, new_place
from workers.demo.loading import script

pytestmark = pytest.mark.slow
Until = Callable[..., None]
PROGRAMS = {"web", "worker", "reaper"}


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    directory = new_place()
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


class Shared:
    """The installation without the demo that the tests of this file use one after another."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.made = 0
        self.now: Installation | None = None

    def give(self) -> Installation:
        """Return the current one, or a new one with its own directory after a test that failed."""
        if self.now is None:
            self.made += 1
            self.now = Installation(self.home / f"var{self.made}")
        return self.now

    def take_back(self, failed: bool) -> None:
        if failed and self.now is not None:
            self.now.remove()
            self.now = None


@pytest.fixture(scope="module")
def shared(home: Path) -> Iterator[Shared]:
    one = Shared(home)
    yield one
    one.take_back(failed=True)


@pytest.fixture
def running(shared: Shared, request: pytest.FixtureRequest) -> Iterator[Installation]:
    """The installation as the last test left it, running or not; a new one after a test that failed."""
    yield shared.give()
    shared.take_back(request.node.stash.get(FAILED, False))


@pytest.fixture
def up(running: Installation) -> Installation:
    """The installation, running."""
    if running.supervisor is None or running.supervisor.poll() is not None:
        running.up(WEDSQL_DEMO="0")
    return running


@pytest.fixture
def stopped(running: Installation) -> Installation:
    """The installation, which has run and is stopped."""
    if running.supervisor is None:
        running.up(WEDSQL_DEMO="0")
    running.down()
    return running


def test_the_welcome_names_the_url_and_the_log_in(up: Installation) -> None:
    password = (up.state / "admin_password").read_text().strip()
    assert f"http://127.0.0.1:{up.port}/" in up.printed()
    assert password in up.printed()
    assert up.answers()
    assert password not in up.logs()


def test_status_lists_all_processes_and_the_kernel(up: Installation) -> None:
    status = up.status()
    assert {child["name"] for child in status["processes"] if child["alive"]} >= PROGRAMS
    assert status["database"]["pending_migrations"] == []
    assert status["database"]["kernel"]["state"] == "INSTALLED"
    people = up.call("status")
    assert people.returncode == 0
    assert "INSTALLED" in people.stdout


def test_the_programs_share_the_memory_of_the_supervisor(up: Installation, until: Until) -> None:
    # The supervisor, the web process, a cluster with two workers, the cluster of the reaper with one.
    until(lambda: len(up.family()) == 1 + 1 + 6 + 5, "no process more than these")
    assert up.supervisor is not None
    web = up.pids()["web"]
    jobs = up.family() - {up.supervisor.pid, web}
    own = {pid: (_kilobytes(pid, "Private_Dirty"), _kilobytes(pid, "Rss")) for pid in jobs}
    assert [(pid, sizes) for pid, sizes in own.items() if sizes[0] > sizes[1] / 2] == []
    assert _kilobytes(web, "Shared_Dirty") > 10_000


def test_a_live_page_connects(up: Installation) -> None:
    browser = Browser(up.port)
    browser.log_in("admin", (up.state / "admin_password").read_text().strip())
    asked = handshake(up.port, "/ws/").replace(b"a" * 32, browser.cookies["sessionid"].encode())
    with socket.create_connection(("127.0.0.1", up.port), timeout=20) as line:
        line.sendall(asked)
        assert line.recv(100).startswith(b"HTTP/1.1 101 ")


def test_processes_connect_as_roles_without_ownership(up: Installation, until: Until) -> None:
    assert up.call("roles").returncode == 0
    assert up.answers()
    until(lambda: {"wed_web", "wed_worker", "wed_reaper"} <= _users(up), "each process is connected")
    assert "wed" not in _users(up)


def test_a_second_up_finds_the_first(up: Installation) -> None:
    before = up.pids()
    answer = up.call("up")
    assert answer.returncode == 0
    assert "already running" in answer.stdout
    assert up.pids() == before


def test_the_supervisor_logs_json_in_json_format(up: Installation) -> None:
    answer = up.call("up", WEDSQL_LOG_FORMAT="json")
    line = json.loads(answer.stderr)
    assert (line["logger"], line["process"]) == ("wedsql.supervisor", "admin")
    assert line["message"].startswith("already running at") and answer.stdout == ""


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


def test_an_index_that_was_requested_is_created(up: Installation, until: Until) -> None:
    with psycopg.connect(up.cluster.dsn(), autocommit=True) as connection:
        api.create_flow("indexed", conn=connection)
        final = {"final": True, "predicate": "code = '1'"}
        api.publish("indexed", {"attributes": [{"name": "code"}], "triggers": [final]}, conn=connection)
        api.request_index("indexed", "code", conn=connection)
        until(
            lambda: api.attribute_index("indexed", "code", conn=connection).state == "ready",
            "the index is created",
        )
        api.drop_flow("indexed", conn=connection)


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
        api.drop_flow("orders", force=True, conn=connection)


def compensated(connection: psycopg.Connection[Any]) -> int:
    """Return how many steps workers have compensated."""
    found = connection.execute(r"select count(*) from wedsql.wed_trace where trw like '\_COMP:%'").fetchone()
    return int(found[0]) if found else 0


def cancelled_orders(connection: psycopg.Connection[Any], until: Until) -> list[int]:
    """Return orders that workers did, and that now undo three steps each by a worker."""
    api.create_flow("orders", conn=connection)
    connection.execute("set search_path = orders, wedsql")
    connection.execute(script("orders"))  # type: ignore[arg-type]  # a file of the checkout
    connection.execute(
        "update wed_trig set compensation = 'transition', compensated_by = 'tr_refund',"
        " class = 'compensatable' where trname in ('tr_reserve', 'tr_invoice')"
    )
    orders = [{"total": 600, "items": 1, "country": "??"}] * 12
    wids = [one.wid for one in api.start_many("orders", orders, conn=connection) if one.wid]
    waits = "select count(*) from wedsql.instance where status = 'E' and wid = any (%s)"
    until(lambda: connection.execute(waits, [wids]).fetchone() == (12,), "each order waits for its address")
    for wid in wids:
        api.abort(wid, "The shop is closed.", conn=connection)
    return wids


def test_a_port_in_use_is_reported_with_the_remedy(home: Path) -> None:
    with socket.socket() as squatter:
        squatter.bind(("127.0.0.1", 0))
        squatter.listen()
        other = Installation(home / "other", squatter.getsockname()[1])
        answer = other.call("up")
    assert answer.returncode == 1
    assert f"WEDSQL_PORT={other.port + 1}" in answer.stderr
    assert other.family() == set()
    assert not postgres.is_running(other.cluster)


def test_sigterm_leaves_nothing(up: Installation) -> None:
    assert len(up.family()) > len(PROGRAMS)
    assert up.signal(signal.SIGTERM) == 0
    assert up.family() == set()
    assert process.survivors(up.cluster) == []
    assert up.printed().rstrip().endswith("stopped")
    assert "was killed" not in up.printed()


def test_the_second_start_keeps_the_log_in(stopped: Installation) -> None:
    password = (stopped.state / "admin_password").read_text().strip()
    stopped.up(WEDSQL_DEMO="0")
    assert password in stopped.printed()


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


def test_a_database_that_ran_before_is_left_running(running: Installation) -> None:
    running.down()
    postgres.ensure_running(running.cluster)
    running.up(WEDSQL_DEMO="0")
    assert running.signal(signal.SIGINT) == 0
    assert postgres.is_running(running.cluster)
    assert running.call("stop").stdout.strip() == "stopped"
    assert not postgres.is_running(running.cluster)
    assert running.call("stop").stdout.strip() == "nothing was running"


@pytest.mark.usefixtures("default_signals")
def test_a_hang_up_does_not_end_it_under_nohup_but_a_stop_from_another_terminal_does(
    running: Installation,
) -> None:
    running.down()
    running.up(("nohup",), WEDSQL_DEMO="0")
    before = running.pids()
    assert running.supervisor is not None
    running.supervisor.send_signal(signal.SIGHUP)
    assert running.call("status").returncode == 0
    assert running.pids() == before and running.answers()
    assert running.call("stop").returncode == 0
    assert running.supervisor.wait(60) == 0
    assert running.family() == set()


def test_reset_deletes_the_database_and_the_secrets(up: Installation) -> None:
    asked = up.call("reset")
    assert asked.returncode == 1
    assert up.cluster.home.exists()
    assert up.call("reset", "--yes").returncode == 0
    assert not up.cluster.home.exists()
    assert not (up.state / "secret_key").exists()
    assert up.family() == set()


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


def test_programs_are_found_though_the_environment_is_too_small_for_their_marks(
    running: Installation,
) -> None:
    running.down()
    given = [f"{name}={value}" for name, value in running.environ().items() if name.startswith("WEDSQL_")]
    running.up(("/usr/bin/env", "-i", *given, "WEDSQL_DEMO=0"))
    assert b"qcluster" in Path(f"/proc/{running.pids()['worker']}/cmdline").read_bytes(), "no fork's name"
    assert set(running.pids().values()) < running.family()
    assert running.signal(signal.SIGTERM) == 0
    assert running.family() == set()
    assert not postgres.is_running(running.cluster)


def test_waits_for_a_given_database_and_starts_none(place: Path, fresh: postgres.Cluster) -> None:
    own = Installation(place / "var")
    command = manage("wedsql", "install")
    env = own.environ(DATABASE_URL=fresh.dsn(), PYTHONUNBUFFERED="1")
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as install:
        assert install.stdout is not None
        assert "does not answer, waiting" in install.stdout.readline()
        postgres.ensure_running(fresh)
        rest, _nothing = install.communicate(timeout=60)
    assert install.returncode == 0, rest
    assert rest.strip().endswith("installed")
    assert not own.cluster.home.exists()


def _users(installation: Installation) -> set[str]:
    """Return the users that have sessions in the database, without that of this query."""
    with psycopg.connect(installation.cluster.dsn()) as connection:
        rows = connection.execute(
            "select usename from pg_stat_activity where datname = current_database()"
            " and backend_type = 'client backend' and pid <> pg_backend_pid()"
        )
        return {name for (name,) in rows}


def _kilobytes(pid: int, kind: str) -> int:
    """Return a figure of the memory of a process; 0 of one that has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{kind}:"))


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
