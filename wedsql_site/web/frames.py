"""Write live frames to browsers with one system call each.

The same frame goes to every page that watches a flow. Frames of a server are not masked, so their bytes are
equal for all connections: they are made once. Twisted writes after the event loop has reported the socket as
writable, which takes three system calls; with an empty buffer, a frame can be sent at once.
"""

from __future__ import annotations

import struct
import sys
from functools import lru_cache
from typing import Any

from daphne import ws_protocol

_FINAL_TEXT = 0x81  # RFC 6455, 5.2: the last frame of a message, with text
_ONE_BYTE, _TWO_BYTES = 125, 0xFFFF
_DIFFERENT = 16  # the hub sends few different texts in a tenth of a second


def install() -> None:
    """Make daphne, if it is the server of this process, create its live connections by FrameFactory."""
    server = sys.modules.get("daphne.server")
    if server is not None:
        server.WebSocketFactory = FrameFactory  # type: ignore[attr-defined]


@lru_cache(_DIFFERENT)
def text_frame(text: str) -> bytes | None:
    """Return the frame of RFC 6455 that carries `text`, or None if it is longer than 65,535 bytes."""
    payload = text.encode()
    if len(payload) <= _ONE_BYTE:
        return struct.pack("!BB", _FINAL_TEXT, len(payload)) + payload
    if len(payload) <= _TWO_BYTES:
        return struct.pack("!BBH", _FINAL_TEXT, _ONE_BYTE + 1, len(payload)) + payload
    return None


class FrameProtocol(ws_protocol.WebSocketProtocol):
    """A live connection that sends its texts as prepared frames."""

    def serverSend(self, content: Any, binary: bool = False) -> None:
        """Send a text at once; leave what is binary, long, compressed or not yet open to the libraries."""
        plain = not binary and self.state == self.STATE_OPEN and self._perMessageCompress is None
        frame = text_frame(content) if plain else None
        if frame is None:
            super().serverSend(content, binary)
        else:
            _write(self.transport, frame)


class FrameFactory(ws_protocol.WebSocketFactory):
    """Creates connections that send prepared frames."""

    protocol = FrameProtocol


def _write(transport: Any, frame: bytes) -> None:
    """Send at once if nothing waits in the buffer; leave a rest, and errors, to the transport."""
    waiting = transport.dataBuffer or transport._tempDataBuffer
    if waiting or transport.TLS or not transport.connected or transport.disconnecting:
        transport.write(frame)
        return
    sent = transport.writeSomeData(frame)
    if not isinstance(sent, int):
        transport.write(frame)  # the transport finds the same error and closes the connection
    elif sent < len(frame):
        transport.write(frame[sent:])
