"""The instructions of docs/operating.md for backup, restore and a new major version, on every server here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from testkit.cases import some
from wedsql_site import environment, postgres
from wedsql_site.postgres import binaries
from wedsql_site.tests.conftest import QUICK, new_place

pytestmark = pytest.mark.slow
MANAGE = [sys.executable, str(environment.CHECKOUT / "manage.py")]
DEBIAN = binaries.from_system()
needs_debian = pytest.mark.skipif(DEBIAN is None, reason="Debian's PostgreSQL is not installed")
FLOW = """
select wedsql.create_flow('letters');
set search_path = letters, wedsql;
begin;
insert into wed_attr (aname) values ('sent'), ('read');
insert into wed_trig (trname, cpred) values ('tr_send', $$sent is null$$), ('tr_read', $$sent = 'yes'$$);
insert into wed_trig (cpred, cfinal) values ($$read = 'yes'$$, true);
commit;
select wedsql.start('letters') from generate_series(1, 4);
select wedsql.open_flow_role('letters');
"""
STEP = """
begin;
select pg_try_advisory_xact_lock(wid, tgid) from letters.job_pool where wid = {0} and trname = '{1}';
update letters.wed_flow set {2} = 'yes' where wid = {0};
commit
"""
Call = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def call(place: Path) -> Iterator[Call]:
    """Run `manage.py` in a separate installation, with the given variables."""
    with installation(place) as run:
        yield run


@contextmanager
def installation(place: Path) -> Iterator[Call]:
    def run(*arguments: object, **environ: str) -> subprocess.CompletedProcess[str]:
        ours = ("WEDSQL_", "DATABASE_", "WED_PG_BIN", "DJANGO_")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        own = clean | {"WEDSQL_STATE_DIR": str(place / "state")} | environ
        command = [*MANAGE, *map(str, arguments)]
        return subprocess.run(command, env=own, capture_output=True, text=True, check=False, timeout=300)

    yield run
    postgres.reset(postgres.Cluster(place / "state" / "postgres"))


@pytest.fixture
def servers(place: Path) -> Iterator[Callable[[Path | None], postgres.Cluster]]:
    """`servers(programs)`: start a separate server."""
    started: list[postgres.Cluster] = []

    def start(programs: Path | None) -> postgres.Cluster:
        own = postgres.Cluster(place / f"server{len(started)}", programs=programs, settings=QUICK)
        postgres.ensure_running(own)
        started.append(own)
        return own

    yield start
    for one in started:
        postgres.reset(one)


def deployer(server: postgres.Cluster, name: str, database: str) -> str:
    """Return the URI of a new, empty database for a role that is no superuser, but may create roles."""
    with psycopg.connect(server.dsn(database="postgres"), autocommit=True) as admin:
        if not admin.execute("select 1 from pg_roles where rolname = %s", [name]).fetchone():
            admin.execute(f"create role {name} login createrole")  # type: ignore[call-overload]
        admin.execute(f"create database {database} owner {name}")  # type: ignore[call-overload]
    return server.dsn(user=name, database=database)


def work(uri: str) -> None:
    """Finish one instance and half of another, as the flow's own role."""
    with psycopg.connect(uri, autocommit=True) as session:
        for wid, transition, attribute in (
            (1, "tr_send", "sent"),
            (1, "tr_read", "read"),
            (2, "tr_send", "sent"),
        ):
            session.execute(STEP.format(wid, transition, attribute))  # type: ignore[call-overload]


def facts(uri: str) -> list[tuple[object, ...]]:
    """Return instances, jobs and history of the database."""
    query = """
        select 'i', wid, status::text, seq::text from wedsql.instance
        union all select 'j', wid, trname, payload::text from wedsql.job_pool
        union all select 't', wid, seq::text, state::text from wedsql.wed_trace order by 1, 2, 3, 4"""
    with psycopg.connect(uri) as session:
        assert session.execute("select bool_and(ok) from wedsql.invariants()").fetchone() == (True,)
        return session.execute(query).fetchall()


def compressions(uri: str) -> set[tuple[object, ...]]:
    """Return how the tables of the history compress states."""
    query = """
        select distinct a.attcompression::text from pg_partition_tree('wedsql.wed_trace') t
        join pg_attribute a on a.attrelid = t.relid and a.attname = 'state'"""
    with psycopg.connect(uri) as session:
        return {*session.execute(query).fetchall()}


def ok(answer: subprocess.CompletedProcess[str]) -> str:
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout


@needs_debian
def test_a_new_major_version_has_all_that_the_old_one_had(call: Call, place: Path) -> None:
    """The instructions unchanged: backup with the old programs, reset, restore, start."""
    saved, old = place / "saved", {"WED_PG_BIN": str(DEBIAN)}
    cluster = postgres.Cluster(place / "state" / "postgres")
    ok(call("wedsql", "install", **old))
    with psycopg.connect(cluster.dsn(), autocommit=True) as session:
        session.execute(FLOW)  # type: ignore[call-overload]
    work(cluster.dsn(user="letters"))
    before = facts(cluster.dsn())
    ok(call("wedsql", "backup", saved, **old))
    ok(call("wedsql", "reset", "--yes"))
    ok(call("wedsql", "restore", saved))
    assert facts(cluster.dsn()) == before
    status = json.loads(call("wedsql", "status", "--json").stdout)["database"]
    assert status["version"].startswith("18") and status["kernel"]["state"] == "INSTALLED"
    with psycopg.connect(cluster.dsn(user="letters"), autocommit=True) as session:
        assert session.execute("show search_path").fetchone() == ("letters",)
        session.execute(STEP.format(2, "tr_read", "read"))  # type: ignore[call-overload]
        assert session.execute("insert into wed_flow default values returning wid").fetchone() == (5,)
    assert [row[:3] for row in facts(cluster.dsn()) if row[:3] == ("i", 2, "F")]


@pytest.mark.parametrize(
    "programs",
    some(
        [pytest.param(None, id="embedded"), pytest.param(DEBIAN, marks=needs_debian, id="debian")], one_in=2
    ),
)
def test_a_deployer_that_is_no_superuser_restores_beside_and_elsewhere(
    programs: Path | None, call: Call, servers: Callable[[Path | None], postgres.Cluster], place: Path
) -> None:
    server, saved = servers(programs), place / "saved"
    one = deployer(server, "deploy", "one")
    output = ok(call("wedsql", "install", DATABASE_URL=one))
    with psycopg.connect(one, autocommit=True) as session:
        may_not = session.info.server_version >= 160000
        assert ("grant pg_signal_backend to wed_owner" in output) == may_not, output
        session.execute(FLOW)  # type: ignore[call-overload]
    work(make_conninfo(one, user="letters"))
    ok(call("wedsql", "backup", saved, DATABASE_URL=one))
    before = facts(one)

    beside = deployer(server, "deploy", "two")
    assert "no kernel yet" in ok(call("wedsql", "roles", DATABASE_URL=beside))
    ok(call("wedsql", "restore", saved, DATABASE_URL=beside))
    elsewhere = deployer(servers(programs), "operator", "three")
    ok(call("wedsql", "restore", saved, DATABASE_URL=elsewhere))
    for uri in (beside, elsewhere):
        assert facts(uri) == before and compressions(uri) == compressions(one)
        assert "INSTALLED" in call("wedsql", "status", DATABASE_URL=uri).stdout
        with psycopg.connect(make_conninfo(uri, user="letters"), autocommit=True) as session:
            session.execute(STEP.format(2, "tr_read", "read"))  # type: ignore[call-overload]
    with psycopg.connect(elsewhere) as session:
        assert session.execute("select 1 from pg_roles where rolname = 'deploy'").fetchone() is None
        owners = "select distinct tableowner::text from pg_tables where schemaname = 'wedsql' order by 1"
        assert session.execute(owners).fetchall() == [("operator",), ("wed_owner",)]


@pytest.fixture(scope="module")
def kept() -> Iterator[tuple[Call, Path]]:
    """An installation with this release's own server, and its backup."""
    place = new_place()
    with installation(place) as call:
        ok(call("wedsql", "install"))
        ok(call("wedsql", "backup", place / "saved"))
        yield call, place / "saved"
    shutil.rmtree(place, ignore_errors=True)


def test_a_database_that_is_not_empty_or_no_backup_is_rejected_unchanged(
    kept: tuple[Call, Path], place: Path
) -> None:
    call, saved = kept
    assert (saved.stat().st_mode & 0o077, (saved / "database.dump").stat().st_mode & 0o077) == (0, 0)
    assert "not empty" in call("wedsql", "restore", saved).stderr
    assert "exists already" in call("wedsql", "backup", saved).stderr
    assert "no backup" in call("wedsql", "restore", place).stderr
    ok(call("wedsql", "reset", "--yes"))
    whole = (saved / "database.dump").read_bytes()
    (saved / "database.dump").write_bytes(whole[: len(whole) // 2])
    assert call("wedsql", "restore", saved).returncode == 1
    (saved / "database.dump").write_bytes(whole)
    ok(call("wedsql", "restore", saved))


@needs_debian
def test_an_older_server_is_rejected(kept: tuple[Call, Path], call: Call) -> None:
    answer = call("wedsql", "restore", kept[1], WED_PG_BIN=str(DEBIAN))
    assert answer.returncode == 1 and "same version or a newer one" in answer.stderr
