"""Under which circumstances a run was made."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.cluster import Cluster


def describe(cluster: Cluster) -> dict[str, Any]:
    """Machine, versions and server settings; load tells whether others were busy on the machine."""
    settings = ", ".join(f"{name} {value}" for name, value in sorted(cluster.settings().items()))
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "PostgreSQL": cluster.version(),
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {_cores()} cores, {_memory_gb()} GB",
        "load before the run": f"{os.getloadavg()[0]:.1f}",
        "server settings": settings,
    }


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _memory_gb() -> int:
    path = Path("/proc/meminfo")
    kilobytes = int(path.read_text().split()[1]) if path.exists() else 0
    return round(kilobytes / 1024 / 1024)
