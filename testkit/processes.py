"""Processes of the product: command lines, process trees, and how tests start and end workers."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import psutil

from testkit.waiting import until
from wedsql_site.environment import CHECKOUT


class ProcessGroup:
    """Processes in sessions of their own that end together with all their children."""

    def __init__(self) -> None:
        self.running: list[subprocess.Popen[Any]] = []

    def launch(
        self, command: Sequence[str], environ: Mapping[str, str], **streams: Any
    ) -> subprocess.Popen[Any]:
        """Start a process in the checkout, with `streams` as subprocess.Popen takes them."""
        process = subprocess.Popen(command, cwd=CHECKOUT, env=environ, start_new_session=True, **streams)
        self.running.append(process)
        return process

    def alive(self) -> bool:
        """Return whether all of them are still running."""
        return all(process.poll() is None for process in self.running)

    def end(self, seconds: float = 3.0) -> None:
        """Terminate all, and kill what is left of their sessions after this time."""
        for process in self.running:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        with suppress(TimeoutError):
            until(lambda: all(process.poll() is not None for process in self.running), seconds)
        self.kill()

    def kill(self) -> None:
        """Kill all, including children that have outlived their parents."""
        for process in self.running:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.end()


class Processes(ProcessGroup):
    """Processes on one database with one state directory; `ledger` is a file with their side effects."""

    def __init__(self, uri: str, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.ledger = folder / "ledger"
        self.uri = uri
        self.admin_uri = uri.replace("user=wed_worker", "user=wed")
        self.reaper_uri = uri.replace("wed_worker", "wed_reaper")

    def environ(self, **more: str) -> dict[str, str]:
        own = {
            "DATABASE_URL": self.uri,
            "DJANGO_SETTINGS_MODULE": "workers.tests.processes.settings",
            "PYTHONPATH": str(CHECKOUT),
            "PYTHONUNBUFFERED": "1",
            "WEDSQL_PROCESS": "worker",
            "WEDSQL_STATE_DIR": str(self.folder),
            "WEDSQL_TEST_LEDGER": str(self.ledger),
            "WEDSQL_DEMO_PACE": "0",
        }
        return {**os.environ, **own, **more}

    def start(self, *arguments: str, **more: str) -> subprocess.Popen[bytes]:
        """Run `python <arguments>` in the checkout, with its output in the folder."""
        with (self.folder / f"process{len(self.running)}.log").open("wb") as log:
            command = [sys.executable, *arguments]
            return self.launch(command, self.environ(**more), stdout=log, stderr=subprocess.STDOUT)

    def manage(self, *arguments: str, **more: str) -> subprocess.Popen[bytes]:
        return self.start("manage.py", *arguments, **more)

    def output(self) -> str:
        """Return the output of all processes, for messages."""
        return "\n".join(
            path.read_text(errors="replace") for path in sorted(self.folder.glob("process*.log"))
        )

    def marks(self) -> list[str]:
        """Return the lines of the ledger."""
        return self.ledger.read_text().splitlines() if self.ledger.exists() else []


def children(pid: int) -> list[int]:
    """Return the live direct children of a process."""
    return _below(pid, recursive=False)


def descendants(pid: int) -> list[int]:
    """Return every live descendant of a process."""
    return _below(pid, recursive=True)


def _below(pid: int, recursive: bool) -> list[int]:
    try:
        found = psutil.Process(pid).children(recursive)
    except psutil.NoSuchProcess:
        return []
    return [child.pid for child in found if alive(child.pid)]


def alive(pid: int) -> bool:
    """Return whether the process is alive (a zombie is not)."""
    try:
        return psutil.Process(pid).status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return False


def cpu_seconds(pid: int) -> float:
    """Return the processor time that a process has used so far; 0 when it has ended."""
    with suppress(psutil.NoSuchProcess):
        times = psutil.Process(pid).cpu_times()
        return float(times.user + times.system)
    return 0.0


def of_installation(state: Path) -> list[int]:
    """Return every live process that was started for this state directory."""
    mark = b"WEDSQL_STATE_DIR=" + os.fsencode(state) + b"\0"
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark in entry.read_bytes():
                found.append(int(entry.parent.name))
    return found


def wait_until_gone(pids: list[int], seconds: float = 20.0) -> list[int]:
    """Return those of the processes that are still alive after this many seconds."""
    with suppress(TimeoutError):
        until(lambda: not any(map(alive, pids)), seconds)
    return [pid for pid in pids if alive(pid)]


def free_port() -> int:
    """Return a port that no process is listening on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def manage(*arguments: str) -> list[str]:
    """Return the command line of a management command."""
    return [sys.executable, str(CHECKOUT / "manage.py"), *arguments]


def daphne(port: int) -> list[str]:
    """Return the command line of the web process."""
    where = ["-b", "127.0.0.1", "-p", str(port)]
    return [sys.executable, "-m", "daphne", *where, "--no-server-name", "wedsql_site.asgi:application"]
