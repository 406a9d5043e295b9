"""A connection that sends no whole request in time is closed, and so is one that sends too much."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator

import pytest

from testkit.web import WebServer
from tests.http_load import COOKIE, request_text
from wedsql_site.web.slow_clients import MAX_BODY, MAX_HEAD

SECONDS = 2
WHOLE = request_text("/healthz").replace(b"Connection: close", b"Connection: keep-alive")
# A request that never ends, one byte at a time: its line, a header, its body.
ENDLESS = [
    b"GET /" + b"a" * 400,
    b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 400,
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" + b"a" * 400,
]


@pytest.fixture(scope="module")
def web(dsn: str) -> Iterator[WebServer]:
    with WebServer.on(dsn, WEDSQL_REQUEST_SECONDS=str(SECONDS)) as server:
        yield server


@pytest.fixture
def line(web: WebServer) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", web.port), timeout=20) as found:
        yield found


def closed_while_sending(line: socket.socket, text: bytes) -> bool:
    """Return whether the server closes the connection before the last byte, sent one every 50 ms."""
    try:
        for at in range(len(text)):
            line.sendall(text[at : at + 1])
            time.sleep(0.05)
    except ConnectionError:
        return True
    return False


@pytest.mark.parametrize("text", ENDLESS, ids=["line", "header", "body"])
@pytest.mark.parametrize("before", [0, 1], ids=["first", "second"])
def test_a_request_that_arrives_byte_by_byte_is_closed(text: bytes, before: int, line: socket.socket) -> None:
    for _number in range(before):
        line.sendall(WHOLE)
        assert b"200 OK" in line.recv(4096)
    start = text.rindex(b"aaa") - 397  # the valid part is sent at once
    line.sendall(text[:start])
    assert closed_while_sending(line, text[start:])


def test_a_connection_in_use_stays_open(line: socket.socket) -> None:
    for _number in range(4):
        line.sendall(WHOLE)
        assert b"200 OK" in line.recv(4096)
        time.sleep(SECONDS / 3)


@pytest.fixture(scope="module")
def web_with_long_limit(dsn: str) -> Iterator[WebServer]:
    """A server whose time limit is not reached during the test."""
    with WebServer.on(dsn) as server:
        yield server


def is_problem(answer: bytes, status: int = 413, limit: int = MAX_BODY) -> bool:
    """Return whether a response has a problem document of its status and its length."""
    head, _empty, body = answer.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
    found = json.loads(body)
    assert headers["Content-Type"] == "application/problem+json"
    assert headers["Content-Length"] == str(len(body))
    return bool(found["status"] == status and str(limit) in found["detail"])


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large_is_rejected(chunked: bool, web_with_long_limit: WebServer) -> None:
    line = socket.create_connection(("127.0.0.1", web_with_long_limit.port), timeout=20)
    size = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {MAX_BODY + 1}"
    line.sendall(f"POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\n{COOKIE}{size}\r\n\r\n".encode())
    piece = b"10000\r\n" + b"a" * 65536 + b"\r\n"
    try:
        for _number in range(MAX_BODY // 65536 + 20 if chunked else 0):
            line.sendall(piece)
        answer = b"".join(iter(lambda: line.recv(4096), b""))
        assert b" 413 " in answer and is_problem(answer)
    except ConnectionError:
        assert chunked, "the answer is lost where the server closed under what was still coming"
    finally:
        line.close()


@pytest.mark.parametrize("where", ["address", "header"])
@pytest.mark.parametrize("pieces", [1, 2], ids=["at once", "in two"])
def test_an_address_that_is_too_long_is_rejected(
    where: str, pieces: int, web_with_long_limit: WebServer
) -> None:
    """One that is as long as the longest filter is answered."""
    for length, too_long in ((48_000, False), (MAX_HEAD + 1, True)):
        long = "a" * length
        path = f"/healthz?q={long}" if where == "address" else "/healthz"
        header = f"X-Long: {long}\r\n" if where == "header" else ""
        text = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n{header}\r\n".encode()
        with socket.create_connection(("127.0.0.1", web_with_long_limit.port), timeout=20) as line:
            half = len(text) // pieces
            line.sendall(text[:half])
            line.sendall(text[half:])
            answer = b"".join(iter(lambda: line.recv(4096), b""))
        assert is_problem(answer, 414, MAX_HEAD) if too_long else answer.startswith(b"HTTP/1.1 200"), length
