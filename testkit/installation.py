"""A whole installation in its own directory, driven by `manage.py wedsql …` as an operator does."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from testkit.browser import LOGIN, Browser
from testkit.processes import free_port, manage, of_installation
from wedsql_site import postgres

_TIMEOUT = 90.0


@dataclass
class Installation:
    """`up` runs in the background, its output goes to a file; all other commands run to their end."""

    state: Path
    port: int = field(default_factory=free_port)
    supervisor: subprocess.Popen[bytes] | None = None
    command: tuple[str, ...] = (*manage("wedsql"),)
    directory: str = "/"
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def output(self) -> Path:
        return self.state.with_name(f"{self.state.name}.out")

    @property
    def cluster(self) -> postgres.Cluster:
        return postgres.Cluster(self.state / "postgres")

    def environ(self, **extra: str) -> dict[str, str]:
        """Return an environment without the variables of the test run's own installation."""
        ours = ("WEDSQL_", "DATABASE_", "DJANGO_", "Q_CLUSTER")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        own = {"WEDSQL_STATE_DIR": str(self.state), "WEDSQL_PORT": str(self.port)}
        return clean | own | self.variables | extra

    def up(self, before: tuple[str, ...] = (), **extra: str) -> float:
        """Start everything (through the command `before`); return the seconds until it prints its URL."""
        began = time.monotonic()
        with self.output.open("wb") as out:
            self.supervisor = subprocess.Popen(
                [*before, *self.command, "up"],
                env=self.environ(**extra),
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        while "WED-SQL runs at" not in self.printed():
            if self.supervisor.poll() is not None or time.monotonic() - began > _TIMEOUT:
                raise AssertionError(f"did not start:\n{self.printed()}\n{self.logs()}")
            time.sleep(0.02)
        return time.monotonic() - began

    def printed(self) -> str:
        """Return what `up` has printed so far."""
        return self.output.read_text() if self.output.exists() else ""

    def logs(self) -> str:
        """Return the ends of all logs, for the message of a failing test."""
        return "\n".join(f"== {log.name}\n{log.read_text()[-2000:]}" for log in self.state.glob("log/*.log"))

    def call(self, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        """Run `manage.py wedsql …` to its end."""
        return subprocess.run(
            [*self.command, *arguments],
            env=self.environ(**extra),
            cwd=self.directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT,
        )

    def status(self) -> dict[str, Any]:
        return json.loads(self.call("status", "--json").stdout)

    def pids(self) -> dict[str, int]:
        """Return the main process of each program, from the supervisor's record."""
        record = json.loads((self.state / "supervisor.json").read_text())
        return {child["name"]: child["pid"] for child in record["children"]}

    def family(self) -> set[int]:
        """Return every live process of this installation except its database."""
        return {*of_installation(self.state)}

    def answers(self) -> bool:
        """Return whether a page that needs the database is served."""
        try:
            return Browser(self.port).request("GET", LOGIN, Cookie="sessionid=" + "a" * 32)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def signal(self, number: signal.Signals) -> int:
        """Signal the supervisor and return its exit code."""
        assert self.supervisor is not None
        self.supervisor.send_signal(number)
        return self.supervisor.wait(_TIMEOUT)

    def down(self) -> None:
        """Stop the supervisor if it runs."""
        if self.supervisor is not None and self.supervisor.poll() is None:
            assert self.signal(signal.SIGTERM) == 0

    def remove(self) -> None:
        """Kill all processes and delete the cluster, whatever state the test left."""
        if self.supervisor is not None and self.supervisor.poll() is None:
            self.supervisor.kill()
            self.supervisor.wait()
        for pid in self.family():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        postgres.reset(self.cluster)

    def start_orphan(self, program: str = "worker") -> subprocess.Popen[bytes]:
        """Start a process like one that a killed supervisor of this state directory leaves behind."""
        env = {"WEDSQL_SUPERVISED": f"{program}@{self.state}", "WEDSQL_STATE_DIR": str(self.state)}
        return subprocess.Popen(["/bin/sleep", "600"], env=env, start_new_session=True)
