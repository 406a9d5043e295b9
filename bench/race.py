"""One timed run of one contender: clone, start the instances, release the workers, stop the clock."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from bench.cluster import Cluster
from bench.contenders.base import STEPS_PER_INSTANCE, Contender
from bench.results import Run
from testkit.processes import ProcessGroup
from testkit.waiting import until
from wedsql_site.environment import CHECKOUT

READY_SECONDS = 30.0
POLL_SECONDS = 0.02


class WorkerProcesses(ProcessGroup):
    """The worker processes of one run: started, held until all are ready, released, stopped."""

    def __init__(self, commands: list[list[str]], environment: dict[str, str], announces: bool) -> None:
        super().__init__()
        self.sink = tempfile.NamedTemporaryFile("w+", prefix="wedbench-workers-")
        env = {**os.environ, "PYTHONPATH": str(CHECKOUT), **environment}
        out = subprocess.PIPE if announces else self.sink
        for command in commands:
            self.launch(command, env, stdin=subprocess.PIPE, stdout=out, stderr=self.sink, text=True)

    def wait_until(self, ready: Callable[[], bool]) -> None:
        """Block until `ready` returns true; an error when a process ends or time is up first."""
        until(lambda: not self.alive() or ready(), READY_SECONDS, self._not_ready)
        if not self.alive():
            raise RuntimeError(self._not_ready())

    def _not_ready(self) -> str:
        return f"the workers were not ready: {self.tail()}"

    def wait_announced(self, word: str = "ready") -> None:
        """Block until every process has printed `word`; RuntimeError with its log when one does not."""
        timer = threading.Timer(READY_SECONDS, self.kill)
        timer.start()
        try:
            for process in self.running:
                if word not in map(str.strip, process.stdout or ()):
                    raise RuntimeError(f"a worker ended before it said {word!r}: {self.tail()}")
        finally:
            timer.cancel()

    def go(self) -> None:
        """Release all processes."""
        for process in self.running:
            if process.stdin is not None:
                process.stdin.write("go\n")
                process.stdin.flush()

    def tail(self) -> str:
        """Return the last lines that the workers wrote to stderr."""
        lines = Path(self.sink.name).read_text(errors="replace").strip().splitlines()
        return " | ".join(lines[-4:])[-600:]

    def end(self, seconds: float = 5.0) -> None:
        """Terminate all processes, and kill those that are still running after this time."""
        super().end(seconds)
        for process in self.running:
            for pipe in filter(None, (process.stdin, process.stdout)):
                pipe.close()
        self.sink.close()


@contextmanager
def working(
    contender: Contender, dsn: str, workers: int, conn: psycopg.Connection
) -> Iterator[WorkerProcesses]:
    """Run the contender's worker processes; enter when they are ready, but not yet released."""
    commands, environment = contender.commands(dsn, workers), contender.environment(dsn, workers)
    with WorkerProcesses(commands, environment, contender.announces) as processes:
        if contender.announces:
            processes.wait_announced()
        else:
            processes.wait_until(lambda: contender.ready(conn, workers))
        yield processes


def race(cluster: Cluster, contender: Contender, template: str, workers: int, limit: float) -> Run:
    """Time one contender in a fresh database; RuntimeError when workers die or steps are missing."""
    return race_in(cluster.create_database("race", template), contender, workers, limit)


def race_in(dsn: str, contender: Contender, workers: int, limit: float) -> Run:
    """Time one contender in an existing database; RuntimeError as for `race`."""
    count = contender.instances
    if not contender.starts_when_ready:
        contender.start(dsn, count)
    with (
        psycopg.connect(dsn, autocommit=True) as conn,
        working(contender, dsn, workers, conn) as processes,
    ):
        conn.execute("analyze")
        processes.go()
        if contender.starts_when_ready:
            contender.start(dsn, count)
        began = time.perf_counter()
        complete = _wait_final(contender, conn, processes, count, began + limit)
        seconds = time.perf_counter() - began
        steps = contender.steps(conn)
        if steps == 0 or (complete and steps != count * STEPS_PER_INSTANCE):
            raise RuntimeError(f"{steps} of {count * STEPS_PER_INSTANCE} steps were done: {processes.tail()}")
    return Run(contender.name, workers, count, steps, seconds, complete)


def shown(contender: Contender, workers: int) -> list[str]:
    """Return the contender's command lines as typed by hand, without this run's paths and DSN."""
    commands = contender.commands("$DSN", workers)
    return [" ".join(command).replace(sys.executable, "python") for command in commands]


def _wait_final(
    contender: Contender, conn: psycopg.Connection, processes: WorkerProcesses, count: int, deadline: float
) -> bool:
    while time.perf_counter() < deadline:
        alive = processes.alive()  # checked first: workers may end when the work is done
        if contender.final(conn) >= count:
            return True
        if not alive:
            raise RuntimeError(f"a worker ended during the run: {processes.tail()}")
        time.sleep(POLL_SECONDS)
    return False
