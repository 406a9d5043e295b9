"""F12: the disk is nearly full, then full: first the one of the tables, then that of the write-ahead log."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg

from chaos.load import FLOW
from chaos.run import Row, Run
from chaos.system import System
from flows import api
from flows.errors import DiskFull, WedError
from testkit.server import SETTINGS, Server
from wedsql_site import postgres
from wedsql_site.postgres import account

TIMEOUT = 40.0
SCARCE = 0.04  # free share of the disk: too little for starts, enough for running instances
_SETTINGS = {"max_wal_size": "48MB", "min_wal_size": "32MB", "wal_recycle": "off"}


def disk(run: Run, row: Row) -> None:
    """Fill a small disk; everything the server acknowledged must be there once space is free again."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        row.skipped = "mounting a small disk needs root"
        return
    for full in ("tables", "log"):
        _one(run, row, full)
        if row.skipped:
            return


def _one(run: Run, row: Row, full: str) -> None:
    place = run.new_directory()
    server = Server(place, SETTINGS | _SETTINGS)
    account.current().own_directory(server.cluster.home)
    small = server.cluster.data if full == "tables" else place / "postgres" / "log"
    with _small_disk(row, small, "160m" if full == "tables" else "100m") as mounted:
        if not mounted:
            return
        server.copy_from(run.template)
        _move_log(server, place / "postgres" / "log")
        # The backlog of instances that failing calls leave needs a while to drain.
        with run.system(row, server=server, programs=("pool", "reaper"), designer=0, rate=10.0) as system:
            row.injection(lambda: _scarce(system, small, row), f"little room for the {full}")
            for _ in range(run.number(2)):
                row.injection(lambda: _fill(system, small, row), f"no room for the {full}")


def _move_log(server: Server, place: Path) -> None:
    user = account.current()
    user.own_directory(place)
    log = server.cluster.data / "pg_wal"
    subprocess.run(["cp", "-a", f"{log}/.", str(place)], check=True)
    shutil.rmtree(log)
    log.symlink_to(place)
    os.lchown(log, user.uid, user.gid)


def _scarce(system: System, small: Path, row: Row) -> float:
    """Leave less than 5 % free, so that only running instances go on; then enlarge the disk.

    Returns the seconds from there until starts work.
    """
    usage = shutil.disk_usage(small)
    ballast = small / "ballast"
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, usage.free - int(usage.total * SCARCE))
    try:
        with system.connect("web") as conn:
            seconds = system.until(lambda: _refused(conn) == DiskFull.sqlstate, TIMEOUT, "starts went on")
            system.moves_again(TIMEOUT)
            row.notes.append(f"{small.name}: starts were refused {seconds:.1f} s after room became scarce")
            _resize(small, usage.total * 2)
            return system.until(lambda: _refused(conn) == "", TIMEOUT, "nothing starts on the larger disk")
    finally:
        ballast.unlink()
        _resize(small, usage.total)


def _refused(conn: psycopg.Connection[Any]) -> str:
    """Return the code of the error of a start; '' when it succeeds."""
    try:
        api.instances.start(FLOW, {"goal": 1}, actor="tester", conn=conn)
    except WedError as error:
        return error.code
    return ""


def _resize(small: Path, size: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(small)], check=True, capture_output=True)


def _fill(system: System, small: Path, row: Row) -> float:
    """Fill the disk until the server logs it, free it; return the seconds to the next committed step."""
    log = system.server.cluster.log
    before = log.read_bytes().count(b"No space left")
    ballast = small / "ballast"
    with ballast.open("wb") as file:
        _write_until_full(file.fileno())
    until = time.monotonic() + TIMEOUT
    while log.read_bytes().count(b"No space left") == before:
        if time.monotonic() > until:
            ballast.unlink()
            raise TimeoutError("the server never noticed the full disk")
        with suppress(psycopg.Error):  # WAL segments that exist already would delay the fault
            system.rows("select pg_switch_wal()")
        time.sleep(0.1)
    time.sleep(2)
    alive = postgres.is_running(system.server.cluster)
    ballast.unlink()
    begun = time.monotonic()
    system.server.start()
    system.moves_again(TIMEOUT)
    row.notes.append(
        f"{small.name}: the server {'answered' if alive else 'was down'} while the disk was full"
    )
    return time.monotonic() - begun


def _write_until_full(handle: int) -> None:
    for size in (1 << 20, 1 << 12):
        try:
            while True:
                os.write(handle, b"\0" * size)
        except OSError:
            continue


@contextmanager
def _small_disk(row: Row, place: Path, size: str) -> Iterator[bool]:
    user = account.current()
    place.mkdir(exist_ok=True)
    options = f"size={size},uid={user.uid},gid={user.gid},mode=0700"
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "chaos", str(place)], capture_output=True, check=False
    )
    if made.returncode:
        row.skipped = "mounting is not allowed here"
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", str(place)], capture_output=True, check=False)
        shutil.rmtree(place.parent, ignore_errors=True)
