"""A browser's side of a WebSocket, no more than the live pages need: open, read text, acknowledge."""

from __future__ import annotations

import asyncio
import base64
import os
import struct
from collections.abc import AsyncIterator

_TEXT, _CLOSE, _PING, _PONG = 0x1, 0x8, 0x9, 0xA


class WebSocket:
    """One open line; iterate over its text messages."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def connect(cls, port: int, path: str, cookie: str) -> WebSocket:
        """Open a line to 127.0.0.1; ConnectionError when the server does not switch protocols."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        key = base64.b64encode(os.urandom(16)).decode()
        writer.write(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
            f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {key}\r\nCookie: {cookie}\r\n\r\n".encode()
        )
        answer = await reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in answer.split(b"\r\n", 1)[0]:
            raise ConnectionError(answer.split(b"\r\n", 1)[0].decode())
        return cls(reader, writer)

    async def __aiter__(self) -> AsyncIterator[str]:
        while True:
            kind, body = await self._frame()
            if kind == _TEXT:
                yield body.decode()
            elif kind == _PING:
                self._send(_PONG, body)
            elif kind == _CLOSE:
                return

    async def _frame(self) -> tuple[int, bytes]:
        first, second = await self._reader.readexactly(2)
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack("!H", await self._reader.readexactly(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", await self._reader.readexactly(8))
        return first & 0x0F, await self._reader.readexactly(length)

    def send(self, text: str) -> None:
        """Send a text message of less than 126 bytes."""
        self._send(_TEXT, text.encode())

    def _send(self, kind: int, body: bytes) -> None:
        # A client masks what it sends; a mask of zeros is a mask.
        self._writer.write(bytes([0x80 | kind, 0x80 | len(body)]) + b"\0\0\0\0" + body)

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()
