"""The supervisor prints the address and the log-in also if the web process answers late."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest

from wedsql_site.supervisor import actions
from wedsql_site.supervisor.loop import Supervisor
from wedsql_site.supervisor.programs import Address
from wedsql_site.supervisor.record import Running


class LogIn(http.server.BaseHTTPRequestHandler):
    """Answers every address, as a web process that has started."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_given: object) -> None:
        """Write nothing."""


@pytest.fixture
def bound() -> Iterator[http.server.HTTPServer]:
    """A server that has its port, and refuses connections until it is activated."""
    server = http.server.HTTPServer(("127.0.0.1", 0), LogIn, bind_and_activate=False)
    server.server_bind()
    yield server
    server.server_close()


def test_a_web_process_that_answers_late_is_announced(
    bound: http.server.HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "_WEB_TIMEOUT", 0.2)
    monkeypatch.setattr("wedsql_site.supervisor.loop.uses_embedded", lambda: False)
    lines: list[str] = []
    supervisor = Supervisor([], Address("127.0.0.1", bound.server_port), Running(), lines.append)

    def echo(line: str) -> None:
        lines.append(line)
        if line == "the welcome":
            supervisor.stopping.set()
        else:
            bound.server_activate()
            threading.Thread(target=bound.serve_forever, daemon=True).start()

    ended = threading.Timer(20, supervisor.stopping.set)  # for a supervisor that never prints it
    ended.start()
    actions._watch(supervisor, "the welcome", echo)
    ended.cancel()
    bound.shutdown()

    assert len(lines) == 2 and "does not answer yet" in lines[0] and lines[1] == "the welcome"
