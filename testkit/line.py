"""A line to a server that can be cut: a proxy of TCP, as a network that goes and comes back."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Line:
    """Forwards connections to a port of this machine until it is cut."""

    def __init__(self, to: int) -> None:
        self.to = to
        self.port = 0
        self.bytes = 0
        self._open: set[socket.socket] = set()
        self._listener: socket.socket | None = None
        self.restore()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def restore(self) -> None:
        """Listen at the port, which stays the same."""
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def cut(self) -> None:
        """End all connections, and refuse new ones."""
        if self._listener is not None:
            with suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None
        for one in list(self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._open.clear()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                near, _address = listener.accept()
                far = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                return
            self._open |= {near, far}
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._copy, args=(source, target), daemon=True).start()

    def _copy(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while part := source.recv(65536):
                self.bytes += len(part)
                target.sendall(part)
            target.shutdown(socket.SHUT_WR)
