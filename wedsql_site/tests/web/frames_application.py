"""An ASGI application that sends many texts over a live connection without waiting for the reader."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from wedsql_site.web import frames

frames.install()

LENGTHS = [1, 125, 126, 65_535, 65_536]
TEXTS = ["é" * (length // 2) + "x" * (length % 2) for length in LENGTHS]
# More than a socket's buffers hold, so that the server must keep a part of a frame.
MANY = [f"{number}:" + "y" * 60_000 for number in range(400)]

REPORT = " were looked for among the prepared frames"


async def application(
    scope: dict[str, Any],
    receive: Callable[[], Awaitable[dict[str, Any]]],
    send: Callable[[dict[str, Any]], Awaitable[None]],
) -> None:
    """Accept, send the texts; at the next messages, send many and then the number of prepared ones."""
    await receive()
    await send({"type": "websocket.accept"})
    for text in TEXTS:
        await send({"type": "websocket.send", "text": text})
    await receive()  # until then the long text, which is not a prepared frame, has left the buffer
    for text in MANY:
        await send({"type": "websocket.send", "text": text})
    await receive()
    asked = sum(frames.text_frame.cache_info()[:2])
    await send({"type": "websocket.send", "text": f"{asked} of {len(TEXTS) + len(MANY)}" + REPORT})
    await send({"type": "websocket.close", "code": 4001})
    await send({"type": "websocket.send", "text": "after the end"})
