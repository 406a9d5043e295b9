"""A browser's side of a live connection: one connection, or the arguments for opening many."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import Any, NoReturn

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.frames import Frame, Opcode
from websockets.sync.client import ClientConnection, connect


class Gone(Exception):
    """The other side closed the connection, or never opened it."""


class AnyFrame(Frame):
    """A frame of any length and content, also one that no library would send."""

    def check(self) -> None:
        """Accept every frame."""


def arguments(port: int, path: str, cookie: str, origin: str = "") -> dict[str, Any]:
    """Return what the connect functions of `websockets` need to connect as a page of the site does."""
    return {
        "uri": f"ws://127.0.0.1:{port}{path}",
        "origin": origin or f"http://127.0.0.1:{port}",
        "additional_headers": {"Cookie": cookie},
        "compression": None,
        "ping_interval": None,
        "open_timeout": 20,
        "close_timeout": 1,
        "proxy": None,
    }


class LiveConnection:
    """An open connection; `status` is the HTTP status of the server's answer, 0 if there was none."""

    def __init__(self, port: int, path: str, cookie: str, origin: str = "") -> None:
        self._ends = ExitStack()
        self._line: ClientConnection | None = None
        self.status = 101
        try:
            line = connect(**arguments(port, path, cookie, origin) | {"open_timeout": 5})
            self._line = self._ends.enter_context(line)
        except InvalidStatus as error:
            self.status = error.response.status_code
        except InvalidHandshake:
            self.status = 0

    def __enter__(self) -> LiveConnection:
        self._open()
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _open(self) -> ClientConnection:
        if self._line is None:
            raise Gone(f"the live connection was answered with {self.status}")
        return self._line

    def receive(self) -> dict[str, Any] | None:
        """Return the next message, or None after half a second without one; raise Gone when it is closed."""
        try:
            text = self._open().recv(timeout=0.5)
        except TimeoutError:
            return None
        except ConnectionClosed:
            self._gone()
        found: dict[str, Any] | None = json.loads(text) if isinstance(text, str) else None
        return found

    def send(self, text: str) -> None:
        """Send one text frame; raise Gone when the other side has closed."""
        try:
            self._open().send(text)
        except ConnectionClosed:
            self._gone()

    def send_bytes(self, data: bytes, kind: int = 2) -> None:
        """Send one frame of any kind; raise Gone when the other side has closed."""
        try:
            self._open().socket.sendall(AnyFrame(Opcode(kind), data).serialize(mask=True))
        except OSError:
            self._gone()

    def _gone(self) -> NoReturn:
        raise Gone(f"closed with {self._open().close_code}") from None

    def close(self) -> None:
        """Close the connection."""
        self._ends.close()
