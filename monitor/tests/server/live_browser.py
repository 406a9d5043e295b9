"""The browser's end of a live connection, and the event loop in which a test runs its story."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from channels.db import database_sync_to_async
from channels.routing import URLRouter
from channels.testing import WebsocketCommunicator
from django.db import connections
from django.test import Client

from monitor.routing import websocket_urlpatterns
from pages.live import listener
from pages.live.limits import BoundedInput
from pages.live.users import live_user_stack

APPLICATION = BoundedInput(live_user_stack(URLRouter(websocket_urlpatterns)))
Story = Callable[[], Awaitable[None]]


def play(story: Story) -> None:
    async def whole() -> None:
        async with asyncio.timeout(30):
            try:
                await story()
            finally:
                await listener.listener().stop()
                # The test communicator keeps the connections of the thread open on purpose.
                await database_sync_to_async(connections.close_all)()

    asyncio.run(whole())


class Browser(WebsocketCommunicator):
    """The live connection of one page, with the cookie of a logged-in client."""

    def __init__(self, client: Client | None, path: str) -> None:
        cookies = "; ".join(f"{k}={v.value}" for k, v in client.cookies.items()) if client else ""
        super().__init__(APPLICATION, path, headers=[(b"cookie", cookies.encode())])

    async def frame(self, timeout: float = 60.0) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(await self.receive_from(timeout))
        return found

    async def opened(self) -> Browser:
        connected, _ = await self.connect(timeout=60)
        assert connected and (await self.frame())["op"] == "hello"
        return self

    async def changed(self) -> dict[int, int]:
        """Return the ids of the next frame of changes and acknowledge it; other frames are skipped."""
        while True:
            frame = await self.frame()
            if frame["op"] == "changed":
                await self.ack(frame)
                return {int(key): int(version) for key, version in frame["ids"]}

    async def ack(self, frame: dict[str, Any]) -> None:
        await self.send_to(json.dumps({"op": "ack", "n": frame["n"]}))

    async def close_code(self) -> int:
        while True:
            output = await self.receive_output(60)
            if output["type"] == "websocket.close":
                return int(output["code"])
