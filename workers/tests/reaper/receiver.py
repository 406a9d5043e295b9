"""A web server that receives the webhooks of alerts in tests."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Receiver:
    """What a web server got, and how it answers: with a status, without an end, or not until `answers`."""

    status: int = 200
    drip: bool = False
    answers: threading.Event = field(default_factory=threading.Event)
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    url: str = ""

    def serve(self, request: BaseHTTPRequestHandler) -> None:
        """Keep a message, and answer."""
        body = request.rfile.read(int(request.headers["Content-Length"]))
        self.got.append((dict(request.headers), body))
        while self.drip:
            request.wfile.write(b"H")
            time.sleep(0.05)
        self.answers.wait()
        request.send_response(self.status)
        request.send_header("Location", self.url.replace("hook", "elsewhere"))
        request.send_header("Content-Length", "0")
        request.end_headers()


@contextmanager
def receiving(*, answers: bool = True) -> Iterator[Receiver]:
    """Run a receiver, which answers at once or only when its event is set."""
    found = Receiver()
    if answers:
        found.answers.set()

    class Handler(BaseHTTPRequestHandler):
        def handle(self) -> None:
            try:
                super().handle()
            except OSError:  # the sender left
                return

        def do_POST(self) -> None:
            found.serve(self)

        do_GET = do_POST

        def log_message(self, *_args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found.url = f"http://127.0.0.1:{server.server_address[1]}/hook?x=1"
    try:
        yield found
    finally:
        found.drip = False
        found.answers.set()
        server.shutdown()
        server.server_close()
