"""An ASGI application that streams much, and says at another address how much of it daphne has taken."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from wedsql_site.web import pacing

pacing.STALLED_SECONDS = 3.0
pacing.install()

PART = b"x" * 65_536
PARTS = 1_000
_taken = 0


async def application(
    scope: dict[str, Any],
    receive: Callable[[], Awaitable[dict[str, Any]]],
    send: Callable[[dict[str, Any]], Awaitable[None]],
) -> None:
    """Stream PARTS at any address but /taken."""
    global _taken
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    if scope["path"] == "/taken":
        await send({"type": "http.response.body", "body": str(_taken).encode()})
        return
    gone = asyncio.ensure_future(receive())
    while not gone.done() and _taken < PARTS:
        await send({"type": "http.response.body", "body": PART, "more_body": True})
        _taken += 1
        await asyncio.sleep(0)
    await send({"type": "http.response.body", "body": b""})
