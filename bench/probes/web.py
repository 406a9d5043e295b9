"""The web process of the product, as `make run` starts it, for the probes that need one."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench import site
from bench.probes.base import Stage
from bench.race import WorkerProcesses


@dataclass(frozen=True)
class Web:
    """A running web process: its address and its process id."""

    port: int
    pid: int

    @property
    def url(self) -> str:
        """The address of its front page."""
        return f"http://127.0.0.1:{self.port}/"


@contextmanager
def web(stage: Stage, database: str) -> Iterator[Web]:
    """daphne on a free port, answering; stopped at the end."""
    port = _free_port()
    command = [sys.executable, "-m", "daphne", "-b", "127.0.0.1", "-p", str(port), "--no-server-name"]
    environment = site.environment(stage.cluster, database, "web") | {
        "WEDSQL_ALLOWED_HOSTS": "127.0.0.1",
        "WEDSQL_PORT": str(port),
    }
    processes = WorkerProcesses([[*command, "wedsql_site.asgi:application"]], environment, announces=False)
    try:
        processes.wait_until(lambda: _answers(port))
        yield Web(port, processes.processes[0].pid)
    finally:
        processes.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=0.2):
            return True
    except OSError:
        time.sleep(0.01)
        return False
