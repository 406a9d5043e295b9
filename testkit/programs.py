"""The processes of an installation under test: started as in production, and restarted when they die."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from testkit.processes import descendants
from wedsql_site import environment

RESTART = 0.3


class Program:
    """A process that is restarted until it is stopped."""

    def __init__(
        self, name: str, argv: Sequence[str], env: Mapping[str, str], prefix: Sequence[str] = ()
    ) -> None:
        self.name = name
        self.argv = [*prefix, *argv]
        self.env = dict(env)
        self.starts = 0
        self.keep = True
        self.log = (Path(env["WEDSQL_STATE_DIR"]) / f"{name}.log").open("ab")
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        self.starts += 1
        return subprocess.Popen(
            self.argv, env=self.env, cwd=environment.CHECKOUT, stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip

    @property
    def pid(self) -> int:
        return self.process.pid

    def watch(self) -> None:
        """Restart it if it has ended."""
        if self.keep and self.process.poll() is not None:
            time.sleep(RESTART)
            self.process = self._start()

    def send(self, number: int) -> None:
        """Signal the main process alone."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def children(self) -> list[int]:
        """Return every live descendant."""
        return descendants(self.pid)

    def stop(self, seconds: float = 12.0) -> list[int]:
        """Terminate it; return the pids of the descendants that it had."""
        self.keep = False
        family = self.children()
        self.send(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.log.close()
        return family


class Programs:
    """All programs, with the thread that restarts them."""

    def __init__(self) -> None:
        self.all: dict[str, Program] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="programs", daemon=True)
        self._thread.start()

    def add(self, program: Program) -> Program:
        self.all[program.name] = program
        return program

    def __getitem__(self, name: str) -> Program:
        return self.all[name]

    def _watch(self) -> None:
        while not self._ended.wait(0.1):
            for program in list(self.all.values()):
                program.watch()

    def stop(self) -> None:
        """Stop all of them."""
        self._ended.set()
        self._thread.join()
        for program in self.all.values():
            program.keep = False
            program.send(signal.SIGTERM)
        for program in self.all.values():
            program.stop()
