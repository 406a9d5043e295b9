"""Keeps the programs and the embedded database running until stopped."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

from wedsql_site import postgres
from wedsql_site.ondemand import uses_embedded
from wedsql_site.supervisor import processes
from wedsql_site.supervisor.child import Child
from wedsql_site.supervisor.indexes import IndexBuilder
from wedsql_site.supervisor.programs import Address, Program
from wedsql_site.supervisor.record import Running
from workers.process.stop import Stop

_TICK = 0.2
_DATABASE_EVERY = 2.0
_LOGS_EVERY = 60.0
Echo = Callable[[str], None]


class Supervisor:
    """Starts the programs, watches them, and stops only what it started."""

    def __init__(self, programs: list[Program], where: Address, running: Running, echo: Echo) -> None:
        self.children = [Child(program) for program in programs]
        self.indexes = IndexBuilder()
        self.where = where
        self.running = running
        self.echo = echo
        self.stopping = Stop()
        self._database_due = self._logs_due = 0.0

    def catch_signals(self) -> None:
        """End the loop on SIGTERM, SIGINT and SIGHUP (except under `nohup`); a second one changes nothing."""
        self.stopping.on(signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

    def start_ahead(self) -> None:
        """Start those programs that can import their modules before there is a database."""
        for child in self.children:
            if child.program.imports:
                child.start_ahead()

    def start(self) -> None:
        """Start every program."""
        for child in self.children:
            child.start()
        self._write_record()

    def wait_for_web(self, seconds: float) -> bool:
        """Watch the programs until the first page answers; False if it does not in time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not self.stopping.is_set():
            if self.where.answers():
                return True
            self._watch()
            self.stopping.wait(0.05)
        return False

    def run(self, answered: Callable[[], None] | None = None) -> None:
        """Watch the programs until a signal arrives; call `answered` once the first page answers."""
        while not self.stopping.is_set():
            self._watch()
            self.indexes.watch()
            if answered and self.where.answers():
                answered()
                answered = None
            self.stopping.wait(_TICK)

    def stop(self) -> None:
        """Stop all programs in parallel, each within its grace period."""
        began = time.monotonic()
        for child in self.children:
            child.terminate()
        self.indexes.stop()
        for child in self.children:
            if not child.finish(began + child.program.grace):
                self.echo(f"{child.program.name} did not end in {child.program.grace:g} s and was killed")
        processes.end()

    def _watch(self) -> None:
        self._watch_database()
        changed = False
        for child in self.children:
            before = child.restarts
            line = child.watch()
            if line:
                self.echo(line)
            changed = changed or bool(line) or before != child.restarts
        if changed:
            self._write_record()
        self._trim_logs()

    def _watch_database(self) -> None:
        now = time.monotonic()
        if now < self._database_due or not uses_embedded():
            return
        self._database_due = now + _DATABASE_EVERY
        if not postgres.is_running():
            self.echo("the database does not answer; starting it again")
            try:
                postgres.ensure_running()
            except postgres.PostgresError as error:
                self.echo(str(error))

    def _trim_logs(self) -> None:
        if time.monotonic() >= self._logs_due:
            self._logs_due = time.monotonic() + _LOGS_EVERY
            for child in self.children:
                child.trim_log()

    def _write_record(self) -> None:
        children = [
            {
                "name": child.program.name,
                "pid": child.process.pid if child.process else None,
                "restarts": child.restarts,
            }
            for child in self.children
        ]
        try:
            self.running.write(url=self.where.url, children=children)
        except OSError as error:  # the processes go on without it
            self.echo(f"the record of the processes cannot be written: {error.strerror}")
