"""The client's side of a WebSocket (RFC 6455), as much of it as a page needs: text frames over one socket."""

from __future__ import annotations

import base64
import json
import os
import socket
import struct
from types import TracebackType
from typing import Any

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class Gone(Exception):
    """The other side does not speak to us any more."""


class LiveLine:
    """An open line; `code` is why the other side closed it, when it has."""

    def __init__(self, port: int, path: str, cookie: str, origin: str = "") -> None:
        self.code: int | None = None
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        self._read = b""
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", f"Cookie: {cookie}",
            f"Origin: {origin or f'http://127.0.0.1:{port}'}",
        ]  # fmt: skip
        self._socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.status = self._handshake()
        self._socket.settimeout(0.5)

    def __enter__(self) -> LiveLine:
        if self.status != 101:
            self.close()
            raise Gone(f"the live line was answered with {self.status}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _handshake(self) -> int:
        while b"\r\n\r\n" not in self._read:
            more = self._socket.recv(4096)
            if not more:
                return 0
            self._read += more
        head, _, self._read = self._read.partition(b"\r\n\r\n")
        return int(head.split(b" ", 2)[1])

    def receive(self) -> dict[str, Any] | None:
        """The next message, None when half a second passes without one; raises Gone at the end."""
        try:
            kind, body = self._frame()
        except TimeoutError:
            return None
        if kind == CLOSE:
            self.code = struct.unpack("!H", body[:2])[0] if len(body) > 1 else 1005
            raise Gone(f"closed with {self.code}")
        if kind == PING:
            self._send(PONG, body)
        if kind != TEXT:
            return None
        found: dict[str, Any] = json.loads(body)
        return found

    def _frame(self) -> tuple[int, bytes]:
        while True:
            size, at = (self._read[1] & 127, 2) if len(self._read) > 1 else (0, 1 << 30)
            if size == 126 and len(self._read) > 3:
                size, at = struct.unpack("!H", self._read[2:4])[0], 4
            elif size == 127 and len(self._read) > 9:
                size, at = struct.unpack("!Q", self._read[2:10])[0], 10
            elif size > 125:
                at = 1 << 30
            if len(self._read) >= at + size:
                kind, body = self._read[0] & 15, self._read[at : at + size]
                self._read = self._read[at + size :]
                return kind, body
            more = self._socket.recv(65536)
            if not more:
                raise Gone("the line was cut")
            self._read += more

    def send(self, text: str) -> None:
        """One text frame."""
        self._send(TEXT, text.encode())

    def send_bytes(self, data: bytes, kind: int = 2) -> None:
        """One frame of any kind."""
        self._send(kind, data)

    def _send(self, kind: int, data: bytes) -> None:
        mask = os.urandom(4)
        size = len(data)
        if size < 126:
            head = struct.pack("!BB", 0x80 | kind, 0x80 | size)
        elif size < 1 << 16:
            head = struct.pack("!BBH", 0x80 | kind, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | kind, 0x80 | 127, size)
        self._socket.sendall(head + mask + bytes(b ^ mask[i & 3] for i, b in enumerate(data)))

    def close(self) -> None:
        self._socket.close()
