"""The processes of a state directory, found by an environment variable that every fork inherits.

Process groups and sessions do not suffice: Django-Q's sentinel has a group of its own, and a handler may
start a daemon. /proc shows the environment with which a process was started.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from wedsql_site import environment

VARIABLE = "WEDSQL_SUPERVISED"
_KILL_TIMEOUT = 10.0


def mark(program: str) -> str:
    """Return the value of the variable for a program of this state directory."""
    return f"{program}@{environment.state_dir()}"


def members(program: str = "") -> set[int]:
    """Return every process that a supervisor of this state directory started, or those of one program.

    This process and its ancestors are excluded: `wedsql up` may itself run under a supervisor.
    """
    wanted = f"{VARIABLE}={mark(program)}".encode()
    if program:
        found = _processes(lambda entries: wanted in entries)
    else:
        start, end = f"{VARIABLE}=".encode(), mark("").encode()
        found = _processes(lambda entries: any(w.startswith(start) and w.endswith(end) for w in entries))
    return found - _ancestors()


def end(program: str = "") -> int:
    """Kill these processes, also those they start meanwhile; return how many there were."""
    deadline = time.monotonic() + _KILL_TIMEOUT
    seen: set[int] = set()
    while (found := members(program)) and time.monotonic() < deadline:
        seen |= found
        for pid in found:
            _kill(pid)
        time.sleep(0.01)
    return len(seen)


def is_alive(pid: int) -> bool:
    """Return whether a process runs; one that has ended and whose parent has not waited for it does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _processes(matches: Callable[[list[bytes]], bool]) -> set[int]:
    found = set()
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            entries = entry.read_bytes().split(b"\0")
        except OSError:
            continue  # ended meanwhile, or another user's
        if matches(entries):
            found.add(int(entry.parent.name))
    return found


def _ancestors() -> set[int]:
    found, pid = set(), os.getpid()
    while pid > 1 and pid not in found:
        found.add(pid)
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            break
    return found


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
