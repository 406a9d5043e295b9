"""A program that reads a stream of events from a web process by a real socket."""

from __future__ import annotations

import gzip
import json
import socket
from dataclasses import dataclass
from typing import Any

SECONDS = 60.0
HEARTBEATS = 6


@dataclass(frozen=True)
class Event:
    """One event; `id` is the last id as of it."""

    kind: str
    data: dict[str, Any]
    id: str

    @property
    def step(self) -> tuple[int, int]:
        return self.data["wid"], self.data["seq"]


class EventReader:
    """One open stream; a context manager that closes its connection."""

    def __init__(self, port: int, header: str, query: str = "", last: str = "", receive: int = 0) -> None:
        self.socket = socket.socket()
        if receive:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        self.socket.settimeout(SECONDS)
        self.socket.connect(("127.0.0.1", port))
        resumed = f"Last-Event-ID: {last}\r\n" if last else ""
        self.socket.sendall(
            f"GET /api/v1/events{query} HTTP/1.1\r\nHost: 127.0.0.1\r\n{header}\r\n"
            f"Accept-Encoding: gzip\r\n{resumed}\r\n".encode()
        )
        self._file = self.socket.makefile("rb")
        self.status = int(self._file.readline().split()[1])
        self.headers = dict(self._header_lines())
        self.id, self._text = last, b""

    def __enter__(self) -> EventReader:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()
        self.socket.close()

    def _header_lines(self) -> list[tuple[str, str]]:
        found = []
        while line := self._file.readline().strip().decode():
            name, _, value = line.partition(": ")
            found.append((name.lower(), value))
        return found

    def body(self) -> dict[str, Any]:
        """Return the body of a response that is no stream."""
        text = self._file.read(int(self.headers["content-length"]))
        text = gzip.decompress(text) if "content-encoding" in self.headers else text
        found: dict[str, Any] = json.loads(text)
        return found

    def heartbeat(self) -> str:
        """Return the next part of the stream that is no event."""
        while (block := self._block()) is not None:
            if not any(line.startswith("data: ") for line in block):
                return "\n".join(block)
        raise AssertionError("the stream has ended")

    def next(self) -> Event | None:
        """Return the next event; None at the end of the response. Fails after HEARTBEATS without one."""
        for _ in range(HEARTBEATS):
            block = self._block()
            if block is None:
                return None
            fields = dict(line.split(": ", 1) for line in block if not line.startswith(":"))
            self.id = fields.get("id", self.id)
            if "data" in fields:
                return Event(fields["event"], json.loads(fields["data"]), self.id)
        raise AssertionError("there are only heartbeats")

    def steps(self, number: int) -> list[Event]:
        """Return this many events of steps; others are skipped, but not the end of the stream."""
        found: list[Event] = []
        while len(found) < number:
            event = self.next()
            assert event is not None and event.kind != "end", event
            found += [event] if event.kind == "step" else []
        return found

    def opened(self) -> EventReader:
        """Return this stream when it has begun."""
        assert self.status == 200, (self.status, self.body())
        assert "content-encoding" not in self.headers, "compression would delay events"
        event = self.next()
        assert event is not None and event.kind == "open"
        return self

    def _block(self) -> list[str] | None:
        while b"\n\n" not in self._text:
            chunk = self._chunk()
            if not chunk:
                return None
            self._text += chunk
        block, _, self._text = self._text.partition(b"\n\n")
        return block.decode().splitlines()

    def _chunk(self) -> bytes:
        """Return one part of a chunked body; nothing at its end, also where the connection was closed."""
        size = int(self._file.readline() or b"0", 16)
        found = self._file.read(size)
        self._file.readline()
        return found
