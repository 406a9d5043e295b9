"""`manage.py wedworker`: a pool of processes that are stopped, are killed, or hang."""

from __future__ import annotations

import os
import signal
import time

import pytest

from testkit.processes import Processes, alive, children
from testkit.waiting import until
from workers.tests.conftest import pass_time
from workers.tests.processes.test_cluster import Db, all_final, db, flow, killed_in_a_handler, start, statuses

pytestmark = pytest.mark.slow
__all__ = ["db", "flow"]


@pytest.mark.parametrize("mode", ["auto", "step", "batch"])
def test_once_performs_what_is_ready_and_ends(processes: Processes, flow: str, db: Db, mode: str) -> None:
    wids = start(db, flow, "mark", 20) + start(db, flow, "again", 3)
    pool = processes.manage("wedworker", "--flow", flow, "--processes", "2", "--mode", mode, "--once")
    assert pool.wait(60) == 0, processes.output()
    assert statuses(db, wids) == {"F": 23}
    assert len(processes.marks()) == len(set(processes.marks())) == 35
    assert (
        db.execute("select 1 from wedsql.worker where %s = any (serves)", [f"{flow}:act_mark"]).fetchone()
        is None
    )
    assert list((processes.folder / "jobs").iterdir()) == []


def test_a_new_job_is_done_at_once_and_an_idle_worker_costs_nothing(
    processes: Processes, flow: str, db: Db
) -> None:
    pool = processes.manage("wedworker", "--flow", flow)
    waiting = "select pid from wedsql.worker where waiting and %s = any (serves)"
    (pid,) = until(lambda: db.execute(waiting, [f"{flow}:act_mark"]).fetchone(), what=processes.output)
    until(all_final(db, start(db, flow, "mark")))
    taken = []
    for _ in range(5):
        begun = time.monotonic()
        wids = start(db, flow, "mark")
        until(all_final(db, wids))
        taken.append(time.monotonic() - begun)
    assert min(taken) < 0.5, "woken, not found by the sweep"
    ticks = _ticks(pid)
    pass_time(1.5)
    assert _ticks(pid) - ticks <= 5, "at most 50 ms of a second and a half"
    name = db.execute(
        "select application_name from pg_stat_activity where application_name like %s", ["%" + flow]
    )
    assert name.fetchone() is not None
    assert children(pool.pid) == [pid]


def _ticks(pid: int) -> int:
    from pathlib import Path

    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_on_sigterm_it_finishes_its_handler(processes: Processes, flow: str, db: Db) -> None:
    pool = processes.manage("wedworker", "--flow", flow)
    (wid,) = start(db, flow, "slow")
    until(processes.marks, what=processes.output)
    pool.send_signal(signal.SIGTERM)
    pass_time(0.3)
    assert alive(pool.pid) and statuses(db, [wid]) == {"R": 1}
    (processes.folder / "ledger.go").touch()
    assert pool.wait(60) == 0
    assert statuses(db, [wid]) == {"F": 1}


def test_after_the_grace_it_is_killed(processes: Processes, flow: str, db: Db) -> None:
    pool = processes.manage("wedworker", "--flow", flow, "--grace", "0.3")
    (wid,) = start(db, flow, "slow")
    until(processes.marks, what=processes.output)
    below = children(pool.pid)
    pool.send_signal(signal.SIGTERM)
    assert pool.wait(60) == 0
    assert not [pid for pid in below if alive(pid)] and statuses(db, [wid]) == {"R": 1}


def test_a_killed_process_is_replaced_and_its_job_counted(processes: Processes, flow: str, db: Db) -> None:
    processes.manage("wedworker", "--flow", flow)
    wid = killed_in_a_handler(processes, flow, db)
    assert db.execute("select outcome from wedsql.job_log where wid = %s", [wid]).fetchall() == [("lost",)]


def test_a_killed_holder_frees_its_lock(processes: Processes, flow: str, db: Db) -> None:
    db.execute(f"update \"{flow}\".wed_trig set lock = 'press' where trname = 'act_slow'")
    processes.manage("wedworker", "--flow", flow, "--processes", "2")
    wids = start(db, flow, "slow", 3)
    until(processes.marks, what=processes.output)
    pass_time(0.5)
    (held,) = processes.marks()  # the other process may perform none of the three
    os.kill(int(held.split()[-1]), signal.SIGKILL)
    until(lambda: len(processes.marks()) == 2, what=processes.output)
    pass_time(0.5)
    assert len(processes.marks()) == 2, processes.marks()
    (processes.folder / "ledger.go").touch()
    until(all_final(db, wids), what=processes.output)
    steps = "select count(*) from wedsql.wed_trace where wid = any (%s) and trw = 'act_slow'"
    assert db.execute(steps, [wids]).fetchone() == (3,) and len(processes.marks()) == 4
    assert db.execute("select outcome from wedsql.job_log where wid = any (%s)", [wids]).fetchall() == [
        ("lost",)
    ]


def test_a_job_that_kills_workers_is_parked(processes: Processes, flow: str, db: Db) -> None:
    processes.manage("wedworker", "--flow", flow)
    (wid,) = start(db, flow, "poison")
    until(lambda: statuses(db, [wid]) == {"E": 1}, what=processes.output)
    assert len(processes.marks()) == 2


def test_a_process_that_hangs_beyond_its_time_is_killed_and_the_rest_is_served(
    processes: Processes, flow: str, db: Db
) -> None:
    processes.manage("wedworker", "--flow", flow)
    (wid,) = start(db, flow, "hang")
    until(processes.marks, what=processes.output)
    until(all_final(db, start(db, flow, "mark", 3)), what=processes.output)
    outcome = db.execute("select outcome from wedsql.job_log where wid = %s", [wid]).fetchall()
    assert outcome == [("lost",)]


def test_the_death_of_the_pool_is_the_death_of_its_processes(processes: Processes, flow: str, db: Db) -> None:
    pool = processes.manage("wedworker", "--flow", flow, "--processes", "2")
    below = until(lambda: (found := children(pool.pid)) and len(found) == 2 and found)
    pool.kill()
    pool.wait()
    until(lambda: not [pid for pid in below if alive(pid)])
