"""Worker processes of tests: started, watched by what they leave behind, and ended by their own ids."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


class Processes:
    """Processes on one database with one state directory; `ledger` is the outside world they write to."""

    def __init__(self, uri: str, folder: Path) -> None:
        self.folder = folder
        self.ledger = folder / "ledger"
        self.uri = uri
        self.admin_uri = uri.replace("user=wed_worker", "user=wed")
        self.reaper_uri = uri.replace("wed_worker", "wed_reaper")
        self.running: list[subprocess.Popen[bytes]] = []

    def environ(self, **more: str) -> dict[str, str]:
        own = {
            "DATABASE_URL": self.uri,
            "DJANGO_SETTINGS_MODULE": "workers.tests.settings",
            "PYTHONPATH": str(CHECKOUT),
            "PYTHONUNBUFFERED": "1",
            "WEDSQL_PROCESS": "worker",
            "WEDSQL_STATE_DIR": str(self.folder),
            "WEDSQL_TEST_LEDGER": str(self.ledger),
            "WEDSQL_DEMO_PACE": "0",
        }
        return {**os.environ, **own, **more}

    def start(self, *arguments: str, **more: str) -> subprocess.Popen[bytes]:
        """`python <arguments>` in the checkout, its output in the folder."""
        log = (self.folder / f"process{len(self.running)}.log").open("wb")
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=CHECKOUT,
            env=self.environ(**more),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        log.close()
        self.running.append(process)
        return process

    def manage(self, *arguments: str, **more: str) -> subprocess.Popen[bytes]:
        return self.start("manage.py", *arguments, **more)

    def output(self) -> str:
        """What all of them wrote, for messages."""
        return "\n".join(
            path.read_text(errors="replace") for path in sorted(self.folder.glob("process*.log"))
        )

    def marks(self) -> list[str]:
        """The lines of the ledger."""
        return self.ledger.read_text().splitlines() if self.ledger.exists() else []

    def end(self) -> None:
        for process in self.running:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        limit = time.monotonic() + 3
        for process in self.running:
            try:
                process.wait(max(0.1, limit - time.monotonic()))
            except subprocess.TimeoutExpired:
                pass
            try:
                os.killpg(process.pid, signal.SIGKILL)  # its own session: nobody else's processes
            except ProcessLookupError:
                pass
            process.wait()


def children(pid: int) -> list[int]:
    """The living direct children of a process."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def descendants(pid: int) -> list[int]:
    """Every living process below this one."""
    found = children(pid)
    return found + [below for child in found for below in descendants(child)]


def alive(pid: int) -> bool:
    """Whether the process lives (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
