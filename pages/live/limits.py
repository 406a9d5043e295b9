"""Limits what a browser may send over a live connection: size, number, and nothing after it is closed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

Application = Callable[[Any, Any, Any], Awaitable[Any]]

# An acknowledgement has about thirty characters, and a page sends one for each frame that asks for it.
MAX_MESSAGE = 100
MAX_QUEUED = 10
BAD_MESSAGE = 4400


class BoundedInput:
    """ASGI middleware that closes a connection whose client sends too much, and discards what arrives later.

    The server queues messages without limit, and a client sends faster than the consumer receives.
    """

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        connection = _Connection(receive, send)
        reader = asyncio.get_running_loop().create_task(connection.read())
        try:
            await self.application(scope, connection.messages.get, connection.send)
        finally:
            reader.cancel()


class _Connection:
    """Both directions of one connection."""

    def __init__(self, receive: Any, send: Any) -> None:
        self._receive, self._send = receive, send
        self._closed = False
        self.messages: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def send(self, message: dict[str, Any]) -> None:
        if not self._closed:
            self._closed = message["type"] == "websocket.close"
            await self._send(message)

    async def read(self) -> None:
        """Receive messages from the server until the client disconnects."""
        while True:
            message = await self._receive()
            if message["type"] != "websocket.receive":
                self.messages.put_nowait(message)
                if message["type"] == "websocket.disconnect":
                    return
            elif not self._closed:
                await self._take(message)

    async def _take(self, message: dict[str, Any]) -> None:
        size = len(message.get("text") or "") + len(message.get("bytes") or b"")
        if size > MAX_MESSAGE or self.messages.qsize() >= MAX_QUEUED:
            await self.send({"type": "websocket.close", "code": BAD_MESSAGE})
        else:
            self.messages.put_nowait(message)
