"""While pages wait for the database, live pages open, probes answer, and what is queued gets its turn."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from monitor.tests.conftest import Parcels, client_of, numbers_of, parcels, person, site
from testkit.web import WebServer, environ_for
from tests.http_load import ask, fetch, request_text
from tests.page_load import Load
from wedsql_site import capacity

__all__ = ["parcels", "site"]
Connect = Callable[..., psycopg.Connection[Any]]
# The page of views reads this table; neither log-ins, nor rights, nor probes do.
LOCK = "lock table wedsql.saved_view in access exclusive mode"
BLOCKED = """select count(*) from pg_stat_activity
where wait_event_type = 'Lock' and application_name = 'wedsql-web' and datname = current_database()"""
SOCKETS = 50


@pytest.fixture(scope="module")
def web(dsn: str) -> Iterator[WebServer]:
    """A web process whose statements wait for locks as long as a test needs."""
    own = environ_for(dsn)
    patient = "-c lock_timeout=300s -c statement_timeout=300s"
    role = make_conninfo(own.get("DATABASE_URL_WEB", dsn), options=patient)
    with WebServer.on(dsn, DATABASE_URL_WEB=role, WEDSQL_CONNECTIONS_PER_ADDRESS="0") as server:
        yield server


@pytest.fixture
def load(web: WebServer, parcels: Parcels, site: None) -> Load:
    """What alice reads; the first pages are read, so that the process has loaded what they need."""
    session = client_of(person("alice", staff=True)).cookies["sessionid"].value
    paths = [f"/flows/{parcels.flow}/", "/instances/", f"/instances/{parcels.start()}/", "/"]
    return Load(web.port, session, paths)


def test_live_pages_and_probes_do_not_wait_for_pages(web: WebServer, load: Load, connect: Connect) -> None:
    """All threads of pages wait for a lock, and five times as many requests wait for a thread."""
    queued = 5 * capacity.PAGES

    async def story() -> None:
        assert [await load.get(path) for path in ("/views/", *load.paths)] == [200] * 5
        with connect() as holder, holder.transaction():
            holder.execute(LOCK)
            views = [asyncio.create_task(load.get("/views/")) for _ in range(capacity.PAGES + queued)]
            await _true(lambda: _one(watch, BLOCKED) == capacity.PAGES)
            await _true(lambda: _number(web, "wedsql_web_requests_waiting") == queued)
            assert await load.open_sockets(SOCKETS) == SOCKETS
            assert [await load.get(path) for path in ("/healthz", "/readyz", "/metrics")] == [200] * 3
            assert _number(web, "wedsql_pool_connections_waiting") == 0
            assert not any(each.done() for each in views), "the pages still waited"
        assert Counter(await asyncio.gather(*views)) == {200: len(views)}, "each has had its turn"

    watch = connect()
    asyncio.run(story())


def test_log_ins_of_one_address_do_not_delay_pages(web: WebServer, load: Load, connect: Connect) -> None:
    """They are tried one at a time; those that wait for that take no thread."""
    token = "c" * 32
    body = f"csrfmiddlewaretoken={token}&username=victim&password=wrong"
    post = request_text("/accounts/login/", "POST", f"Cookie: csrftoken={token}\r\n", body)
    watch = connect()

    async def story() -> None:
        with connect() as holder, holder.transaction():
            holder.execute("lock table wedsql.axes_accessattempt in access exclusive mode")
            tries = [asyncio.create_task(ask(web.port, post)) for _ in range(2 * capacity.PAGES)]
            await _true(lambda: _one(watch, BLOCKED) == 1)
            assert [await load.get(path) for path in load.paths] == [200] * len(load.paths)
            assert not any(each.done() for each in tries)
        assert set(await asyncio.gather(*tries)) == {200, 429}

    try:
        asyncio.run(story())
    finally:
        for table in ("axes_accessattempt", "axes_accessfailurelog"):
            watch.execute(f"delete from wedsql.{table} where username = 'victim'")


def test_many_readers_leave_live_pages_and_probes_alone(load: Load) -> None:
    async def story() -> None:
        async with load.readers(50):
            await load.answered(10)
            assert await load.open_sockets(SOCKETS, "/ws/") == SOCKETS
            assert [await load.get(path) for path in ("/healthz", "/readyz")] == [200] * 2
        assert set(load.answers) == {200}

    asyncio.run(story())


def _one(connection: psycopg.Connection[Any], query: str) -> Any:
    row = connection.execute(query).fetchone()
    assert row is not None
    return row[0]


def _number(web: WebServer, name: str) -> float:
    return numbers_of(fetch(web.port, "/metrics"))[name]


async def _true(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not await asyncio.to_thread(condition):
            await asyncio.sleep(0.05)
