"""Fixtures of the kernel tests, which use psycopg on a database with nothing but the kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from flows.tests.flow_pool import FlowPool
from flows.tests.kit import Connection, Kit
from flows.tests.new_kit import NewKit
from flows.tests.publication.publications import BASE, forget
from flows.tests.spread import spread
from testkit import kernel_db
from testkit.samples import sql_of


@pytest.fixture(scope="session")
def dsn() -> Iterator[str]:
    """The URI of a database with the kernel and a clock that wedsql.test_offset moves."""
    with kernel_db.database() as uri:
        yield uri


@pytest.fixture(scope="module")
def flow_pool(dsn: str) -> Iterator[FlowPool]:
    """The flows that the tests of a module leave to each other."""
    with psycopg.connect(dsn, autocommit=True, prepare_threshold=None) as admin:
        pool = FlowPool(admin, ends_transactions=True)
        yield pool
        pool.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes jobs by its kit in each of the selected modes."""
    spread(metafunc)


@pytest.fixture
def mode() -> str:
    """The mode in which a test takes and completes jobs unless it is parametrized by `--mode`."""
    return "single"


@pytest.fixture
def kit(flow_pool: FlowPool, connect: Callable[..., psycopg.Connection[Any]], mode: str) -> Iterator[NewKit]:
    """The test's flow with helpers to define, run and inspect it."""
    kit = NewKit(flow_pool, connect, mode)
    # Written by the reapers and pages of other tests, at other times.
    kit.of_session("delete from wedsql.beat; delete from wedsql.watch")
    yield kit
    kit.leave()


@pytest.fixture
def flow(kit: Kit) -> str:
    """The name of the test's flow."""
    return kit.name


@pytest.fixture
def loaded(kit: Kit) -> Callable[[str], str]:
    """A function `loaded(text)` that defines the test's flow by SQL and returns its name.

    The text is SQL, or the name of a sample.
    """

    def define(text: str) -> str:
        kit.load(sql_of(text))
        return kit.name

    return define


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
def fig2(kit: Kit) -> Kit:
    """The test's flow, defined by figure 2 of the paper."""
    kit.load(sql_of("fig2"))
    return kit


@pytest.fixture
def base(kit: Kit) -> Iterator[Kit]:
    """A published flow; its drafts and requests are deleted after the test."""
    kit.publish(BASE)
    yield kit
    forget(kit.name, kit.conn)


@pytest.fixture
def guarded(base: Kit) -> Kit:
    """A flow whose definitions need an approval."""
    base.publish(BASE | {"needs_approval": True})
    return base


@pytest.fixture
def web(connect: Callable[..., Connection]) -> Connection:
    """A session of the pages."""
    return connect("wed_web")
