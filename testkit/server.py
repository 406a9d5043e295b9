"""Private PostgreSQL clusters: started, copied, killed, and removed at the end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import psycopg

from wedsql_site import postgres
from wedsql_site.postgres import Cluster, account, process

_SETTINGS = {"shared_buffers": "64MB", "deadlock_timeout": "200ms", "log_min_messages": "warning"}


class Server:
    """One cluster of the harness."""

    def __init__(self, home: Path, settings: Mapping[str, str] | None = None) -> None:
        self.cluster = Cluster(home / "postgres", settings={**_SETTINGS, **(settings or {})})

    def start(self) -> None:
        """Start it, or wait until it answers."""
        postgres.ensure_running(self.cluster)

    def dsn(self, role: str = "") -> str:
        """The URI for wed_<role>, or for the superuser."""
        return self.cluster.dsn(user=f"wed_{role}") if role else self.cluster.dsn()

    def connect(self, role: str = "", **options: str) -> psycopg.Connection[tuple[object, ...]]:
        """An autocommit connection."""
        return psycopg.connect(
            self.dsn(role), autocommit=True, prepare_threshold=None, connect_timeout=5,
            application_name=options.get("name", "chaos"), options="-c search_path=wedsql",
        )  # fmt: skip

    def kill(self) -> None:
        """SIGKILL for the postmaster and every child, as when the power of the process goes."""
        pids = [process.postmaster(self.cluster), *process.survivors(self.cluster)]
        for pid in dict.fromkeys(filter(None, pids)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def kill_child(self, backend: int) -> None:
        """SIGKILL for one backend: the postmaster resets all the others."""
        if backend in process.survivors(self.cluster):
            os.kill(backend, signal.SIGKILL)

    def copy_from(self, template: Server) -> None:
        """Take the files of a stopped cluster."""
        user = account.current()
        user.own_directory(self.cluster.home)
        if self.cluster.data.exists():  # a mount: its directory stays
            subprocess.run(["cp", "-a", f"{template.cluster.data}/.", str(self.cluster.data)], check=True)
        else:
            subprocess.run(["cp", "-a", str(template.cluster.data), str(self.cluster.data)], check=True)

    def remove(self) -> None:
        """Stop it and delete its files."""
        with suppress(postgres.PostgresError):
            postgres.stop(self.cluster)
        self.kill()
        shutil.rmtree(self.cluster.home, ignore_errors=True)
        shutil.rmtree(self.cluster.socket, ignore_errors=True)
