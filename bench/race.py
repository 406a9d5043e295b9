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
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bench.cluster import Cluster
from bench.contenders.base import STEPS_PER_INSTANCE, Contender
from wedsql_site.environment import CHECKOUT

READY_SECONDS = 30.0
POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Run:
    """The outcome of one race."""

    contender: str
    workers: int
    instances: int
    steps: int
    seconds: float
    complete: bool
    """False when the time limit came first; the rate then counts the steps committed until then"""
    commands: list[str]

    @property
    def rate(self) -> float:
        """Return the committed steps per second."""
        return self.steps / self.seconds


class WorkerProcesses:
    """The worker processes of one run: started, held until all are ready, released, stopped."""

    def __init__(self, commands: list[list[str]], environment: dict[str, str], announces: bool) -> None:
        self.sink = tempfile.NamedTemporaryFile("w+", prefix="wedbench-workers-")
        env = {**os.environ, "PYTHONPATH": str(CHECKOUT), **environment}
        self.processes = [
            subprocess.Popen(
                command,
                cwd=CHECKOUT,
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if announces else self.sink,
                stderr=self.sink,
                text=True,
                start_new_session=True,
            )
            for command in commands
        ]

    def wait_until(self, ready: Callable[[], bool]) -> None:
        """Block until `ready` returns true; RuntimeError when a process ends or time is up first."""
        deadline = time.monotonic() + READY_SECONDS
        while not ready():
            if not self.alive() or time.monotonic() > deadline:
                raise RuntimeError(f"the workers were not ready: {self.tail()}")
            time.sleep(POLL_SECONDS)

    def wait_announced(self, word: str = "ready") -> None:
        """Block until every process has printed `word`; RuntimeError with its log when one does not."""
        timer = threading.Timer(READY_SECONDS, self.kill)
        timer.start()
        try:
            for process in self.processes:
                self._wait_line(process, word)
        finally:
            timer.cancel()

    def _wait_line(self, process: subprocess.Popen[str], word: str) -> None:
        for line in process.stdout or ():
            if line.strip() == word:
                return
        raise RuntimeError(f"a worker ended before it said {word!r}: {self.tail()}")

    def go(self) -> None:
        """Release all processes."""
        for process in self.processes:
            if process.stdin is not None:
                process.stdin.write("go\n")
                process.stdin.flush()

    def alive(self) -> bool:
        """Return whether every worker is still running."""
        return all(process.poll() is None for process in self.processes)

    def tail(self) -> str:
        """Return the last lines that the workers wrote to stderr."""
        lines = Path(self.sink.name).read_text(errors="replace").strip().splitlines()
        return " | ".join(lines[-4:])[-600:]

    def stop(self) -> None:
        """Terminate all processes, and kill those that are still running after five seconds."""
        for process in self.processes:
            process.terminate()
        deadline = time.monotonic() + 5
        for process in self.processes:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                continue
        self.kill()
        for process in self.processes:
            for pipe in filter(None, (process.stdin, process.stdout)):
                pipe.close()
        self.sink.close()

    def kill(self) -> None:
        """Kill the process groups of this run, including child processes of the workers."""
        for process in self.processes:
            try:
                os.killpg(process.pid, 9)
            except ProcessLookupError:
                continue
            process.wait()


@contextmanager
def working(
    contender: Contender, dsn: str, workers: int, conn: psycopg.Connection
) -> Iterator[WorkerProcesses]:
    """Run the contender's worker processes; enter when they are ready, but not yet released."""
    commands, environment = contender.commands(dsn, workers), contender.environment(dsn, workers)
    processes = WorkerProcesses(commands, environment, contender.announces)
    try:
        if contender.announces:
            processes.wait_announced()
        else:
            processes.wait_until(lambda: contender.ready(conn, workers))
        yield processes
    finally:
        processes.stop()


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
    shown = [_shown(command, dsn) for command in contender.commands(dsn, workers)]
    return Run(contender.name, workers, count, steps, seconds, complete, shown)


def _shown(command: list[str], dsn: str) -> str:
    """Return a command line as typed by hand, without this run's paths and DSN."""
    return " ".join(command).replace(sys.executable, "python").replace(dsn, "$DSN")


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
