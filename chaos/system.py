"""One private installation under load: server, web, two kinds of workers, reaper, clients, a dashboard."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg

from chaos.dashboard import Dashboard
from chaos.judge import judge
from chaos.load import Load
from chaos.row import Row
from chaos.template import environ
from testkit.processes import daphne, free_port, manage, of_installation, wait_until_gone
from testkit.programs import Program, Programs
from testkit.server import Server
from testkit.waiting import until

_BOOT = 30.0
POOL = manage("wedworker", "--processes", "2")
ALL = ("web", "pool", "cluster", "reaper")


class System:
    """An installation as a context manager that ends and deletes everything at the end."""

    def __init__(
        self,
        home: Path,
        template: Server,
        *,
        programs: tuple[str, ...] = ALL,
        server: Server | None = None,
        dsns: Mapping[str, str] | None = None,
        prefix: tuple[str, ...] = (),
        **pace: float,
    ) -> None:
        """Create the installation; `pace` holds options of chaos.load.Load."""
        self.home = home
        self.state = home / "state"
        self.state.mkdir()
        self.server = server or Server(home)
        if server is None:
            self.server.copy_from(template)
        self.env = environ(self.server, self.state, dsns)
        self.ledger = self.state / "ledger"
        self.port = free_port()
        self.names = programs
        self.programs = Programs()
        self.load = Load(lambda: self.server.connect("web", name="people"), **pace)
        self.dashboard: Dashboard | None = None
        self.prefix = prefix  # the prefix of the pool's command line, which runs it in another network
        self.orphans = 0

    def __enter__(self) -> System:
        try:
            self._boot()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _boot(self) -> None:
        self.server.start()
        makers: dict[str, Callable[[], Program]] = {
            "web": lambda: self.program("web", daphne(self.port), "web"),
            "pool": lambda: self.program("pool", POOL, "worker", self.prefix),
            "cluster": lambda: self.program("cluster", manage("qcluster"), "worker", Q_CLUSTER_NAME="wedsql"),
            "supervisor": lambda: self.program(
                "supervisor", manage("wedsql", "up", "--no-demo"), "admin", WEDSQL_PORT=str(self.port)
            ),
            "reaper": lambda: self.program("reaper", manage("qcluster"), "reaper", Q_CLUSTER_NAME="reaper"),
        }
        for name in self.names:
            makers[name]()
        self.until(self._served, _BOOT, "no worker came up")
        if {"web", "supervisor"} & set(self.names):
            self.dashboard = Dashboard(self.port)
            self.dashboard.start()
            self.until(lambda: self.page().live, _BOOT, "the page did not come to life")
        self.load.start()
        self.until(lambda: self.one("select count(*) from wedsql.wed_trace") > 30, _BOOT, "nothing moves")
        if self.dashboard is not None:
            self.dashboard.reload()

    def program(
        self, name: str, argv: list[str], role: str, prefix: tuple[str, ...] = (), **extra: str
    ) -> Program:
        """Start another process of the product and restart it when it ends."""
        return self.programs.add(Program(name, argv, {**self.env, "WEDSQL_PROCESS": role, **extra}, prefix))

    def _served(self) -> bool:
        kinds = {"pool": "process", "cluster": "cluster"}
        wanted = {kinds[name] for name in self.names if name in kinds}
        found = {row[0] for row in self.rows("select distinct kind from wedsql.worker where serves <> '{}'")}
        return wanted <= found

    # -- looking
    def page(self) -> Dashboard:
        """Return the dashboard; raise LookupError if this system has no web process."""
        if self.dashboard is None:
            raise LookupError("this system has no web process")
        return self.dashboard

    def connect(self, role: str = "", **options: str) -> psycopg.Connection[Any]:
        """Open a connection of the harness."""
        return self.server.connect(role, **options)

    def rows(self, text: str, params: tuple[object, ...] = ()) -> list[Any]:
        """Return the rows of a statement, over a new connection."""
        with self.connect() as conn:
            return conn.execute(text, params or None).fetchall()

    def one(self, text: str, params: tuple[object, ...] = ()) -> Any:
        """Return the only value of a statement."""
        found = self.rows(text, params)
        return found[0][0] if found else None

    def until(self, true: Callable[[], bool], seconds: float, what: str) -> float:
        """Wait for a condition, ignoring connection errors; return the seconds, or raise TimeoutError."""
        begun = time.monotonic()
        until(true, seconds, what, ignored=(psycopg.OperationalError,))
        return time.monotonic() - begun

    def moves_again(self, seconds: float = 60.0) -> float:
        """Return the seconds until a step is committed from now on."""
        begun = time.monotonic()
        newest = "select coalesce(max(job_id), 0) from wedsql.wed_trace"
        seen: list[int] = []

        def look() -> bool:
            seen.append(self.one(newest))  # a server whose child was killed goes down a moment later
            return True

        self.until(look, seconds, "the database did not come back")
        self.until(lambda: self.one(newest) > seen[0], seconds, "nothing moved")
        return time.monotonic() - begun

    # -- ending
    def judge(self, row: Row, timeout: float = 90.0) -> None:
        """Stop starting, wait until all work is done, and add what is wrong to the row."""
        self.load.stop_starting()
        with self.connect() as conn:
            judge(conn, self.load.record, self.ledger, timeout, row)
        if self.dashboard is not None and (wrong := self.dashboard.compare(self.rows)):
            row.add_loss(f"the dashboard does not show the database: {wrong[:3]}", len(wrong))
        row.unknown += self.load.record.unknown
        row.resolved += self.load.record.resolved

    def close(self) -> None:
        """End everything; `orphans` counts processes that outlived their parents."""
        self.load.stop()
        if self.dashboard is not None:
            self.dashboard.stop()
        self.programs.stop()
        left = wait_until_gone(of_installation(self.state), 15)
        self.orphans = len(left)
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.server.remove()
        shutil.rmtree(self.home, ignore_errors=True)
