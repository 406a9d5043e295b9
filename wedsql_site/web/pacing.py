"""Makes daphne wait for a client that reads a streamed response slowly: it would keep all of it in memory.

A client that takes nothing of what waits for it is disconnected, and one that takes too little for long.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any
from weakref import WeakKeyDictionary

from daphne.http_protocol import WebRequest

# Seconds until what waits for a client must have been sent.
STALLED_SECONDS = 30.0
# A client for which this process has waited so long in all has taken at least so many bytes per second of it.
PATIENT_SECONDS = 60.0
LEAST_PER_SECOND = 4_096

Reply = Callable[[Any, Any, Any], Awaitable[None]]


class Pace:
    """The producer of a response, as Twisted calls it: it is paused while too much waits for the client."""

    def __init__(self) -> None:
        self.may_send = asyncio.Event()
        self.may_send.set()
        self.sent, self.waited = 0, 0.0

    @property
    def too_slow(self) -> bool:
        """Return whether the client has taken too little in the time that was spent on waiting for it."""
        return self.waited > PATIENT_SECONDS and self.sent < self.waited * LEAST_PER_SECOND

    def pauseProducing(self) -> None:
        self.may_send.clear()

    def resumeProducing(self) -> None:
        self.may_send.set()

    def stopProducing(self) -> None:
        self.may_send.set()


_paces: WeakKeyDictionary[Any, Pace] = WeakKeyDictionary()


def install() -> None:
    """Make daphne, if it is the server of this process, wait for clients."""
    server = sys.modules.get("daphne.server")
    if server is not None:
        server.Server.handle_reply = paced(server.Server.handle_reply)


def paced(reply: Reply) -> Reply:
    """Return a function like daphne's `handle_reply` that returns when the next part may be sent."""

    async def handle_reply(server: Any, protocol: Any, message: Any) -> None:
        more = message["type"] == "http.response.body" and message.get("more_body", False)
        if isinstance(protocol, WebRequest) and protocol.channel is not None:
            _register(protocol) if more else _unregister(protocol)
        await reply(server, protocol, message)
        if more and protocol in _paces:
            _paces[protocol].sent += len(message.get("body", b""))
            await _wait(protocol)

    return handle_reply


def _register(request: WebRequest) -> None:
    if request not in _paces:
        _paces[request] = Pace()
        request.registerProducer(_paces[request], True)


def _unregister(request: WebRequest) -> None:
    if _paces.pop(request, None):
        request.unregisterProducer()


async def _wait(request: WebRequest) -> None:
    pace, begun = _paces[request], time.monotonic()
    try:
        async with asyncio.timeout(STALLED_SECONDS):
            await pace.may_send.wait()
        pace.waited += time.monotonic() - begun
        stalled = pace.too_slow
    except TimeoutError:
        stalled = True
    if stalled and request.channel is not None:
        request.channel.transport.abortConnection()
