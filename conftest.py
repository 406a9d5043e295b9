"""The database of the tests: a private cluster for each run, so that runs never meet."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from psycopg import sql
from psycopg.conninfo import make_conninfo

from wedsql_site import database, postgres
from wedsql_site.postgres import binaries

CHECKOUT = Path(__file__).resolve().parent
# A crash of the machine may lose a test's data, a kill of any process may not.
_TEST_SERVER = {"fsync": "off", "full_page_writes": "off", "deadlock_timeout": "100ms"}
_CLUSTER = pytest.StashKey[postgres.Cluster]()

Connect = Callable[..., psycopg.Connection[Any]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--pg",
        default="embedded",
        help="'embedded' (the wheel), 'debian' (the newest system package) or a directory of programs",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Points Django at the server of this run before anything connects."""
    if "DATABASE_URL" not in os.environ:
        config.stash[_CLUSTER] = cluster = _private_cluster(config.getoption("--pg"))
        os.environ["DATABASE_URL"] = postgres.ensure_running(cluster)
    entry = database.default("admin")
    settings.DATABASES["default"]["TEST"].update(entry.pop("TEST"))
    settings.DATABASES["default"].update(entry)
    settings.MONITOR_DATABASE_URL = database.url("monitor")


def pytest_unconfigure(config: pytest.Config) -> None:
    cluster = config.stash.get(_CLUSTER, None)
    if cluster is not None:
        postgres.reset(cluster)
        shutil.rmtree(cluster.home.parent, ignore_errors=True)


def _private_cluster(choice: str) -> postgres.Cluster:
    _remove_abandoned()
    home = Path(tempfile.mkdtemp(prefix=f"wedsql-test-{os.getpid()}-"))
    home.chmod(0o711)
    return postgres.Cluster(home / "postgres", _programs(choice), dict(_TEST_SERVER))


def _programs(choice: str) -> Path | None:
    if choice == "embedded":
        return None
    programs = binaries.from_system() if choice == "debian" else Path(choice)
    if programs is None or not (programs / "initdb").exists():
        raise pytest.UsageError(
            f"--pg {choice}: no PostgreSQL programs there (Debian: apt-get install postgresql)"
        )
    return programs


def _remove_abandoned() -> None:
    """Stops the clusters of runs that were killed."""
    for home in Path(tempfile.gettempdir()).glob("wedsql-test-*"):
        owner = re.match(r"wedsql-test-(\d+)-", home.name)
        if owner and not Path(f"/proc/{owner[1]}").exists() and home.stat().st_uid == os.geteuid():
            postgres.reset(postgres.Cluster(home / "postgres"))
            shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def dsn(django_db_setup: None) -> str:
    """The URI of the migrated test database for its owner."""
    from django.db import connection

    return make_conninfo(os.environ["DATABASE_URL"], dbname=connection.settings_dict["NAME"])


@pytest.fixture
def connect(dsn: str) -> Iterator[Connect]:
    """`connect(role=None)`: an autocommit connection with search_path wedsql, closed after the test."""
    opened: list[psycopg.Connection[Any]] = []

    def open_connection(role: str | None = None, **options: Any) -> psycopg.Connection[Any]:
        options.setdefault("options", f"-c search_path={database.SCHEMA}")
        if role:
            options["user"] = role
        # Definitions change under these connections, and a prepared plan would not survive that.
        connection = psycopg.connect(dsn, autocommit=True, prepare_threshold=None, **options)
        opened.append(connection)
        return connection

    yield open_connection
    for connection in opened:
        connection.close()


@pytest.fixture
def flow(connect: Connect) -> Iterator[str]:
    """The name of a new, empty flow that is dropped after the test."""
    name = f"f_{uuid.uuid4().hex[:12]}"
    connection = connect()
    connection.execute("select wedsql.create_flow(%s)", [name])
    yield name
    connection.execute("select wedsql.drop_flow(name) from wedsql.flow where name = %s", [name])


@pytest.fixture
def loaded(connect: Connect, flow: str) -> Callable[[str], str]:
    """`loaded(text)` defines the test's flow by SQL (a text, or a sample's name) and returns its name."""

    def define(text: str) -> str:
        if re.fullmatch(r"[\w.-]+", text):
            text = _sample(text).read_text()
        connection = connect()
        with connection.transaction():
            connection.execute(sql.SQL("set local search_path = {}, wedsql").format(sql.Identifier(flow)))
            connection.execute(text)
        return flow

    return define


def _sample(name: str) -> Path:
    for directory in ("flows/tests/sql", "flows/tests/flows", "workers/demo/flows"):
        path = CHECKOUT / directory / f"{name}.sql"
        if path.exists():
            return path
    raise LookupError(f"no sample flow {name}.sql")
