"""One supervised process, its restarts and its end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from functools import partial
from typing import IO

from flows.management.whole_file import write_whole
from wedsql_site.supervisor import forks, processes
from wedsql_site.supervisor.launch import Gate, become
from wedsql_site.supervisor.programs import Program

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 30.0
_STEADY_AFTER = 30.0
_LOG_LIMIT = 20_000_000


@dataclass
class Child:
    """Keeps one program running: restarts it after a pause that doubles while it keeps failing."""

    program: Program
    process: forks.Fork | None = None
    gate: Gate | None = None
    started: float = 0.0
    due: float = 0.0
    pause: float = 0.0
    restarts: int = 0

    def start(self) -> None:
        """Start the program in a session of its own, so that its children are in one process group.

        If it was started ahead, let it run on.
        """
        if self.gate is not None:
            self.gate.open()
            self.gate = None
        else:
            self._fork(None)
        self.started = time.monotonic()

    def start_ahead(self) -> None:
        """Have the program import its modules until it is started."""
        self.gate = Gate()
        self._fork(self.gate)

    def _fork(self, gate: Gate | None) -> None:
        with self._open_log() as log:
            self.process = forks.start(partial(become, self.program, log.fileno(), gate))

    def watch(self) -> str:
        """Restart the process if it ended; return a line to show, or ''."""
        now = time.monotonic()
        if self.process is None:
            if now >= self.due:
                self.restarts += 1
                self.start()
            return ""
        code = self.process.poll()
        if code is None:
            return ""
        self._kill_processes()  # processes of a killed cluster must not run beside its successor
        steady = now - self.started > _STEADY_AFTER
        self.pause = _FIRST_PAUSE if steady or not self.pause else min(self.pause * 2, _LONGEST_PAUSE)
        self.due = now + self.pause
        self.process = None
        return f"{self.program.name} ended ({_exit_status(code)}); starting it again in {self.pause:g} s"

    def terminate(self) -> None:
        """Send SIGTERM to the main process; a signal to the whole group would hang Django-Q's sentinel."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def finish(self, deadline: float) -> bool:
        """Wait until `deadline` (monotonic), then kill all its processes; True if it ended by itself."""
        if self.process is None:
            return True
        try:
            self.process.wait(max(0.0, deadline - time.monotonic()))
            graceful = True
        except subprocess.TimeoutExpired:
            graceful = False
        self._kill_processes()
        self.process.wait()
        self.process = None
        return graceful

    def trim_log(self) -> None:
        """Keep one old log; the process appends, so it continues at the start of the truncated file.

        On a full disk the old log is deleted: that frees its space, and the processes go on.
        """
        path = self.program.log()
        if path.exists() and path.stat().st_size > _LOG_LIMIT:
            old = path.with_suffix(".old.log")
            try:
                write_whole(old, [path.read_bytes()])
            except OSError:
                old.unlink(missing_ok=True)
            os.truncate(path, 0)

    def _open_log(self) -> IO[bytes]:
        path = self.program.log()
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("ab")

    def _kill_processes(self) -> None:
        """Kill the process and its descendants, in whatever group or session they are."""
        if self.process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        processes.end(self.program.name)


def _exit_status(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
