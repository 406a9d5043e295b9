"""Starts, stops and removes an embedded cluster; safe to call from several processes at once."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

from wedsql_site import environment
from wedsql_site.postgres import account, binaries, configuration, process
from wedsql_site.postgres.cluster import DATABASE, SUPERUSER, Cluster, default_cluster
from wedsql_site.postgres.errors import PostgresError

_INITDB = ("--auth=trust", "--locale=C.UTF-8", "-E", "UTF8")
_SYNC_METHOD_SINCE = 17
_START_TIMEOUT = 8.0
_LOCK_TIMEOUT = 60.0


def ensure_running(cluster: Cluster | None = None) -> str:
    """Start the cluster if it does not answer; return the URI of its database; raises PostgresError."""
    cluster = cluster or default_cluster()
    if not process.answers(cluster, DATABASE):
        with _locked(cluster):
            if not process.answers(cluster):
                _start(cluster)
            _create_database(cluster)
    return cluster.dsn()


def is_running(cluster: Cluster | None = None) -> bool:
    """Return whether the cluster answers."""
    return process.answers(cluster or default_cluster())


def stop(cluster: Cluster | None = None) -> bool:
    """Stop the cluster (open transactions are rolled back); False if it was not running."""
    cluster = cluster or default_cluster()
    if not cluster.lock.exists():
        return False
    with _locked(cluster):
        if process.postmaster(cluster) is None:
            return False
        user = account.current()
        command = [
            _programs(cluster, user) / "pg_ctl",
            "-D",
            cluster.data,
            "-m",
            "fast",
            "-w",
            "-t",
            "60",
            "stop",
        ]
        answer = user.run(command, capture_output=True)
        if answer.returncode != 0:
            raise PostgresError(f"PostgreSQL did not stop: {answer.stderr.strip() or answer.stdout.strip()}")
        return True


def reset(cluster: Cluster | None = None) -> None:
    """Stop the cluster and delete its data."""
    cluster = cluster or default_cluster()
    stop(cluster)
    for directory in {cluster.home, cluster.socket}:
        shutil.rmtree(directory, ignore_errors=True)


def _start(cluster: Cluster) -> None:
    user = account.current()
    programs = _programs(cluster, user)
    user.own_directory(cluster.home)
    _own_socket_directory(cluster, user)
    if not (cluster.data / "PG_VERSION").exists():
        _initialise(cluster, programs, user)
    _check_version(cluster, programs, user)
    configuration.write(cluster, user)
    _rotate(cluster.log)
    _launch(cluster, programs, user)


def _launch(cluster: Cluster, programs: Path, user: account.Account) -> None:
    """Start the postmaster; retry while children of a killed one are still exiting."""
    # With a log file: without it the server keeps the caller's stdout open and pg_ctl never returns.
    command = [programs / "pg_ctl", "-D", cluster.data, "-w", "-t", "60", "-l", cluster.log, "start"]
    deadline = time.monotonic() + _START_TIMEOUT
    while True:
        process.remove_leftovers(cluster)
        answer = user.run(command, capture_output=True)
        if process.answers(cluster):
            return
        if time.monotonic() > deadline:
            raise PostgresError(f"PostgreSQL did not start.\n{answer.stderr.strip()}\n{_tail(cluster.log)}")
        time.sleep(0.1)


def _initialise(cluster: Cluster, programs: Path, user: account.Account) -> None:
    """Create the data directory under another name and rename it, so that it is never incomplete."""
    new = cluster.home / "data.new"
    shutil.rmtree(new, ignore_errors=True)
    command = [programs / "initdb", "-D", new, "-U", SUPERUSER, *_INITDB]
    if cluster.settings.get("fsync") == "off":
        command.append("--no-sync")
    elif binaries.major(programs, user) >= _SYNC_METHOD_SINCE:
        command.append("--sync-method=syncfs")  # one call for a thousand files
    answer = user.run(command, capture_output=True)
    if answer.returncode != 0:
        raise PostgresError(f"initdb failed: {answer.stderr.strip()}")
    new.rename(cluster.data)


def _create_database(cluster: Cluster) -> None:
    with psycopg.connect(cluster.dsn(database="postgres"), autocommit=True) as connection:
        if not connection.execute("select from pg_database where datname = %s", [DATABASE]).rowcount:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(DATABASE)))


def _programs(cluster: Cluster, user: account.Account) -> Path:
    return binaries.reachable(cluster.programs or binaries.find(), user)


def _check_version(cluster: Cluster, programs: Path, user: account.Account) -> None:
    wanted = int((cluster.data / "PG_VERSION").read_text())
    found = binaries.major(programs, user)
    if wanted != found:
        raise PostgresError(
            f"{cluster.data} was written by PostgreSQL {wanted}, but {programs} is {found}. Name programs of "
            f"version {wanted} in WED_PG_BIN, or move the data with pg_dump, or delete it with 'make reset'."
        )


def _own_socket_directory(cluster: Cluster, user: account.Account) -> None:
    """Raise PostgresError for a directory in /tmp that another user created."""
    try:
        cluster.socket.mkdir(mode=0o700)
    except FileExistsError:
        found = cluster.socket.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid not in {user.uid, os.geteuid()}:
            raise PostgresError(f"{cluster.socket} belongs to another user; remove it") from None
    user.own_directory(cluster.socket)


def _rotate(log: Path, limit: int = 10_000_000) -> None:
    if log.exists() and log.stat().st_size > limit:
        log.rename(log.with_suffix(".old.log"))


def _tail(log: Path, lines: int = 12) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:]) if log.exists() else ""


@contextmanager
def _locked(cluster: Cluster) -> Iterator[None]:
    """Hold the lock for starting and stopping; the system releases it when its holder dies."""
    environment.ensure_directory(cluster.lock.parent)
    # No access for group and others: only the user of the installation may start it.
    with os.fdopen(os.open(cluster.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "w") as handle:
        deadline = time.monotonic() + _LOCK_TIMEOUT
        while not _try_lock(handle.fileno()):
            if time.monotonic() > deadline:
                raise PostgresError(f"another process has held {cluster.lock} for {_LOCK_TIMEOUT:.0f} s")
            time.sleep(0.05)
        yield


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
