"""Limits for clients that send slowly, send too much or open too many connections: daphne has none.

Its timeout counts from the last byte, so that a byte per minute keeps a connection open for ever, and it
writes a body of any size to the disk before the application is called.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from daphne import http_protocol
from twisted.internet import reactor
from twisted.internet.interfaces import IDelayedCall

from wedsql_site import environment
from wedsql_site.web import per_address
from wedsql_site.web.client_address import is_proxy
from wedsql_site.web.request_threads import PROBES

# Seconds for a whole request, from the connection or from the end of the response before it.
REQUEST_SECONDS = 60
MAX_BODY = 16 * 1024 * 1024
# Of the address and of all headers. A filter as long as one may be, encoded for an address, has 48,000.
MAX_HEAD = 64 * 1024

# Connections beyond an address's limit on which probes are still answered.
PROBE_CONNECTIONS = 8

_TOO_MANY = (
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n"
    b"Content-Type: text/plain\r\nContent-Length: 60\r\n\r\n"
    b"Too many connections are open from your address; try again.\n"
)
_deadlines: WeakKeyDictionary[Any, IDelayedCall] = WeakKeyDictionary()
# The address under which a connection is counted.
_keys: WeakKeyDictionary[Any, str] = WeakKeyDictionary()


def install() -> None:
    """Make daphne, if it is the server of this process, create its connections by BoundedFactory."""
    server = sys.modules.get("daphne.server")
    if server is not None:
        server.HTTPFactory = BoundedFactory  # type: ignore[attr-defined]


def _seconds() -> int:
    return environment.number("WEDSQL_REQUEST_SECONDS", REQUEST_SECONDS, least=1)


def _await_request(channel: Any) -> None:
    clock: Any = reactor
    _deadlines[channel] = clock.callLater(_seconds(), _close_late, channel)


def _request_arrived(channel: Any) -> None:
    call: Any = _deadlines.pop(channel, None)
    if call is not None and call.active():
        call.cancel()


def _close_late(channel: Any) -> None:
    if channel.transport is not None:
        channel.transport.abortConnection()


def _problem(status: int, reason: str, detail: str, hint: str) -> bytes:
    """Return a response with the problem document of the API, after which the connection ends."""
    from monitor.api.problems import MEDIA_TYPE, response  # after Django's set-up

    body = response(status, detail, hint).content
    lines = (f"HTTP/1.1 {status} {reason}", "Connection: close", f"Content-Type: {MEDIA_TYPE}")
    return "\r\n".join((*lines, f"Content-Length: {len(body)}", "", "")).encode() + body


def _too_large() -> bytes:
    detail = f"The body has more than {MAX_BODY} bytes."
    return _problem(413, "Content Too Large", detail, "Send less at once.")


def _limit_head(channel: Any) -> None:
    """Answer an address and headers that are too long; twisted ends such a connection without a word."""

    def too_long(*_line: bytes) -> None:
        detail = f"The address and the headers have more than {MAX_HEAD} bytes."
        channel.transport.write(_problem(414, "URI Too Long", detail, "Shorten the address."))
        channel.transport.loseConnection()

    channel.MAX_LENGTH = channel.totalHeadersSize = MAX_HEAD
    channel.lineLengthExceeded = too_long


class BoundedRequest(http_protocol.WebRequest):
    """A request with limits on duration and size."""

    _received = 0
    _rejected = False

    def process(self) -> Any:
        channel = self.channel  # reset when the response is finished
        _request_arrived(channel)
        transport = self.transport
        self.notifyFinish().addCallbacks(lambda _: _await_request(channel), lambda _: None)
        result = super().process()
        if self.transport is None:  # a live connection has taken the connection over
            _when_lost(transport.protocol, lambda: _closed(channel))
        return result

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
        if self._rejected:  # what was on its way
            return
        self._rejected = True
        self.channel.transport.write(_too_large())
        self.channel.transport.loseConnection()


class ProbeRequest(BoundedRequest):
    """A request from an address with too many connections: only probes are answered."""

    def process(self) -> Any:
        if self.path.decode("latin1") in PROBES and not self.requestHeaders.hasHeader(b"Upgrade"):
            return super().process()
        self.channel.transport.write(_TOO_MANY)
        self.channel.transport.loseConnection()
        return None


class BoundedFactory(http_protocol.HTTPFactory):
    """Creates connections with limited requests."""

    def buildProtocol(self, addr: Any) -> Any:
        address = str(getattr(addr, "host", ""))
        key = per_address.network(address) if address and not is_proxy(address) else ""
        number = per_address.counts.open(key) if key else 0
        refused = per_address.exceeds(number)
        if refused:
            per_address.counts.refuse(key)
        if per_address.exceeds(number - PROBE_CONNECTIONS):
            per_address.counts.close(key)
            return None
        protocol = super().buildProtocol(addr)
        protocol.requestFactory = ProbeRequest if refused else BoundedRequest
        _keys[protocol._channel] = key
        channel = protocol._channel
        _limit_head(channel)
        _await_request(channel)
        _when_lost(protocol, lambda: _closed(channel))
        return protocol


def _when_lost(protocol: Any, act: Callable[[], None]) -> None:
    """Call `act` as well when the connection of this protocol is lost."""
    lost = protocol.connectionLost

    def connection_lost(*reason: Any) -> None:
        act()
        lost(*reason)

    protocol.connectionLost = connection_lost


def _closed(channel: Any) -> None:
    """Cancel the connection's timer, which would keep its memory, and stop counting the connection."""
    _request_arrived(channel)
    key = _keys.pop(channel, "")
    if key:
        per_address.counts.close(key)
