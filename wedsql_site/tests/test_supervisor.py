"""`wedsql up` starts everything, and leaves nothing behind."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from flows import api
from testkit.browser import Browser
from testkit.installation import Installation
from testkit.processes import manage
from tests.http_load import handshake
from wedsql_site import postgres
from wedsql_site.postgres import process

pytestmark = pytest.mark.slow
Until = Callable[..., None]
PROGRAMS = {"web", "worker", "reaper"}


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
    until(lambda: "wed" not in _users(up), "the session of the command has ended, and no process has one")


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


def test_an_index_that_was_requested_is_created(up: Installation, until: Until) -> None:
    with psycopg.connect(up.cluster.dsn(), autocommit=True) as connection:
        api.flows.create("indexed", conn=connection)
        final = {"final": True, "predicate": "code = '1'"}
        api.flows.publish("indexed", {"attributes": [{"name": "code"}], "triggers": [final]}, conn=connection)
        api.indexes.request("indexed", "code", conn=connection)
        until(
            lambda: api.indexes.of_attribute("indexed", "code", conn=connection).state == "ready",
            "the index is created",
        )
        api.flows.drop("indexed", conn=connection)


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
