"""Private PostgreSQL servers: started, copied, killed, and removed at the end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

import psycopg

from wedsql_site import postgres
from wedsql_site.postgres import Cluster, account, process

SETTINGS = {"shared_buffers": "64MB", "deadlock_timeout": "200ms", "log_min_messages": "warning"}


def new_directory(prefix: str) -> Path:
    """Return a new temporary directory that the server's user can pass through."""
    home = Path(tempfile.mkdtemp(prefix=prefix))
    home.chmod(0o711)
    return home


class Server:
    """A server with its files below `home`, which `with` starts, and removes together with `home`."""

    def __init__(self, home: Path, settings: Mapping[str, str] = SETTINGS) -> None:
        self.home = home
        self.cluster = Cluster(home / "postgres", settings=dict(settings))

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self.remove()
        shutil.rmtree(self.home, ignore_errors=True)

    def start(self) -> None:
        """Start it and wait until it accepts connections."""
        postgres.ensure_running(self.cluster)

    def dsn(self, role: str = "") -> str:
        """Return the URI for wed_<role>, or for the superuser."""
        return self.cluster.dsn(user=f"wed_{role}") if role else self.cluster.dsn()

    def connect(self, role: str = "", **options: str) -> psycopg.Connection[tuple[object, ...]]:
        """Return an autocommit connection."""
        return psycopg.connect(
            self.dsn(role), autocommit=True, prepare_threshold=None, connect_timeout=5,
            application_name=options.get("name", "chaos"), options="-c search_path=wedsql",
        )  # fmt: skip

    def kill(self) -> None:
        """Send SIGKILL to the postmaster and every child, as in a crash of all processes."""
        pids = [process.postmaster(self.cluster), *process.survivors(self.cluster)]
        for pid in dict.fromkeys(filter(None, pids)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def kill_child(self, backend: int) -> None:
        """Send SIGKILL to one backend: the postmaster then resets all the others."""
        if backend in process.survivors(self.cluster):
            os.kill(backend, signal.SIGKILL)

    def copy_from(self, template: Server) -> None:
        """Copy the files of a stopped cluster."""
        user = account.current()
        user.own_directory(self.cluster.home)
        if self.cluster.data.exists():  # a mount point: the directory itself stays
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
