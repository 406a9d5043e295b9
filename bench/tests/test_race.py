"""A race times real processes: it rejects lost or repeated work, and leaves no process behind."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import psycopg
import pytest

from bench import race as race_module
from bench.cluster import scalar
from bench.contenders.base import Contender
from bench.race import race_in, shown, working

_WORKER = """
import sys, psycopg
print("ready", flush=True)
sys.stdin.readline()
with psycopg.connect(sys.argv[1], autocommit=True) as conn:
    conn.execute("insert into bench_race select from generate_series(1, %s)", [int(sys.argv[2])])
{end}
"""
_STAYS = "import time; time.sleep(60)"
_DIES = "sys.exit('the disk is full')"


class Inserts(Contender):
    """A contender whose only worker inserts a given number of steps."""

    name = "inserts"
    label = "inserts"
    kind = "peer"
    instances = 10

    def __init__(self, steps: int, end: str = _STAYS) -> None:
        self.inserted = steps
        self.end = end

    def start(self, dsn: str, count: int) -> None:
        with psycopg.connect(dsn) as conn:
            conn.execute("truncate bench_race")

    def commands(self, dsn: str, workers: int) -> list[list[str]]:
        return [[sys.executable, "-c", _WORKER.format(end=self.end), dsn, str(self.inserted)]]

    def steps(self, conn: psycopg.Connection) -> int:
        return int(scalar(conn, "select count(*) from bench_race"))

    def final(self, conn: psycopg.Connection) -> int:
        return self.steps(conn) // 3


@pytest.fixture
def place(dsn: str) -> Iterator[str]:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("create unlogged table if not exists bench_race ()")
        yield dsn
        conn.execute("drop table bench_race")


def test_all_work_done_is_a_complete_run(place: str) -> None:
    run = race_in(place, Inserts(30), 1, limit=20)
    assert (run.complete, run.steps, run.instances) == (True, 30, 10)
    assert run.rate == pytest.approx(30 / run.seconds)


def test_a_command_is_shown_without_this_machines_places() -> None:
    (command,) = shown(Inserts(30), 1)
    assert command.startswith("python -c") and "$DSN" in command and sys.executable not in command


def test_a_step_done_twice_is_no_result(place: str) -> None:
    with pytest.raises(RuntimeError, match="31 of 30 steps"):
        race_in(place, Inserts(31), 1, limit=20)


def test_a_race_that_is_cut_counts_what_was_committed(place: str) -> None:
    run = race_in(place, Inserts(12), 1, limit=1.0)
    assert (run.complete, run.steps) == (False, 12)


def test_a_worker_that_ends_early_is_reported_with_its_last_output(place: str) -> None:
    with pytest.raises(RuntimeError, match="the disk is full"):
        race_in(place, Inserts(12, _DIES), 1, limit=20)


def test_a_worker_may_end_when_all_is_done(place: str) -> None:
    assert race_in(place, Inserts(30, _DIES), 1, limit=20).complete


def test_workers_that_never_get_ready_are_not_waited_for(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race_module, "READY_SECONDS", 0.3)
    mute = Inserts(30)
    mute.commands = lambda dsn, workers: [[sys.executable, "-c", _STAYS]]  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="before it said 'ready'"):
        race_in(place, mute, 1, limit=20)


def test_no_process_is_left_behind(place: str) -> None:
    with psycopg.connect(place, autocommit=True) as conn:
        with working(Inserts(30), place, 1, conn) as processes:
            (pid,) = (process.pid for process in processes.running)
            os.kill(pid, 0)
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
