"""Reports the free disk space of the database to the kernel, if both are on the same machine."""

from __future__ import annotations

import ipaddress
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import psycopg

from flows import api

EVERY = 5.0
Space: TypeAlias = tuple[int, int]


class DiskReporter:
    """Reports at most every `EVERY` seconds; never if the database is remote or its directory unknown."""

    def __init__(self) -> None:
        self._due = 0.0

    def report(self, conn: psycopg.Connection[Any]) -> None:
        """Report if the last report is old enough."""
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + EVERY
        space = fullest(spaces(directories(conn)))
        if space is not None:
            api.maintenance.report_disk(*space, conn=conn)


def directories(conn: psycopg.Connection[Any]) -> list[Path]:
    """Return the server's directories of tables and WAL if it is on this machine, or from WEDSQL_DATA_DIR."""
    given = os.environ.get("WEDSQL_DATA_DIR", "").strip()
    if given:
        return [Path(given), Path(given) / "pg_wal"]
    if not on_this_machine(conn.info.host, conn.info.hostaddr):
        return []
    place = api.maintenance.data_directory(conn=conn)
    return [Path(place), Path(place) / "pg_wal"] if place else []


def on_this_machine(host: str, address: str) -> bool:
    """Return whether a connection is local: another machine may have a directory of the same name."""
    if host.startswith("/"):
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(address).is_loopback
    return False


def fullest(spaces: Iterable[Space]) -> Space | None:
    """Return free and total bytes of the fullest disk; None if there is none."""
    return min(spaces, key=lambda space: space[0] / space[1], default=None)


def spaces(places: Iterable[Path]) -> Iterator[Space]:
    """Return free and total bytes of the disks of those directories that are accessible here."""
    for place in places:
        with suppress(OSError):
            usage = shutil.disk_usage(place)
            if usage.total:
                yield usage.free, usage.total
