"""What this web process uses: database connections, threads, files, memory."""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.db import connection

_KB = 1024


@dataclass(frozen=True)
class Requests:
    """Requests of this process: in progress, their limit, waiting, rejected; and connections refused."""

    busy: int = 0
    limit: int = 0
    waiting: int = 0
    rejected: int = 0
    connections_refused: int = 0


_read_requests: Callable[[], Requests] = Requests


def read_requests_with(reader: Callable[[], Requests]) -> None:
    """Set the function that reads the counters of requests; the site calls this."""
    global _read_requests
    _read_requests = reader


@dataclass(frozen=True)
class Usage:
    """`connections_*` describe the pool: its limit, those in use, and requests that wait for one."""

    connections_limit: int
    connections_used: int
    connections_waiting: int
    requests: int
    requests_limit: int
    requests_waiting: int
    requests_rejected: int
    connections_refused: int
    threads: int
    files: int
    files_limit: int
    memory: int

    @property
    def exhausted(self) -> bool:
        """Whether every connection of the pool is in use while requests wait for one."""
        return self.connections_waiting > 0 and self.connections_used >= self.connections_limit > 0


def usage() -> Usage:
    """Read the counters of this process; uses no database."""
    pool = _pool()
    pages = _read_requests()
    return Usage(
        connections_limit=pool.get("pool_max", 0),
        connections_used=pool.get("pool_size", 0) - pool.get("pool_available", 0),
        connections_waiting=pool.get("requests_waiting", 0),
        requests=pages.busy,
        requests_limit=pages.limit,
        requests_waiting=pages.waiting,
        requests_rejected=pages.rejected,
        connections_refused=pages.connections_refused,
        threads=threading.active_count(),
        files=len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0,
        files_limit=resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        memory=_memory(),
    )


def _pool() -> dict[str, int]:
    """Return the counters of the connection pool; empty without a pool."""
    if not connection.settings_dict["OPTIONS"].get("pool"):
        return {}
    return dict(connection.pool.get_stats())  # type: ignore[attr-defined]


def _memory() -> int:
    """Return the resident memory of this process in bytes."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KB
    return pages * resource.getpagesize()
