"""Fixtures of the kernel tests, which use psycopg on a database with nothing but the kernel."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from flows import api
from flows.tests.kit import Connection, Kit
from flows.tests.publications import BASE, forget
from flows.tests.spread import spread
from testkit import kernel_db


@pytest.fixture(scope="session")
def dsn() -> Iterator[str]:
    """The URI of a database with the kernel and a clock that wedsql.test_offset moves."""
    with kernel_db.database() as uri:
        yield uri


@pytest.fixture
def flow(connect: Callable[..., psycopg.Connection[Any]]) -> Iterator[str]:
    """The name of a new, empty flow that is dropped after the test with all its instances."""
    name = f"f_{uuid.uuid4().hex[:12]}"
    connection = connect()
    api.create_flow(name, conn=connection)
    yield name
    connection.execute("set lock_timeout = '10s'")
    connection.execute(  # a failed test may have left a transaction open
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where datname = current_database() and state like 'idle in transaction%' and"
        " pid <> pg_backend_pid()"
    )
    if connection.execute("select 1 from wedsql.flow where name = %s", [name]).fetchone():
        api.drop_flow(name, force=True, conn=connection)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes jobs by its kit in each of the selected modes."""
    spread(metafunc)


@pytest.fixture
def mode() -> str:
    """The mode in which a test takes and completes jobs unless it is parametrized by `--mode`."""
    return "single"


@pytest.fixture
def kit(flow: str, connect: Callable[..., psycopg.Connection[Any]], mode: str) -> Kit:
    """The test's flow with helpers to define, run and inspect it."""
    kit = Kit(flow, connect, mode)
    kit.rows("delete from wedsql.beat")  # written by the reapers of other tests at other times
    return kit


@pytest.fixture
def one(kit: Kit) -> Kit:
    """A flow with one transition of a minute; some modules have another fixture of this name."""
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'", timeout="1 minute", backoff="0", max_attempts=3)
    kit.final("a = '2'")
    return kit


@pytest.fixture
def tree(kit: Kit) -> Kit:
    """A flow whose instances of kind "order" start children of the same flow, which a worker ends."""
    kit.attr("kind")
    kit.attr("parts", kind="integer")
    kit.attr("part", kind="integer")
    kit.attrs("packed", "joined")
    kit.attr("done", kind="integer")
    kit.attr("failed", kind="integer")
    kit.trig("pack", "kind = 'part' and packed is null", compensation="inverse")
    kit.final("kind = 'part' and packed is not null or joined is not null")
    return kit


@pytest.fixture
def fig2(kit: Kit, loaded: Callable[[str], str]) -> Kit:
    """The test's flow, defined by figure 2 of the paper."""
    loaded("fig2")
    return kit


@pytest.fixture
def base(kit: Kit) -> Iterator[Kit]:
    """A published flow; its drafts and requests are deleted after the test."""
    api.publish(kit.name, BASE, conn=kit.conn)
    yield kit
    forget(kit.name, kit.conn)


@pytest.fixture
def guarded(base: Kit) -> Kit:
    """A flow whose definitions need an approval."""
    api.publish(base.name, BASE | {"needs_approval": True}, conn=base.conn)
    return base


@pytest.fixture
def web(connect: Callable[..., Connection]) -> Connection:
    """A session of the pages."""
    return connect("wed_web")
