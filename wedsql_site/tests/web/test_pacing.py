"""The server waits for a client that reads slowly, and disconnects one that reads nothing."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from testkit.processes import ProcessGroup, free_port
from testkit.waiting import until
from tests.http_load import fetch, request_text
from wedsql_site.tests.web.pacing_application import PART, PARTS
from wedsql_site.web import pacing

APPLICATION = "wedsql_site.tests.web.pacing_application:application"


@pytest.fixture
def port() -> Iterator[int]:
    with ProcessGroup() as group:
        number = free_port()
        command = [sys.executable, "-m", "daphne", "-b", "127.0.0.1", "-p", str(number), APPLICATION]
        group.launch(
            command,
            os.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until(
            lambda: socket.create_connection(("127.0.0.1", number)).close() is None, 60.0, ignored=(OSError,)
        )
        yield number


def asking(port: int) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", port), timeout=60)
    line.sendall(request_text("/"))
    return line


def test_a_client_that_reads_gets_everything(port: int) -> None:
    with asking(port) as line, line.makefile("rb") as found:
        assert found.read().count(b"x") == len(PART) * PARTS


def test_a_client_that_reads_nothing_is_waited_for_and_then_disconnected(port: int) -> None:
    with asking(port) as line:
        assert line.recv(100).startswith(b"HTTP/1.1 200")
        with pytest.raises(ConnectionError):
            until(lambda: line.send(b"x") == 0, 60.0, pause=0.1)  # until the server resets the connection
    assert 0 < int(fetch(port, "/taken")) < PARTS


def test_a_client_that_is_waited_for_long_has_to_take_a_least_amount() -> None:
    pace = pacing.Pace()
    for waited, sent, slow in (
        (1.0, 0, False),
        (pacing.PATIENT_SECONDS, 0, False),
        (100.0, 100 * pacing.LEAST_PER_SECOND - 1, True),
        (100.0, 100 * pacing.LEAST_PER_SECOND, False),
    ):
        pace.waited, pace.sent = waited, sent
        assert pace.too_slow is slow
