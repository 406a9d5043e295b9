"""The web process as in production, as a context manager that stops it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from psycopg.conninfo import conninfo_to_dict

from testkit.processes import daphne, free_port
from testkit.waiting import until
from wedsql_site import environment, postgres
from wedsql_site.supervisor.programs import Address

_TIMEOUT = 30.0


def environ_for(dsn: str) -> dict[str, str]:
    """Return the environment of a process on the test database, with a role per process on our own server."""
    parts = conninfo_to_dict(dsn)
    own = {"DATABASE_URL": dsn, "WEDSQL_HTTPS": "0", "PYTHONUNBUFFERED": "1"}
    cluster = postgres.default_cluster()
    if parts.get("host") == str(cluster.socket):
        name = str(parts["dbname"])
        for role in ("web", "worker", "reaper", "monitor"):
            own[f"DATABASE_URL_{role.upper()}"] = cluster.dsn(user=f"wed_{role}", database=name)
        own["DATABASE_URL"] = cluster.dsn(database=name)
    return {**os.environ, **own}


@dataclass
class WebServer:
    """A daphne process with the whole site."""

    port: int
    process: subprocess.Popen[bytes]
    log: IO[bytes]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @property
    def pid(self) -> int:
        """Return the id of the process."""
        return self.process.pid

    @classmethod
    def on(cls, dsn: str, **extra: str) -> WebServer:
        """Start one on this database and return when it accepts connections."""
        return cls.start(environ_for(dsn) | {"WEDSQL_PROCESS": "web"} | extra)

    @classmethod
    def start(cls, env: dict[str, str]) -> WebServer:
        """Start one with these variables and return when it accepts connections."""
        port = free_port()
        log = tempfile.NamedTemporaryFile(prefix="wedsql-web-", suffix=".log")
        process = subprocess.Popen(
            daphne(port),
            cwd=environment.CHECKOUT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        server = cls(port, process, log)
        try:
            server._wait()
        except BaseException:
            server.stop()
            raise
        return server

    def written(self) -> str:
        """Return what the process has logged so far."""
        return Path(self.log.name).read_text(errors="replace")

    def stop(self) -> None:
        """Stop the process: terminate, and kill after 15 seconds."""
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()

    def __enter__(self) -> WebServer:
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def _wait(self) -> None:
        def ended_or_answers() -> bool:
            return self.process.poll() is not None or Address("127.0.0.1", self.port).answers()

        until(ended_or_answers, _TIMEOUT, lambda: f"the web process does not answer:\n{self.written()}")
        if self.process.poll() is not None:
            raise RuntimeError(f"the web process has ended:\n{self.written()}")
