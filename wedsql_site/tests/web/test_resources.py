"""Requests release all resources of a real web process: connections, threads, files, memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from monitor.tests.conftest import HERE, client_of, numbers_of
from testkit.web import WebServer
from tests.addresses import all_addresses
from tests.http_load import (
    SOCKETS,
    ProcessResources,
    fetch,
    handshake,
    in_parallel,
    request_text,
    send_acknowledgements,
    send_and_cancel,
    send_slowly,
)
from wedsql_site import capacity

# What a machine with many cores would have as threads for other work; the site sets its own number.
MANY_CORES = {"ASGI_THREADS": "16"}
# Every client of these tests has the same address.
UNBOUND = {"WEDSQL_CONNECTIONS_PER_ADDRESS": "0"}
# Threads of the interpreter, of the pool and of the live connections.
_STANDING_THREADS = 12
_GROWTH_KB = 20_000
Until = Callable[..., None]
Story = Callable[["Watched"], None]


@dataclass
class Watched:
    """A web process with its database."""

    server: WebServer
    dsn: str

    @property
    def port(self) -> int:
        return self.server.port

    def held(self) -> ProcessResources:
        return ProcessResources.of(self.server.process.pid)

    def number(self, name: str) -> float:
        return numbers_of(fetch(self.port, "/metrics"))[name]

    @contextmanager
    def database_gone(self) -> Iterator[None]:
        """End all sessions of the web process and allow no new ones."""
        name = str(conninfo_to_dict(self.dsn)["dbname"])
        allow = sql.SQL("alter database {} allow_connections {}")
        with psycopg.connect(make_conninfo(self.dsn, dbname="postgres"), autocommit=True) as outside:
            outside.execute(allow.format(sql.Identifier(name), sql.Literal(False)))
            try:
                outside.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity"
                    " where datname = %s and application_name in ('wedsql-web', 'wedsql-monitor')",
                    [name],
                )
                yield
            finally:
                outside.execute(allow.format(sql.Identifier(name), sql.Literal(True)))


@pytest.fixture(scope="module")
def web(dsn: str) -> Iterator[Watched]:
    with WebServer.on(dsn, **MANY_CORES, **UNBOUND) as server:
        watched = Watched(server, dsn)
        parallel(watched)  # threads and pooled connections are kept, so a first round opens them
        yield watched


@pytest.fixture
def mallory(dsn: str, django_db_blocker: Any) -> Iterator[Client]:
    """A user without rights; committed, so that the web process sees the account."""
    with django_db_blocker.unblock():
        user = User.objects.create_user("mallory" + HERE)
        yield client_of(user)
        user.delete()
        connection.close()


def everything() -> list[bytes]:
    """Return requests of every URL with every method of a form or a link, and as many unknown ones."""
    addresses = all_addresses()
    unknown = [f"/nothing{address}" for address in addresses] + ["/static/nothing.css"]
    posts = [request_text(address, "POST", body="username=nobody&password=x") for address in addresses]
    return [*map(request_text, addresses + unknown), *posts]


def parallel(web: Watched) -> None:
    assert 0 not in in_parallel(web.port, everything())


def given_up(web: Watched) -> None:
    send_and_cancel(web.port, everything())


def slow(web: Watched) -> None:
    send_slowly(web.port, everything()[:60])


def sockets(web: Watched) -> None:
    lines = [handshake(web.port, path) for path in SOCKETS] * 15
    assert 0 not in in_parallel(web.port, lines)
    send_and_cancel(web.port, lines)


def away(web: Watched) -> None:
    with web.database_gone():
        unknown = [request_text(f"/nothing-{n}/") for n in range(60)]
        assert set(in_parallel(web.port, unknown)) == {404}
        in_parallel(web.port, [request_text(path) for path in ("/", "/instances/1/", "/readyz")] * 3)
        in_parallel(web.port, [handshake(web.port, path) for path in SOCKETS])


def test_unknown_addresses_take_no_connection_for_good(web: Watched) -> None:
    found = in_parallel(web.port, [request_text(f"/nothing-{n}/") for n in range(120)])
    assert set(found) == {404}
    pages = [request_text(path) for path in ("/readyz", "/", "/instances/1/")]
    assert in_parallel(web.port, pages) == [200, 302, 302]


def test_lines_that_acknowledge_in_a_loop_are_closed_and_cost_nothing(web: Watched, mallory: Client) -> None:
    session = mallory.cookies["sessionid"].value
    before = web.held()
    for _ in range(3):
        assert send_acknowledgements(web.port, session, connections=3) == [True] * 3
        assert in_parallel(web.port, [request_text("/healthz")]) == [200]
    assert web.held().memory_kb - before.memory_kb < _GROWTH_KB
    assert web.number("wedsql_live_watchers") == 0


@pytest.mark.slow
@pytest.mark.parametrize("story", [parallel, given_up, slow, sockets, away])
def test_everything_returns_to_where_it_was(story: Story, web: Watched, until: Until) -> None:
    if story is not parallel:  # the first round of which the fixture has run
        story(web)
    before = web.held()
    story(web)
    until(lambda: in_parallel(web.port, [request_text("/readyz")]) == [200], "the process is ready")
    until(lambda: web.number("wedsql_pool_connections_used") <= 1, "connections come back to the pool")
    until(lambda: web.number("wedsql_web_requests") <= 1, "requests give back their thread")
    until(lambda: web.held().files <= before.files + 4, f"files are closed: {before}, {web.held()}")
    after = web.held()
    assert after.threads <= capacity.CONNECTIONS + _STANDING_THREADS
    assert after.memory_kb - before.memory_kb < _GROWTH_KB
    assert in_parallel(web.port, [request_text("/readyz"), request_text("/")]) == [200, 302]
