"""The web process as in production, as a context manager that stops it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from testkit.processes import ProcessGroup, daphne, free_port
from testkit.waiting import until
from wedsql_site import postgres
from wedsql_site.supervisor.programs import Address

_TIMEOUT = 60.0


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


class WebServer(ProcessGroup):
    """A daphne process with the whole site, which accepts connections once this is made."""

    def __init__(self, env: Mapping[str, str]) -> None:
        super().__init__()
        self.port = free_port()
        self.log = tempfile.NamedTemporaryFile(prefix="wedsql-web-", suffix=".log")
        streams = {"stdin": subprocess.DEVNULL, "stdout": self.log, "stderr": subprocess.STDOUT}
        self.process = self.launch(daphne(self.port), env, **streams)
        try:
            self._wait()
        except BaseException:
            self.end()
            raise

    @classmethod
    def on(cls, dsn: str, **extra: str) -> WebServer:
        """Start one on this database."""
        return cls(environ_for(dsn) | {"WEDSQL_PROCESS": "web"} | extra)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @property
    def pid(self) -> int:
        """Return the id of the process."""
        return self.process.pid

    def written(self) -> str:
        """Return what the process has logged so far."""
        return Path(self.log.name).read_text(errors="replace")

    def end(self, seconds: float = 15.0) -> None:
        """Terminate the process, and kill it when it is still running after this time."""
        super().end(seconds)
        self.log.close()

    def _wait(self) -> None:
        def ended_or_answers() -> bool:
            return not self.alive() or Address("127.0.0.1", self.port).answers()

        until(ended_or_answers, _TIMEOUT, lambda: f"the web process does not answer:\n{self.written()}")
        if not self.alive():
            raise RuntimeError(f"the web process has ended:\n{self.written()}")
