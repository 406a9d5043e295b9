"""Bounds for clients that send a request slowly or send too much: the web server has none of its own.

Its timeout counts from the last byte, so a byte a minute would hold a connection for ever, and it writes a
body of any size to the disk before the application sees the first of it.
"""

from __future__ import annotations

import sys
from typing import Any
from weakref import WeakKeyDictionary

from daphne import http_protocol
from twisted.internet import reactor
from twisted.internet.interfaces import IDelayedCall

from wedsql_site import environment

# Seconds for a whole request, from the connection or from the end of the answer before it.
REQUEST_SECONDS = 60
MAX_BODY = 16 * 1024 * 1024

_TOO_LARGE = b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_deadlines: WeakKeyDictionary[Any, IDelayedCall] = WeakKeyDictionary()


def install() -> None:
    """Let the server of this process, if it is daphne, make its connections by BoundedFactory."""
    server = sys.modules.get("daphne.server")
    if server is not None:
        server.HTTPFactory = BoundedFactory  # type: ignore[attr-defined]


def _seconds() -> int:
    return environment.number("WEDSQL_REQUEST_SECONDS", REQUEST_SECONDS, least=1)


def _await_request(channel: Any) -> None:
    clock: Any = reactor
    _deadlines[channel] = clock.callLater(_seconds(), _give_up, channel)


def _request_arrived(channel: Any) -> None:
    call: Any = _deadlines.pop(channel, None)
    if call is not None and call.active():
        call.cancel()


def _give_up(channel: Any) -> None:
    if channel.transport is not None:
        channel.transport.abortConnection()


class BoundedRequest(http_protocol.WebRequest):
    """A request that must arrive in time and in size."""

    _received = 0

    def process(self) -> Any:
        channel = self.channel  # it is forgotten when the answer is finished
        _request_arrived(channel)
        self.notifyFinish().addCallbacks(lambda _: _await_request(channel), lambda _: None)
        return super().process()

    def gotLength(self, length: int | None) -> None:
        super().gotLength(length)
        if length is not None and length > MAX_BODY:
            self._reject()

    def handleContentChunk(self, data: bytes) -> None:
        self._received += len(data)
        if self._received > MAX_BODY:
            self._reject()
        else:
            super().handleContentChunk(data)

    def _reject(self) -> None:
        self.channel.transport.write(_TOO_LARGE)
        self.channel.transport.loseConnection()


class BoundedFactory(http_protocol.HTTPFactory):
    """Makes connections whose requests are bounded."""

    def buildProtocol(self, addr: Any) -> Any:
        protocol = super().buildProtocol(addr)
        protocol.requestFactory = BoundedRequest
        channel, lost = protocol._channel, protocol.connectionLost
        _await_request(channel)

        def connection_lost(reason: Any) -> None:
            _request_arrived(channel)  # or the timer would keep the connection's memory
            lost(reason)

        protocol.connectionLost = connection_lost
        return protocol
