"""Make each test run an installation of its own, with a private cluster, so that runs cannot interfere.

DATABASE_URL names another server instead. The settings are loaded here, after their environment is set.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import re
import shutil
import signal
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import django
import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from flows.tests import hostile
from flows.tests.flow_pool import FlowPool, OwnFlow, PooledFlow
from flows.tests.spread import MODES
from testkit import kernel_db, leftovers, places, site_tables, template, waiting
from testkit.samples import sql_of
from testkit.sessions import SessionPool
from wedsql_site import postgres
from wedsql_site.postgres import binaries, process

CHECKOUT = Path(__file__).resolve().parent
OWN_SERVER = "DATABASE_URL" not in os.environ
# A crash of the machine may lose a test's data; the kill of a process may not.
_TEST_SERVER = {
    "fsync": "off",
    "full_page_writes": "off",
    "deadlock_timeout": "100ms",
    "jit": "off",  # as for the roles of the product
    "max_prepared_transactions": "4",
    "wal_compression": "off",
}
# A test calls a statement a few times, and a session plans it again for each of the first five calls. With
# hostile settings, plans are made as on a usual server.
_QUICK_PLANS = {"plan_cache_mode": "force_generic_plan"}
_PREFIX = "wedsql-test-"
places.use_memory()
_STATE = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
_STATE.chmod(0o711)  # the server's user can pass through, but no user can list it

os.environ |= {
    "DJANGO_SETTINGS_MODULE": "wedsql_site.settings",
    "WEDSQL_STATE_DIR": str(_STATE),
    "WEDSQL_SECRET_KEY": "for-tests-only-" + "x" * 50,
    "WEDSQL_ALLOWED_HOSTS": "testserver,127.0.0.1,localhost",
    "WEDSQL_HTTPS": "0",
    "WEDSQL_FLOW_MIGRATIONS": str(_STATE / "flow_migrations"),
}
django.setup()

from django.conf import settings  # noqa: E402 - they are made above
from django.db import connection, transaction  # noqa: E402 - the settings are made above
from django.test.utils import setup_databases, teardown_databases  # noqa: E402
from django.utils import translation  # noqa: E402

from wedsql_site import urls  # noqa: E402, F401 - importing registers the models of the admin
from wedsql_site.database import TEST_DATABASE  # noqa: E402
from wedsql_site.supervisor import preparation  # noqa: E402

settings.PASSWORD_HASHERS = ["testkit.passwords.QuickPasswords"]
Connect = Callable[..., psycopg.Connection[Any]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--pg",
        default="embedded",
        help="'embedded' (the wheel), 'debian' (the newest system package) or --pg=DIR with the programs",
    )
    parser.addoption(
        "--mode",
        default="single",
        choices=[*MODES, "all", "one"],
        help="how the tests of the kernel take and complete jobs (flows/tests/modes.py); 'one': each test in "
        "one of its ways",
    )
    parser.addoption(
        "--settings",
        default="usual",
        choices=["usual", "hostile"],
        help="the settings that sessions inherit from the server (flows/tests/hostile.py)",
    )


def pytest_configure(config: pytest.Config) -> None:
    if OWN_SERVER:
        _remove_abandoned()
        _choose_programs(config.getoption("--pg"))
        is_hostile = config.getoption("--settings") == "hostile"
        options = _TEST_SERVER | (hostile.prepare() if is_hostile else _QUICK_PLANS)
        cluster = postgres.Cluster(postgres.default_cluster().home, settings=options)
        template.fill(cluster, options)
        postgres.ensure_running(cluster)


def pytest_collection_finish() -> None:
    """Collect garbage seldom, and leave out the modules and tests that stay to the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def pytest_unconfigure(config: pytest.Config) -> None:
    if OWN_SERVER:
        _remove(postgres.default_cluster())
    shutil.rmtree(_STATE, ignore_errors=True)


def _choose_programs(choice: str) -> None:
    if choice == "embedded":
        return
    programs = binaries.from_system() if choice == "debian" else Path(choice)
    if programs is None or not (programs / "initdb").exists():
        raise pytest.UsageError(
            f"--pg {choice}: no PostgreSQL programs there (Debian: apt-get install postgresql)"
        )
    os.environ["WED_PG_BIN"] = str(programs)


def _remove_abandoned() -> None:
    """Delete the clusters of runs that were killed.

    They are not shut down: a server whose sessions wait for a standby takes a minute for that, and each run
    that begins would wait for it.
    """
    for home in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        owner = re.match(rf"{_PREFIX}(\d+)-", home.name)
        if owner is None or Path(f"/proc/{owner[1]}").exists():
            continue
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # another run does the same
            if home.stat().st_uid == os.geteuid():
                for pid_file in home.rglob("postmaster.pid"):
                    _end_now(postgres.Cluster(pid_file.parent.parent))
                shutil.rmtree(home, ignore_errors=True)


def _remove(cluster: postgres.Cluster) -> None:
    """End the server without the checkpoint of a shutdown, which would write files that are deleted."""
    _end_now(cluster)
    waiting.until(lambda: not process.survivors(cluster), what="the server of the tests runs on")
    for directory in {cluster.home, cluster.socket}:
        shutil.rmtree(directory, ignore_errors=True)


def _end_now(cluster: postgres.Cluster) -> None:
    """End a server as if the machine had failed, if it runs."""
    pid = process.postmaster(cluster)
    if pid is not None:
        os.kill(pid, signal.SIGQUIT)


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_blocker: Any, sessions: SessionPool
) -> Iterator[None]:
    """Create and migrate the test database in every run that uses it.

    pytest-django's own fixture does so only for tests marked django_db; these tests use psycopg, too.
    """
    if OWN_SERVER:  # a copy of the template, which has the database
        connection.close()
        connection.settings_dict["NAME"] = settings.DATABASES["default"]["NAME"] = TEST_DATABASE
        with django_db_blocker.unblock():
            site_tables.keep_what_is_there()
            leftovers.keep_what_is_there()
        yield
        return
    with django_db_blocker.unblock():
        made = setup_databases(verbosity=0, interactive=False, aliases={"default"})
        preparation.install_roles()
        connection.close()
    yield
    sessions.close()  # a database with sessions cannot be dropped
    with django_db_blocker.unblock():
        teardown_databases(made, verbosity=0)


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Remove what the tests of a file have left in the site's database."""
    yield
    if OWN_SERVER and connection.settings_dict["NAME"] == TEST_DATABASE:
        with request.getfixturevalue("django_db_blocker").unblock():
            leftovers.remove(request.path.relative_to(CHECKOUT))


_EACH = 25
_begun = itertools.count(1)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Reopen Django's connection from time to time: what it keeps of dropped flows makes it slower."""
    if next(_begun) % _EACH == 0 and not connection.in_atomic_block:
        connection.close()


@pytest.fixture(scope="session")
def dsn(request: pytest.FixtureRequest) -> str:
    """The URI of the migrated test database, connected as its owner."""
    if changed := os.environ.get(kernel_db.CHANGED):
        return changed
    request.getfixturevalue("django_db_setup")
    name = connection.settings_dict["NAME"]
    if OWN_SERVER:
        return postgres.default_cluster().dsn(database=name)
    return make_conninfo(os.environ["DATABASE_URL"], dbname=name)


@pytest.fixture(scope="session")
def sessions() -> Iterator[SessionPool]:
    """Idle sessions of earlier tests."""
    pool = SessionPool()
    yield pool
    pool.close()


@pytest.fixture
def connect(dsn: str, sessions: SessionPool) -> Iterator[Connect]:
    """A function `connect(role=None)` that opens an autocommit connection with search_path wedsql.

    The connections end with the test; those that are as good as new are kept for the next test.
    """
    opened: list[tuple[Any, psycopg.Connection[Any]]] = []

    def open_connection(role: str | None = None, **options: Any) -> psycopg.Connection[Any]:
        options.setdefault("options", "-c search_path=wedsql")
        if role and OWN_SERVER:
            options["user"] = role
        key = (dsn, tuple(sorted(options.items())))
        session = sessions.get(key)
        opened.append((key, session))
        if role and not OWN_SERVER:  # the roles of that server may need passwords
            session.execute(sql.SQL("set session authorization {}").format(sql.Identifier(role)))
        return session

    yield open_connection
    for key, session in opened:
        sessions.put(key, session)


@pytest.fixture(autouse=True)
def default_language() -> Iterator[None]:
    """The language that a page was asked for ends with its test; Django's test client leaves it active."""
    yield
    translation.deactivate()


@pytest.fixture
def default_signals() -> Iterator[None]:
    """SIGHUP and SIGINT end the processes of the test, also where the suite runs in the background."""
    before = {
        signal.SIGHUP: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
    }
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def flow(connect: Connect) -> Iterator[str]:
    """The name of a new, empty flow that is dropped after the test."""
    name = f"f_{uuid.uuid4().hex[:12]}"
    session = connect()
    session.execute("select wedsql.create_flow(%s)", [name])
    yield name
    session.execute("select wedsql.drop_flow(name, true) from wedsql.flow where name = %s", [name])


@pytest.fixture(scope="module")
def flow_pool(dsn: str) -> Iterator[FlowPool]:
    """The flows that the tests of a module leave to each other."""
    with psycopg.connect(dsn, autocommit=True, prepare_threshold=None) as admin:
        pool = FlowPool(admin)
        yield pool
        pool.close()


@pytest.fixture(scope="module")
def standing(django_db_setup: None, django_db_blocker: Any) -> Callable[[Callable[[], str]], str]:
    """A function that makes a flow which the tests of the module share, in a transaction before theirs.

    What they do to it is rolled back.
    """

    def made(make: Callable[[], str]) -> str:
        with django_db_blocker.unblock(), transaction.atomic():
            return make()

    return made


@pytest.fixture
def loaded(request: pytest.FixtureRequest, connect: Connect) -> Iterator[Callable[[str], str]]:
    """A function `loaded(text)` that defines the test's flow by SQL and returns its name.

    The text is SQL, or the name of a sample. A test without the fixture `flow` may get one that an earlier
    test has defined in the same way.
    """
    made: OwnFlow | PooledFlow
    if "flow" in request.fixturenames:
        made = OwnFlow(request.getfixturevalue("flow"))
    else:
        made = PooledFlow(request.getfixturevalue("flow_pool"))

    def define(text: str) -> str:
        return made.define(sql_of(text), connect)

    yield define
    made.leave()
