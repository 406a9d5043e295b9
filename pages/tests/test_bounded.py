"""What a client sends over a live connection is limited before it reaches the consumer."""

from __future__ import annotations

import asyncio
from typing import Any

from pages.live.limits import BAD_MESSAGE, MAX_MESSAGE, MAX_QUEUED, BoundedInput

CONNECT, GONE = {"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1001}


def text(characters: int) -> dict[str, Any]:
    return {"type": "websocket.receive", "text": "x" * characters}


class Server:
    """A server that has queued these messages for an application that reads nothing until `go`."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        self.incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        for message in messages:
            self.incoming.put_nowait(message)
        self.go = asyncio.Event()
        self.seen: list[dict[str, Any]] = []
        self.sent: list[dict[str, Any]] = []

    async def application(self, _scope: Any, receive: Any, send: Any) -> None:
        await self.go.wait()
        while not self.seen or self.seen[-1]["type"] != "websocket.disconnect":
            self.seen.append(await receive())
            await send({"type": "websocket.send", "text": "answer"})

    async def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    async def run(self) -> None:
        line = BoundedInput(self.application)
        whole = asyncio.create_task(line({"type": "websocket"}, self.incoming.get, self.send))
        while not self.incoming.empty():
            await asyncio.sleep(0)
        self.go.set()
        await asyncio.wait_for(whole, 5)


def play(*messages: dict[str, Any]) -> Server:
    async def story() -> Server:
        server = Server(*messages)
        await server.run()
        return server

    return asyncio.run(story())


def test_a_few_messages_pass() -> None:
    server = play(CONNECT, *[text(MAX_MESSAGE)] * 5, GONE)
    assert len(server.seen) == 7 and all(m["type"] == "websocket.send" for m in server.sent)


def test_too_many_messages_close_the_line_and_the_rest_is_discarded() -> None:
    server = play(CONNECT, *[text(1)] * 10_000, GONE)
    assert server.sent == [{"type": "websocket.close", "code": BAD_MESSAGE}]
    assert len(server.seen) <= MAX_QUEUED + 2 and server.seen[-1] == GONE


def test_one_long_message_closes_the_line_and_the_rest_is_ignored() -> None:
    server = play(CONNECT, text(MAX_MESSAGE + 1), *[text(1)] * 5, GONE)
    assert server.sent == [{"type": "websocket.close", "code": BAD_MESSAGE}]
    assert server.seen == [CONNECT, GONE]
