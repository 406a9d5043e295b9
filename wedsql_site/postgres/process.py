"""Which processes run, by /proc: pid files survive a kill or a restart of the machine."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import psycopg

from wedsql_site.postgres.cluster import Cluster

_SURVIVOR_GRACE = 5.0


def answers(cluster: Cluster, database: str = "postgres") -> bool:
    """Return whether the server accepts a connection to `database` and a statement."""
    try:
        with psycopg.connect(
            cluster.dsn(database=database), connect_timeout=3, autocommit=True
        ) as connection:
            return connection.execute("select 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False


def postmaster(cluster: Cluster) -> int | None:
    """Return the pid of this cluster's postmaster, checked by its command line, not by the pid file alone."""
    pid = recorded_pid(cluster)
    return pid if pid and names_data(pid, cluster.data) else None


def recorded_pid(cluster: Cluster) -> int | None:
    """Return the pid in postmaster.pid, whatever process has it now."""
    try:
        return abs(int(cluster.pid_file.read_text().split("\n", 1)[0]))
    except (FileNotFoundError, ValueError):
        return None


def names_data(pid: int, data: Path) -> bool:
    """Return whether process `pid` was started on the data directory `data`; False for a zombie."""
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return os.fsencode(data) in arguments


def exists(pid: int) -> bool:
    """Return whether any process, zombies included, has this pid."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def survivors(cluster: Cluster) -> list[int]:
    """Return the server processes of this cluster, which have the data directory as working directory."""
    data = str(cluster.data)
    return [int(entry.name) for entry in Path("/proc").glob("[0-9]*") if _directory_of(entry) == data]


def remove_leftovers(cluster: Cluster) -> None:
    """Wait until the children of a killed postmaster are gone; remove a pid file of an unrelated process.

    The pid file of a dead pid stays: PostgreSQL itself checks the shared memory that it names.
    """
    _wait_for_survivors(cluster)
    pid = recorded_pid(cluster)
    if pid and exists(pid) and not names_data(pid, cluster.data):
        cluster.pid_file.unlink(missing_ok=True)


def _wait_for_survivors(cluster: Cluster) -> None:
    deadline = time.monotonic() + _SURVIVOR_GRACE
    while left := survivors(cluster):
        if time.monotonic() > deadline:
            for pid in left:
                _kill(pid)
            deadline += _SURVIVOR_GRACE
        time.sleep(0.05)


def _directory_of(entry: Path) -> str:
    try:
        return os.readlink(entry / "cwd")
    except OSError:
        return ""


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
