"""The conditions under which a run was made."""

from __future__ import annotations

import os
import platform
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.cluster import Cluster

BUSY = (
    "The machine was busy with other work when this run began: rates are low, spreads are wide, and the "
    "ratios are less sure than on a quiet machine."
)


def describe(cluster: Cluster) -> dict[str, Any]:
    """Return machine, versions, server settings and load (which shows other work on the machine)."""
    settings = ", ".join(f"{name} {value}" for name, value in sorted(cluster.settings().items()))
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "PostgreSQL": cluster.version(),
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {_cores()} cores, {_memory_gb()} GB",
        "plain Python": f"{_additions():.0f} million additions a second",
        "load before the run": f"{os.getloadavg()[0]:.1f}",
        "server settings": settings,
    }


def was_busy(conditions: Mapping[str, Any]) -> bool:
    """Return whether more than half of the machine was in use when the run began."""
    cores = re.search(r"(\d+) cores", str(conditions.get("system", "")))
    load = float(conditions.get("load before the run", 0))
    return cores is not None and load > int(cores.group(1)) / 2


def _additions() -> float:
    """Return millions of additions per second in one thread: the present speed of this machine."""
    began = time.perf_counter()
    total = 0
    for number in range(2_000_000):
        total += number
    return 2 / (time.perf_counter() - began)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _memory_gb() -> int:
    path = Path("/proc/meminfo")
    kilobytes = int(path.read_text().split()[1]) if path.exists() else 0
    return round(kilobytes / 1024 / 1024)
