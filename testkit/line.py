"""A line to a server that can be cut, held or slow: a proxy of TCP, as a network that goes and comes back."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress


class Line:
    """Forwards connections to a port of this machine until it is cut.

    `rate` is how many bytes pass in a second, in each direction: None for all, 0 while the line is held,
    as in a network without reception, which takes connections and answers nothing.
    """

    def __init__(self, to: int, host: str = "127.0.0.1") -> None:
        self.to, self.host = to, host
        self.port = 0
        self.bytes = 0
        self.rate: int | None = None
        self._turns = {True: threading.Lock(), False: threading.Lock()}
        self._open: set[socket.socket] = set()
        self._listener: socket.socket | None = None
        self._changing = threading.Lock()
        self.restore()

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}/"

    def restore(self) -> None:
        """Listen at the port, which stays the same."""
        listener = socket.create_server((self.host, self.port))
        self.port = listener.getsockname()[1]
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def restore_again(self) -> None:
        """Listen at the port, if the line is cut."""
        if self._listener is None:
            self.restore()

    def cut(self) -> None:
        """End all connections, and refuse new ones."""
        with self._changing:
            listener, self._listener = self._listener, None
            ended, self._open = self._open, set()
        for one in (*filter(None, (listener,)), *ended):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                near, _address = listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.to))
            except OSError:  # the server is away: this connection ends, the next one may succeed
                near.close()
                continue
            if not self._keep(listener, near, far):
                return
            for source, target, up in ((near, far, True), (far, near, False)):
                threading.Thread(target=self._copy, args=(source, target, up), daemon=True).start()

    def _keep(self, listener: socket.socket, near: socket.socket, far: socket.socket) -> bool:
        """Note a new pair of connections, or close it where the line was cut meanwhile."""
        with self._changing:
            if self._listener is listener:
                self._open |= {near, far}
                return True
        near.close()
        far.close()
        return False

    def _copy(self, source: socket.socket, target: socket.socket, up: bool) -> None:
        with suppress(OSError):
            while part := source.recv(65536 if self.rate is None else 4096):
                self._wait_for(len(part), up)
                self.bytes += len(part)
                target.sendall(part)
            target.shutdown(socket.SHUT_WR)

    def _wait_for(self, count: int, up: bool) -> None:
        """Wait as long as the line takes for so many bytes, which all connections share."""
        if self.rate is None:
            return
        with self._turns[up]:
            while self.rate == 0 and self._listener is not None:
                time.sleep(0.02)
            time.sleep(count / self.rate if self.rate else 0)
