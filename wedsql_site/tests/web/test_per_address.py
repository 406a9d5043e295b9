"""No client can take every connection, neither directly nor through trusted proxies."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionLost
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure

from monitor.tests.conftest import HERE, client_of, numbers_of
from testkit.web import WebServer
from tests.http_load import COOKIE, fetch, handshake, request_text
from wedsql_site.web import client_address, per_address, slow_clients
from wedsql_site.web.request_threads import PROBES
from wedsql_site.web.slow_clients import PROBE_CONNECTIONS

LIMIT = 5
BOUND = {"WEDSQL_CONNECTIONS_PER_ADDRESS": str(LIMIT)}
HERE_AND_THERE = ("127.0.0.1", "127.0.0.2")
Until = Callable[..., None]


@pytest.fixture(scope="module")
def web(dsn: str) -> Iterator[WebServer]:
    with WebServer.on(dsn, **BOUND) as server:
        yield server


@pytest.fixture(scope="module")
def proxied(dsn: str) -> Iterator[WebServer]:
    with WebServer.on(dsn, **BOUND, WEDSQL_BEHIND_PROXY="1") as server:
        yield server


@pytest.fixture
def session(dsn: str, django_db_blocker: Any) -> Iterator[str]:
    """The key of a session for live connections."""
    with django_db_blocker.unblock():
        user = User.objects.create_user("nora" + HERE)
        yield client_of(user).cookies["sessionid"].value
        user.delete()
        connection.close()


@pytest.fixture
def opened() -> Iterator[contextlib.ExitStack]:
    with contextlib.ExitStack() as stack:
        yield stack


def connected(server: WebServer, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), 20, source_address=(source, 0))


def asked(server: WebServer, request: bytes, source: str = "127.0.0.1") -> bytes:
    """Return the first bytes of the response; none if the server closes without one."""
    with connected(server, source) as line:
        with contextlib.suppress(ConnectionError):
            line.sendall(request)
            return line.recv(400)
    return b""


def line(server: WebServer, session: str, headers: str = "") -> socket.socket:
    """Return a connection after the handshake of a live connection; the response is still to be read."""
    found = connected(server)
    found.sendall(handshake(server.port, "/ws/").replace(b"a" * 32, session.encode()).replace(
        b"Upgrade: ", headers.encode() + b"Upgrade: ", 1))  # fmt: skip
    return found


def status(found: socket.socket) -> int:
    return int(found.recv(12).split()[1])


def test_idle_connections_of_one_address_do_not_affect_others(
    web: WebServer, opened: contextlib.ExitStack, until: Until
) -> None:
    idle = [opened.enter_context(connected(web)) for _ in range(LIMIT)]
    until(lambda: b" 503 " in asked(web, request_text("/nothing/")), "the address has too many")
    answer = asked(web, request_text("/nothing/"))
    assert b"Retry-After" in answer and b"Too many connections" in answer
    assert b" 404 " in asked(web, request_text("/nothing/"), HERE_AND_THERE[1])
    assert b" 200 " in asked(web, request_text("/healthz")), "probes are answered all the same"
    assert numbers_of(fetch(web.port, "/metrics"))["wedsql_web_connections_refused_total"] >= 2
    assert "127.0.0.1 has 5 connections open" in web.written()
    idle.pop().close()
    until(lambda: b" 404 " in asked(web, request_text("/nothing/")), "a place is free again")


def test_beyond_the_places_of_probes_nothing_is_answered(
    web: WebServer, opened: contextlib.ExitStack, until: Until
) -> None:
    for _number in range(LIMIT + PROBE_CONNECTIONS):
        opened.enter_context(connected(web))
    until(lambda: asked(web, request_text("/healthz")) == b"", "it is closed at once")
    assert b" 200 " in asked(web, request_text("/healthz"), HERE_AND_THERE[1])
    opened.close()
    until(lambda: b" 404 " in asked(web, request_text("/nothing/")), "all places are free again")


def test_a_probe_beyond_the_limit_opens_no_live_line(
    web: WebServer, opened: contextlib.ExitStack, until: Until
) -> None:
    for _number in range(LIMIT):
        opened.enter_context(connected(web))
    until(lambda: b" 503 " in asked(web, request_text("/nothing/")), "the address has too many")
    for path in sorted(PROBES):
        assert b" 503 " in asked(web, handshake(web.port, path)), path
        assert b" 503 " not in asked(web, request_text(path)), path


def test_connections_without_a_request_are_counted_for_a_limited_time(
    dsn: str, opened: contextlib.ExitStack, until: Until
) -> None:
    with WebServer.on(dsn, **BOUND, WEDSQL_REQUEST_SECONDS="2") as server:
        for _number in range(LIMIT):
            opened.enter_context(connected(server))
        until(lambda: b" 503 " in asked(server, request_text("/nothing/")), "the address has too many")
        until(lambda: b" 404 " in asked(server, request_text("/nothing/")), "all places are free again")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Twisted's clock for tests, which runs the timers of connections."""
    found = Clock()
    monkeypatch.setattr(slow_clients, "reactor", found)
    return found


def test_a_lost_connection_keeps_no_timer(clock: Clock) -> None:
    connection = slow_clients.BoundedFactory(None).buildProtocol(IPv4Address("TCP", "192.0.2.1", 1))
    connection.makeConnection(StringTransport())
    assert len(clock.getDelayedCalls()) == 1
    connection.connectionLost(Failure(ConnectionLost()))
    assert clock.getDelayedCalls() == []


def test_live_lines_count_until_they_end(
    web: WebServer, session: str, opened: contextlib.ExitStack, until: Until
) -> None:
    lines = [opened.enter_context(line(web, session)) for _ in range(LIMIT)]
    assert [status(each) for each in lines] == [101] * LIMIT
    assert status(opened.enter_context(line(web, session))) == 503
    assert b" 503 " in asked(web, request_text("/nothing/"))
    opened.close()
    until(lambda: b" 404 " in asked(web, request_text("/nothing/")), "all places are free again")
    again = [opened.enter_context(line(web, session)) for _ in range(LIMIT)]
    assert [status(each) for each in again] == [101] * LIMIT


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example", "http://evil.127.0.0.1", "null", "", "http://127.0.0.1", "http://127.0.0.1:1",
        "https://127.0.0.1",
    ],
)  # fmt: skip
def test_a_page_of_another_site_opens_no_line(origin: str, web: WebServer, session: str) -> None:
    own = handshake(web.port, "/ws/").replace(b"a" * 32, session.encode())
    header = f"Origin: http://127.0.0.1:{web.port}\r\n".encode()
    other = own.replace(header, f"Origin: {origin}\r\n".encode() if origin else b"")
    assert b" 403 " in asked(web, other).partition(b"\r\n")[0]
    assert b" 101 " in asked(web, own).partition(b"\r\n")[0]


def test_rejected_handshakes_and_requests_leave_nothing_counted(web: WebServer, until: Until) -> None:
    foreign = handshake(web.port, "/ws/").replace(b"Origin: http://127", b"Origin: http://evil.127")
    for request in (foreign, b"nonsense\r\n\r\n", request_text("/nothing/"), handshake(web.port, "/ws/")):
        for _number in range(LIMIT + PROBE_CONNECTIONS + 2):
            asked(web, request)
    until(lambda: b" 404 " in asked(web, request_text("/nothing/")), "no place is lost")


def test_clients_behind_a_proxy_are_counted_by_what_the_proxy_wrote(
    proxied: WebServer, session: str, opened: contextlib.ExitStack, until: Until
) -> None:
    greedy = "X-Forwarded-For: 198.51.100.{}, 203.0.113.7\r\n"
    found = [opened.enter_context(line(proxied, session, greedy.format(n))) for n in range(LIMIT + 2)]
    assert sorted(status(each) for each in found) == [101] * LIMIT + [403] * 2
    page = request_text("/nothing/", headers=COOKIE + greedy.format(9))
    assert b" 503 " in asked(proxied, page)
    assert b" 200 " in asked(proxied, request_text("/healthz", headers=greedy.format(9)))
    other = COOKIE + "X-Forwarded-For: 203.0.113.7, 203.0.113.8\r\n"
    assert b" 404 " in asked(proxied, request_text("/nothing/", headers=other))
    opened.close()
    until(lambda: b" 404 " in asked(proxied, page), "all places are free again")


def test_no_limit_where_none_is_wanted(settings: Any) -> None:
    settings.CONNECTIONS_PER_ADDRESS = 0
    assert not per_address.exceeds(10**6)
    settings.CONNECTIONS_PER_ADDRESS = LIMIT
    assert per_address.exceeds(LIMIT + 1) and not per_address.exceeds(LIMIT)


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
    ],
)
def test_an_address_of_ipv6_is_its_network(address: str, found: str) -> None:
    assert per_address.network(address) == found


@pytest.mark.parametrize(
    ("trusted", "peer", "found"),
    [(0, "10.0.0.1", False), (1, "10.0.0.1", True), (("10.0.0.0/8",), "10.0.0.1", True),
     (("10.0.0.0/8",), "192.0.2.1", False), (0, "", False), (("10.0.0.0/8",), "", True)],
)  # fmt: skip
def test_who_counts_as_proxy(trusted: Any, peer: str, found: bool, settings: Any) -> None:
    settings.WEDSQL_TRUSTED_PROXIES = trusted
    assert client_address.is_proxy(peer) is found
