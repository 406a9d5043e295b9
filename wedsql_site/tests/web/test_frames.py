"""Prepared frames arrive whole and in order, also at a reader that is slow, and end with the connection."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from testkit.processes import ProcessGroup, free_port
from testkit.waiting import until
from wedsql_site.tests.web.frames_application import LENGTHS, MANY, REPORT, TEXTS
from wedsql_site.web.frames import text_frame

APPLICATION = "wedsql_site.tests.web.frames_application:application"


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
            lambda: socket.create_connection(("127.0.0.1", number)).close() is None, 20.0, ignored=(OSError,)
        )
        yield number


def reading(port: int) -> AbstractContextManager[ClientConnection]:
    """Connect with a small buffer; the library reads one message ahead only."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.connect(("127.0.0.1", port))
    options: dict[str, Any] = {"compression": None, "max_size": None, "max_queue": 1, "proxy": None}
    return connect(f"ws://127.0.0.1:{port}/", sock=line, ping_interval=None, **options)


def test_a_slow_reader_gets_every_text_whole_and_in_order(port: int) -> None:
    with reading(port) as line:
        assert [line.recv(timeout=20) for _text in TEXTS] == TEXTS
        line.send("more")
        assert [line.recv(timeout=20) for _text in MANY] == MANY
        line.send("enough")
        prepared = len(TEXTS) + len(MANY)
        assert line.recv(timeout=20) == f"{prepared} of {prepared}{REPORT}"
        with pytest.raises(ConnectionClosed) as closed:
            line.recv(timeout=20)
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 4001


def test_another_reader_is_served_after_one_that_disappeared(port: int) -> None:
    with reading(port) as gone:
        assert gone.recv(timeout=20) == TEXTS[0]
        gone.send("more")
        gone.socket.shutdown(socket.SHUT_RDWR)
    with reading(port) as line:
        assert line.recv(timeout=20) == TEXTS[0]


def test_lengths_around_the_limits_of_a_frame() -> None:
    sizes = {length: text_frame("x" * length) for length in LENGTHS}
    assert {length: frame and frame[:4].hex() for length, frame in sizes.items()} == {
        1: "810178",
        125: "817d7878",
        126: "817e007e",
        65_535: "817effff",
        65_536: None,
    }
